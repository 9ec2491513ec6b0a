package layout

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// primitives maps the names of primitives to their letters in array names.
var primitives = map[string]string{
	"boolean": "Z", "byte": "B", "char": "C", "short": "S", "int": "I", "long": "J", "float": "F", "double": "D",
}

// finals are the final classes of the JDK whose values may stand in payloads, beside those that
// package jdk knows; the same from JDK 11 to 25. Its enums have no constants with bodies there.
var finals = set("java.lang.", `Boolean Byte Character$UnicodeBlock Character$UnicodeScript Double
Float Integer Long Module Short StackTraceElement String Thread$State Void
annotation.ElementType annotation.RetentionPolicy invoke.MethodType reflect.Constructor reflect.Field reflect.Method`,
	"java.math.", `MathContext RoundingMode`,
	"java.net.", `HttpCookie Inet4Address Inet6Address NetworkInterface PasswordAuthentication Proxy$Type
StandardProtocolFamily UnixDomainSocketAddress`,
	"java.nio.file.", `AccessMode FileVisitOption FileVisitResult LinkOption StandardCopyOption StandardOpenOption
attribute.AclEntry attribute.AclEntryFlag attribute.AclEntryPermission attribute.AclEntryType attribute.FileTime
attribute.PosixFilePermission`,
	"java.sql.", `ClientInfoStatus JDBCType PseudoColumnUsage RowIdLifetime`,
	"java.text.", `Bidi CompactNumberFormat Normalizer$Form NumberFormat$Style StringCharacterIterator`,
	"java.time.", `DayOfWeek Month ZoneRegion chrono.HijrahChronology chrono.HijrahDate
chrono.HijrahEra chrono.IsoChronology chrono.IsoEra chrono.JapaneseChronology chrono.JapaneseDate chrono.JapaneseEra
chrono.MinguoChronology chrono.MinguoDate chrono.MinguoEra chrono.ThaiBuddhistChronology chrono.ThaiBuddhistDate
chrono.ThaiBuddhistEra format.DateTimeFormatter format.DecimalStyle format.FormatStyle format.ResolverStyle
format.SignStyle format.TextStyle temporal.ChronoField temporal.ChronoUnit temporal.ValueRange temporal.WeekFields
zone.ZoneOffsetTransition zone.ZoneOffsetTransitionRule zone.ZoneOffsetTransitionRule$TimeDefinition zone.ZoneRules`,
	"java.util.", `Formatter$BigDecimalLayoutForm HexFormat Locale$Category Locale$FilteringMode
Locale$LanguageRange Optional OptionalDouble OptionalInt OptionalLong SplittableRandom StringJoiner
concurrent.TimeUnit stream.Collector$Characteristics zip.CRC32C`)

func set(prefixesAndNames ...string) map[string]bool {
	out := map[string]bool{}
	for i := 0; i < len(prefixesAndNames); i += 2 {
		for name := range strings.FieldsSeq(prefixesAndNames[i+1]) {
			out[prefixesAndNames[i]+name] = true
		}
	}
	return out
}

// Final reports whether Java's modifier final stands before class, given as
// Class.getName gives it. An array is as final as its innermost elements are.
// Enums are final unless a constant has a body, records always; a class of which
// nothing is known is not.
func Final(class string, find Finder) bool {
	if strings.HasPrefix(class, "[") {
		element := strings.TrimLeft(class, "[")
		if len(element) == 1 {
			return true
		}
		class = strings.TrimSuffix(strings.TrimPrefix(element, "L"), ";")
	}
	if primitives[class] != "" || finals[class] || jdk.Final(class) {
		return true
	}
	c := find(class)
	if c == nil {
		return false
	}
	switch c.Kind {
	case java.KindRecord:
		return true
	case java.KindEnum:
		for _, constant := range c.Constants {
			if constant.Body != "" {
				return false
			}
		}
		return true
	default:
		return c.Final
	}
}

// ArrayName returns the name of an array of class with dims dimensions, as
// Class.getName gives it: "[I", "[[Ljava.lang.String;".
func ArrayName(class string, dims int) string {
	switch letter := primitives[class]; {
	case dims == 0:
		return class
	case letter != "":
		return strings.Repeat("[", dims) + letter
	case strings.HasPrefix(class, "["):
		return strings.Repeat("[", dims) + class
	}
	return strings.Repeat("[", dims) + "L" + class + ";"
}

// maxDimensions is how many dimensions a Java array can have.
const maxDimensions = 255

// Component returns the class of the elements of an array class, and false for
// what is the name of none: "int" for "[I", "[I" for "[[I". The whole name is
// checked, so that the component of a component can be asked without care.
func Component(class string) (string, bool) {
	element := strings.TrimLeft(class, "[")
	dims := len(class) - len(element)
	if dims == 0 || dims > maxDimensions {
		return "", false
	}
	name, ok := elementName(element)
	if dims > 1 {
		return class[1:], ok
	}
	return name, ok
}

// elementName returns the name behind a descriptor that is not of an array.
func elementName(rest string) (string, bool) {
	if name, ok := strings.CutPrefix(rest, "L"); ok {
		name, ok = strings.CutSuffix(name, ";")
		return name, ok && name != "" && name[0] != '['
	}
	for name, letter := range primitives {
		if letter == rest {
			return name, true
		}
	}
	return "", false
}
