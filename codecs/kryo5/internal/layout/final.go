package layout

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

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
	if jdk.Primitives[class] != "" || finals[class] || jdk.Final(class) {
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
