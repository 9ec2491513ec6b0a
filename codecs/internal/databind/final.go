package databind

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// final reports whether values of a class are bare where it is declared: Jackson
// names no class that has no subclasses. Redisson's mapper of Jackson 2 excepts
// Long, and since 4.2.0 UUID.
func (r *Rules) final(class string) bool {
	switch class {
	case classJavaLong:
		return r.Jackson == 3
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
