package databind

import (
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/javatime"
	"github.com/duequeue/duequeue/codecs/java"
)

// parseTime returns the value of a class of java.time that is bare on the wire: a
// string, a whole number, a decimal, a list of those, or the bean that Jackson
// before 2.12 wrote. It understands the forms of all mappers, reports false for what
// is none of them, and for all other classes.
func parseTime(class string, bare any) (v any, ok bool) {
	switch b := bare.(type) {
	case string:
		return valid(parseTimeText(class, b))
	case []any:
		return valid(parseTimeNumbers(class, b))
	case *java.Object:
		return valid(parseTimeBean(class, b))
	case int32:
		if class == "java.time.Year" {
			return valid(java.Year(b), true)
		}
		return parseSeconds(class, java.BigDecimal{Unscaled: big.NewInt(int64(b))})
	case int64:
		return parseSeconds(class, java.BigDecimal{Unscaled: big.NewInt(b)})
	case java.BigDecimal:
		return parseSeconds(class, b)
	}
	return nil, false
}

func valid(v any, ok bool) (any, bool) { return v, ok && javatime.Valid(v) }

// timeClass reports whether a class is one that parseTime knows.
func timeClass(class string) bool {
	name, ok := strings.CutPrefix(class, "java.time.")
	if !ok {
		return false
	}
	switch name {
	case "LocalDate", "LocalTime", "LocalDateTime", "Instant", "Duration", "Period", "OffsetDateTime", "OffsetTime", "ZonedDateTime",
		"Year", "YearMonth", "MonthDay", "ZoneOffset":
		return true
	}
	return false
}

func parseTimeText(class, s string) (any, bool) {
	switch class {
	case "java.time.LocalDate":
		d, rest, ok := dateOf(s)
		return d, ok && rest == ""
	case "java.time.LocalTime":
		t, rest, ok := clockOf(s)
		return t, ok && rest == ""
	case "java.time.LocalDateTime":
		t, rest, ok := dateTimeOf(s)
		return t, ok && rest == ""
	case "java.time.Instant":
		t, rest, ok := dateTimeOf(s)
		if !ok || rest != "Z" {
			return nil, false
		}
		at := java.OffsetDateTime{Date: t.Date, Time: t.Time}.GoTime()
		return java.Instant{Seconds: at.Unix(), Nanos: int32(at.Nanosecond())}, true
	case "java.time.OffsetDateTime":
		t, rest, ok := dateTimeOf(s)
		offset, err := java.ParseZoneOffset(utc(rest))
		return java.OffsetDateTime{Date: t.Date, Time: t.Time, Offset: offset}, ok && err == nil
	case "java.time.ZonedDateTime":
		return parseZoned(s)
	case "java.time.OffsetTime":
		t, rest, ok := clockOf(s)
		offset, err := java.ParseZoneOffset(utc(rest))
		return java.OffsetTime{Time: t, Offset: offset}, ok && err == nil
	case "java.time.Duration":
		return parseDuration(s)
	case "java.time.Period":
		return parsePeriod(s)
	case "java.time.Year":
		n, ok := signed(s)
		return java.Year(n), ok && n == int64(int32(n))
	case "java.time.YearMonth":
		y, month, _, ok := dateFields(s + "-01")
		return java.YearMonth{Year: int32(y), Month: uint8(month)}, ok && y == int64(int32(y))
	case "java.time.MonthDay":
		_, month, day, ok := dateFields("2000" + strings.TrimPrefix(s, "-"))
		return java.MonthDay{Month: uint8(month), Day: uint8(day)}, ok && strings.HasPrefix(s, "--") && validDate(2000, month, day)
	case "java.time.ZoneOffset":
		offset, err := java.ParseZoneOffset(s)
		return offset, err == nil
	}
	return nil, false
}

func utc(zone string) string {
	if zone == "+00:00" {
		return "Z"
	}
	return zone
}

func parseZoned(s string) (any, bool) {
	t, rest, ok := dateTimeOf(s)
	rest, id, named := strings.Cut(rest, "[")
	offset, err := java.ParseZoneOffset(utc(rest))
	if !ok || err != nil || named && !strings.HasSuffix(id, "]") {
		return nil, false
	}
	zone := rest
	if named {
		zone = strings.TrimSuffix(id, "]")
	}
	return java.ZonedDateTime{Date: t.Date, Time: t.Time, Zone: zone, Offset: offset, HasOffset: true}, zone != ""
}

// maxInstantYear is the largest year of an Instant as text.
const maxInstantYear = 1_000_000_000

// dateOf reads a date at the head of s.
func dateOf(s string) (d java.LocalDate, rest string, ok bool) {
	date := s
	if at := strings.IndexByte(s, 'T'); at >= 0 {
		date, rest = s[:at], s[at:]
	}
	year, month, day, ok := dateFields(date)
	if !ok || !validDate(year, month, day) {
		return d, "", false
	}
	return java.LocalDate{Year: int32(year), Month: uint8(month), Day: uint8(day)}, rest, true
}

// validDate takes years of an Instant, which are some more than those of a LocalDate.
func validDate(year, month, day int64) bool {
	return year >= -maxInstantYear && year <= maxInstantYear && month >= 1 && month <= 12 && day >= 1 &&
		day <= int64(javatime.DaysOf(int32(year), uint8(month)))
}

