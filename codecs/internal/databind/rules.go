package databind

import (
	"fmt"
)

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
	Release Release
	// First is the first release of Redisson that has the codec; zero where all
	// that are known have it. Options that name an older one are refused.
	First Release
	// Whole says that nothing may stand behind the value. Java's codecs on Jackson 3
	// insist on it, those on Jackson 2 never look.
	Whole bool
	// times is how java.time is written with Jackson 2; Jackson 3 has one form.
	times timesForm
	// enums are the texts of enum constants that are not their names; may be nil.
	enums *enumTexts
}

// Release is a release of Redisson: {4, 7, 0}.
type Release [3]int

// Before reports whether r is older than the release given.
func (r Release) Before(major, minor, patch int) bool {
	for i, n := range [...]int{major, minor, patch} {
		if r[i] != n {
			return r[i] < n
		}
	}
	return false
}

// String returns the release as people write it: 4.7.0.
func (r Release) String() string { return fmt.Sprintf("%d.%d.%d", r[0], r[1], r[2]) }

// bareUUID reports whether a UUID is a bare text where the declared class is UUID:
// Redisson marked it as typed in 4.2.0.
func (r *Rules) bareUUID() bool { return !r.Types || r.Release.Before(4, 2, 0) }

// bareNaN reports whether a Double that is not finite is bare in Object slots, as
// Jackson before 2.10 has it.
func (r *Rules) bareNaN() bool { return !r.Types || r.Release.Before(3, 11, 6) }
