package databind

import "github.com/duequeue/duequeue/codecs/internal/option"

// Rules are the facts by which the codecs of the family and the releases of
// Redisson differ. They are fixed when a codec is built.
type Rules struct {
	// Jackson is 2 or 3: which major release of Jackson the Java codec uses.
	Jackson int
	// Types says that class ids are on the wire; the Typed codecs and those of a
	// bare Jackson 3 mapper write none.
	Types bool
	// Release is the release of Redisson whose bytes are written, and read where
	// bytes alone do not tell.
	Release option.Release
	// First is the first release of Redisson that has the codec; zero where all
	// that are known have it. Options that name an older one are refused.
	First option.Release
	// Whole says that nothing may follow the value with Jackson 2 either.
	Whole bool
	// times is how java.time is written with Jackson 2; Jackson 3 has one form.
	times timesForm
	// enums are the texts of enum constants that are not their names; may be nil.
	enums *enumTexts
}

// bareUUID reports whether a UUID is a bare text where the declared class is UUID:
// Redisson marked it as typed in 4.2.0.
func (r *Rules) bareUUID() bool { return !r.Types || r.Release.Before(option.Release{4, 2, 0}) }

// bareNaN reports whether a Double that is not finite is bare in Object slots, as
// Jackson before 2.10 has it.
func (r *Rules) bareNaN() bool { return !r.Types || r.Release.Before(option.Release{3, 11, 6}) }

// Strict reports whether nothing may follow the value: Java's codecs on Jackson 3 insist
// on it, those on Jackson 2 never look.
func (r *Rules) Strict() bool { return r.Jackson == 3 || r.Whole }
