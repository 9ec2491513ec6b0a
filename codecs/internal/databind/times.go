package databind

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/javatime"
	"github.com/duequeue/duequeue/codecs/java"
)

// timesForm is how a mapper writes java.time.
type timesForm uint8

const (
	// timesNone: the mapper has no module for java.time. From Jackson 2.12 on it
	// fails, older ones wrote the getters of each class as a bean, which they could
	// not read back.
	timesNone timesForm = iota
	// timesNumbers is JavaTimeModule of Jackson 2 as it comes: arrays of numbers,
	// seconds with a fraction.
	timesNumbers
	// timesText is the same module without WRITE_DATES_AS_TIMESTAMPS: ISO 8601,
	// but Durations stay numbers.
	timesText
	// times3 is Jackson 3: ISO 8601, but years and months are numbers.
	times3
)

// bareTime returns what a value of java.time is on the wire, without its class: a
// string, an int32, a decimal, or a list of those. It reports false for all other
// values.
func bareTime(v any, form timesForm) (bare any, ok bool) {
	switch v := v.(type) {
	case java.LocalDate:
		return numbersOr(form, v, dateParts(v)), true
	case java.LocalTime:
		return numbersOr(form, v, timeParts(nil, v)), true
	case java.LocalDateTime:
		return numbersOr(form, v, timeParts(dateParts(v.Date), v.Time)), true
	case java.OffsetTime:
		text := shortTime(v.Time) + v.Offset.String()
		return numbersOr(form, stringText(text), append(timeParts(nil, v.Time), v.Offset.String())), true
	case java.YearMonth:
		return numbersOr(form, stringText(yearMonthText(v)), []any{v.Year, int32(v.Month)}), true
	case java.Instant:
		if form == timesNumbers {
			return secondsOf(v.Seconds, v.Nanos), true
		}
		return instantText(v), true
	case java.OffsetDateTime:
		return zonedForm(v, form), true
	case java.ZonedDateTime:
		at, known := offsetDateTimeOf(v)
		if !known {
			return nil, false
		}
		return zonedForm(at, form), true
	case java.Duration:
		if form == times3 {
			return durationText(v), true
		}
		return secondsOf(v.Seconds, v.Nanos), true
	case java.Year:
		if form == timesText {
			return v.String(), true
		}
		return int32(v), true
	case java.MonthDay, java.Period, java.ZoneOffset:
		return v.(fmt.Stringer).String(), true
	}
	return nil, false
}

type stringText string

func (s stringText) String() string { return string(s) }

func numbersOr(form timesForm, text fmt.Stringer, numbers []any) any {
	if form == timesNumbers {
		return numbers
	}
	return text.String()
}

func dateParts(d java.LocalDate) []any { return []any{d.Year, int32(d.Month), int32(d.Day)} }

// timeParts appends hour and minute, and what of second and nanosecond is not zero.
func timeParts(out []any, t java.LocalTime) []any {
	out = append(out, int32(t.Hour), int32(t.Minute))
	if t.Second != 0 || t.Nano != 0 {
		out = append(out, int32(t.Second))
	}
	if t.Nano != 0 {
		out = append(out, t.Nano)
	}
	return out
}

func zonedForm(t java.OffsetDateTime, form timesForm) any {
	if form == timesNumbers {
		at := t.GoTime()
		return secondsOf(at.Unix(), int32(at.Nanosecond()))
	}
	return t.String()
}

// offsetDateTimeOf returns the offset that Jackson writes for a time in a zone; it
// writes no zone id. False where it is not known.
func offsetDateTimeOf(t java.ZonedDateTime) (java.OffsetDateTime, bool) {
	out := java.OffsetDateTime{Date: t.Date, Time: t.Time, Offset: t.Offset}
	if t.HasOffset {
		return out, true
	}
	offset, err := java.ParseZoneOffset(t.Zone)
	if out.Offset = offset; err == nil {
		return out, true
	}
	switch t.Zone {
	case "UTC", "GMT", "UT":
		return out, true
	}
	return out, false
}

// validTime reports whether Java has the value. As seconds, times with an offset are what
// an Instant can be, which has a year more at either end.
func validTime(v any, form timesForm) bool {
	at, ok := v.(java.OffsetDateTime)
	if zoned, is := v.(java.ZonedDateTime); is {
		at, ok = offsetDateTimeOf(zoned)
	}
	if !ok || form != timesNumbers {
		return javatime.Valid(v)
	}
	seconds := at.GoTime().Unix()
	at.Date.Year %= 400 // the calendar repeats
	return javatime.Valid(at) && javatime.ValidInstant(seconds, 0)
}

// secondsOf returns seconds with nine digits of fraction; Jackson gives 0 one.
func secondsOf(seconds int64, nanos int32) java.BigDecimal {
	if seconds == 0 && nanos == 0 {
		return java.BigDecimal{Scale: 1}
	}
	total := new(big.Int).Mul(big.NewInt(seconds), big.NewInt(int64(time.Second)))
	return java.BigDecimal{Unscaled: total.Add(total, big.NewInt(int64(nanos))), Scale: 9}
}

// instantText is Instant.toString: digits of the fraction come in threes.
func instantText(i java.Instant) string {
	at := i.Time()
	date := java.LocalDate{Year: int32(at.Year()), Month: uint8(at.Month()), Day: uint8(at.Day())}
	return date.String() + fmt.Sprintf("T%02d:%02d:%02d", at.Hour(), at.Minute(), at.Second()) + threes(i.Nanos) + "Z"
}

// shortTime is LocalTime.toString: no seconds where they are zero, the fraction in
// threes.
func shortTime(t java.LocalTime) string {
	s := fmt.Sprintf("%02d:%02d", t.Hour, t.Minute)
	if t.Second != 0 || t.Nano != 0 {
		s += fmt.Sprintf(":%02d", t.Second) + threes(t.Nano)
	}
	return s
}

func threes(nanos int32) string {
	if nanos == 0 {
		return ""
	}
	s := fmt.Sprintf(".%09d", nanos)
	for strings.HasSuffix(s, "000") {
		s = s[:len(s)-3]
	}
	return s
}

// yearMonthText is YearMonth.toString, which gives large years no sign.
func yearMonthText(y java.YearMonth) string {
	return strings.TrimPrefix(y.String(), "+")
}

// durationText is Duration.toString: PT24H, PT-4.5S.
func durationText(d java.Duration) string {
	seconds, nanos := d.Seconds, int64(d.Nanos)
	if seconds == 0 && nanos == 0 {
		return "PT0S"
	}
	if seconds < 0 && nanos > 0 {
		seconds++ // Java shows the fraction towards zero
	}
	hours, minutes, rest := seconds/3600, seconds%3600/60, seconds%60
	s := "PT"
	if hours != 0 {
		s += strconv.FormatInt(hours, 10) + "H"
	}
	if minutes != 0 {
		s += strconv.FormatInt(minutes, 10) + "M"
	}
	if rest == 0 && nanos == 0 && len(s) > len("PT") {
		return s
	}
	if d.Seconds < 0 && nanos > 0 {
		if rest == 0 {
			s += "-0"
		} else {
			s += strconv.FormatInt(rest, 10)
		}
		nanos = int64(time.Second) - nanos
	} else {
		s += strconv.FormatInt(rest, 10)
	}
	if nanos > 0 {
		s += strings.TrimRight(fmt.Sprintf(".%09d", nanos), "0")
	}
	return s + "S"
}
