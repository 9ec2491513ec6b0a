package databind

import (
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// Rules are the facts by which the codecs of the family and the releases of
// Redisson differ. They are fixed when a codec is built.
type Rules struct {
	// Jackson is 2 or 3: which major release of Jackson the Java codec uses.
	Jackson int
	// Types says that class ids are on the wire; the Typed codecs and those of a
	// bare Jackson 3 mapper, which also writes null properties, write none.
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
	// mapper is how the service's own ObjectMapper names classes; zero for Redisson's.
	mapper Mapper
	// enums are the texts of enum constants that are not their names, by class and name.
	enums map[string]map[string]string
}

// bareUUID reports whether a UUID is a bare text where the declared class is UUID:
// Redisson marked it as typed in 4.2.0.
func (r *Rules) bareUUID() bool {
	return !r.Types || r.own() || r.Release.Before(option.Release{4, 2, 0})
}

// bareNaN reports whether a Double that is not finite is bare in Object slots, as
// Jackson before 2.10 has it.
func (r *Rules) bareNaN() bool { return !r.Types || r.Release.Before(option.Release{3, 11, 6}) }

// Strict reports whether nothing may follow the value: Java's codecs on Jackson 3 insist
// on it, those on Jackson 2 never look.
func (r *Rules) Strict() bool { return r.Jackson == 3 || r.Whole }

// limits fills in the defaults: Jackson 3 reads at most 500 containers within each
// other, wrapper arrays included.
func (r *Rules) limits(l codecs.Limits) codecs.Limits {
	if l.Depth == 0 && r.Jackson == 3 {
		l.Depth = 500
	}
	return l.WithDefaults()
}

// keepsNulls reports whether properties and map entries that are null are written.
func (r *Rules) keepsNulls() bool { return r.Jackson == 3 && !r.Types }

// keepsOrder reports whether the components of a record are written in their
// order, as those of its constructor. With Redisson's mapper of Jackson 2 they are
// sorted like all properties.
func (r *Rules) keepsOrder() bool { return r.Jackson == 3 }

// leaksUUID reports whether a UUID names its class where it is declared, although no
// others do: the mix-in of 4.2.0 stayed in TypedJsonJacksonCodec until 4.5.0.
func (r *Rules) leaksUUID() bool {
	return r.Jackson == 2 && !r.Types && !r.Release.Before(option.Release{4, 2, 0}) && r.Release.Before(option.Release{4, 5, 0})
}

// timesForm returns how java.time is written.
func (r *Rules) timesForm() timesForm {
	if r.Jackson == 3 {
		return times3
	}
	return r.times
}

// dateZone returns what stands for UTC in a date that is a text, and whether dates
// are texts.
func (r *Rules) dateZone() (zone string, text bool) {
	switch {
	case r.Jackson == 3:
		return "Z", true
	case r.Release.Before(option.Release{3, 13, 3}): // Jackson 2.10 and older
		zone = "+0000"
	default:
		zone = "+00:00"
	}
	return zone, r.times == timesText
}

// final reports whether values of a class are bare where it is declared: Jackson
// names no class that has no subclasses. Redisson's mapper of Jackson 2 excepts
// Long, and since 4.2.0 UUID.
func (r *Rules) final(class string) bool {
	switch class {
	case classJavaLong:
		return r.Jackson == 3 || r.own()
	case classUUID:
		return r.bareUUID()
	case "java.time.DayOfWeek", "java.time.Month", "java.util.OptionalInt", "java.util.OptionalLong", "java.util.OptionalDouble":
		return true
	}
	return finalScalar(class) || finalText(class) || timeClass(class)
}

// finalText reports whether a class of the JDK that is shown as text is final.
func finalText(class string) bool {
	return jdk.Final(class) && !timeClass(class) && class != classUUID || class == "java.net.Inet4Address" || class == "java.net.Inet6Address"
}

// textID returns how Jackson names the class of a text: some by their superclass.
func (r *Rules) textID(class string) string {
	switch class {
	case "sun.util.calendar.ZoneInfo", "java.util.SimpleTimeZone":
		return "java.util.TimeZone"
	case "java.net.Inet4Address", "java.net.Inet6Address":
		return "java.net.InetAddress"
	case "java.time.ZoneRegion":
		if !r.Release.Before(option.Release{3, 13, 3}) { // Jackson 2.11
			return "java.time.ZoneId"
		}
	}
	return class
}

// bareArray reports whether an array of this class is written without it where the
// array type is declared, and at the root: those whose innermost elements are
// primitive or of a final class.
func (r *Rules) bareArray(class string, beans map[string]*bean) bool {
	if !descriptor(class) {
		return false
	}
	elem := strings.TrimLeft(class, "[")
	if len(elem) == 1 {
		return true
	}
	elem = elem[1 : len(elem)-1]
	if b := beans[elem]; b != nil {
		return b.final
	}
	return r.final(elem) || elem == classUUID
}