// clockOf reads 03:04, 03:04:05 or 03:04:05.123456789 at the head of s.
func clockOf(s string) (t java.LocalTime, rest string, ok bool) {
	fields := [3]int64{}
	count := 0
	for count < 3 {
		if len(s) < 2 {
			return t, "", false
		}
		if fields[count], ok = digits(s[:2]); !ok {
			return t, "", false
		}
		s = s[2:]
		count++
		if count == 3 || !strings.HasPrefix(s, ":") {
			break
		}
		s = s[1:]
	}
	if count < 2 || fields[0] > 23 || fields[1] > 59 || fields[2] > 59 {
		return t, "", false
	}
	nanos := int64(0)
	if count == 3 && strings.HasPrefix(s, ".") {
		n := 1
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 1 || n > 10 {
			return t, "", false
		}
		nanos, _ = digits((s[1:n] + "00000000")[:9])
		s = s[n:]
	}
	return java.LocalTime{Hour: uint8(fields[0]), Minute: uint8(fields[1]), Second: uint8(fields[2]), Nano: int32(nanos)}, s, true
}

func dateTimeOf(s string) (t java.LocalDateTime, rest string, ok bool) {
	if t.Date, rest, ok = dateOf(s); !ok || rest == "" {
		return t, "", false
	}
	t.Time, rest, ok = clockOf(rest[1:])
	return t, rest, ok
}

// signed reads a whole number with an optional sign.
func signed(s string) (int64, bool) {
	plain := strings.TrimLeft(s, "+-")
	if len(s)-len(plain) > 1 {
		return 0, false
	}
	n, ok := digits(plain)
	if strings.HasPrefix(s, "-") {
		n = -n
	}
	return n, ok
}

// parseSeconds reads seconds with a fraction.
func parseSeconds(class string, d java.BigDecimal) (any, bool) {
	switch class {
	case "java.time.Instant", "java.time.Duration", "java.time.OffsetDateTime", "java.time.ZonedDateTime":
	default:
		return nil, false
	}
	seconds, nanos, ok := splitSeconds(d)
	if !ok {
		return nil, false
	}
	if class == "java.time.Duration" {
		return java.Duration{Seconds: seconds, Nanos: nanos}, true
	}
	if !javatime.ValidInstant(seconds, nanos) {
		return nil, false
	}
	at := java.OffsetDateTimeOf(time.Unix(seconds, int64(nanos)).UTC())
	switch class {
	case "java.time.OffsetDateTime":
		return at, true
	case "java.time.ZonedDateTime":
		return java.ZonedDateTime{Date: at.Date, Time: at.Time, Zone: "Z", HasOffset: true}, true
	}
	return java.Instant{Seconds: seconds, Nanos: nanos}, true
}

// splitSeconds returns whole seconds and 0…999,999,999 nanoseconds; digits beyond are
// cut off, as Jackson does.
func splitSeconds(d java.BigDecimal) (seconds int64, nanos int32, ok bool) {
	if d.Unscaled == nil {
		return 0, 0, true
	}
	if d.Scale < -18 || d.Scale > 400 || d.Unscaled.BitLen() > 4096 {
		return 0, 0, false
	}
	n := new(big.Int).Set(d.Unscaled)
	ten := big.NewInt(10)
	if shift := int64(9 - d.Scale); shift >= 0 {
		n.Mul(n, new(big.Int).Exp(ten, big.NewInt(shift), nil))
	} else {
		n.Quo(n, new(big.Int).Exp(ten, big.NewInt(-shift), nil))
	}
	whole, rest := new(big.Int).DivMod(n, big.NewInt(int64(time.Second)), new(big.Int))
	return whole.Int64(), int32(rest.Int64()), whole.IsInt64()
}

// parseTimeNumbers reads an array of numbers.
func parseTimeNumbers(class string, list []any) (any, bool) {
	zone := ""
	if class == "java.time.OffsetTime" && len(list) > 0 {
		zone, _ = list[len(list)-1].(string)
		list = list[:len(list)-1]
	}
	n := [7]int64{}
	if len(list) > len(n) {
		return nil, false
	}
	for i, e := range list {
		v, ok := e.(int32)
		if !ok {
			return nil, false
		}
		n[i] = int64(v)
	}
	switch class {
	case "java.time.LocalDate":
		d, ok := dateFrom(n[:3])
		return d, ok && len(list) == 3
	case "java.time.LocalTime":
		t, ok := clockFrom(n[:4])
		return t, ok && len(list) >= 2 && len(list) <= 4
	case "java.time.LocalDateTime":
		d, dated := dateFrom(n[:3])
		t, timed := clockFrom(n[3:])
		return java.LocalDateTime{Date: d, Time: t}, dated && timed && len(list) >= 5
	case "java.time.OffsetTime":
		t, ok := clockFrom(n[:4])
		offset, err := java.ParseZoneOffset(zone)
		return java.OffsetTime{Time: t, Offset: offset}, ok && err == nil && len(list) >= 2 && len(list) <= 4
	case "java.time.YearMonth":
		return java.YearMonth{Year: int32(n[0]), Month: uint8(n[1])}, len(list) == 2 && n[1] >= 1 && n[1] <= 12
	}
	return nil, false
}

func dateFrom(n []int64) (java.LocalDate, bool) {
	return java.LocalDate{Year: int32(n[0]), Month: uint8(n[1]), Day: uint8(n[2])}, validDate(n[0], n[1], n[2])
}

func clockFrom(n []int64) (java.LocalTime, bool) {
	ok := n[0] >= 0 && n[0] < 24 && n[1] >= 0 && n[1] < 60 && n[2] >= 0 && n[2] < 60 && n[3] >= 0 && n[3] < int64(time.Second)
	return java.LocalTime{Hour: uint8(n[0]), Minute: uint8(n[1]), Second: uint8(n[2]), Nano: int32(n[3])}, ok && n[3] <= math.MaxInt32
}
