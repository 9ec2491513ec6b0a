package jdk

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Text returns parts in ISO 8601, with as many digits of a second as needed. Short is Java's
// toString: no seconds where they are zero, digits of the fraction in threes, and no sign
// before the large year of a YearMonth.
func (p *Value) Text(parts []Part, short bool) string {
	var b []byte
	for i, part := range parts {
		switch part {
		case Date:
			b = appendYear(b, p.Year, true)
			b = fmt.Appendf(b, "-%02d-%02d", p.Month, p.Day)
		case Clock:
			if i > 0 {
				b = append(b, 'T')
			}
			b = p.appendTime(b, short)
		case Year:
			b = appendYear(b, p.Year, !short)
		case Month:
			if i == 0 {
				b = append(b, '-')
			}
			b = fmt.Appendf(b, "-%02d", p.Month)
		case Day:
			b = fmt.Appendf(b, "-%02d", p.Day)
		case Offset:
			b = append(b, OffsetText(p.Offset)...)
		default:
		}
	}
	return string(b)
}

func appendYear(b []byte, y int32, plus bool) []byte {
	year := int64(y)
	switch {
	case year < 0:
		b, year = append(b, '-'), -year
	case year > 9999 && plus:
		b = append(b, '+')
	}
	return fmt.Appendf(b, "%04d", year)
}

func (p *Value) appendTime(b []byte, short bool) []byte {
	b = fmt.Appendf(b, "%02d:%02d", p.Hour, p.Minute)
	if short && p.Second == 0 && p.Nanos == 0 {
		return b
	}
	b = fmt.Appendf(b, ":%02d", p.Second)
	return appendFraction(b, p.Nanos, short)
}

// appendFraction appends nanoseconds without the zeros at the end, or without three of them at
// a time.
func appendFraction(b []byte, nanos int32, threes bool) []byte {
	if nanos == 0 {
		return b
	}
	end, step := "0", 1
	if threes {
		end, step = "000", 3
	}
	s := fmt.Sprintf(".%09d", nanos)
	for strings.HasSuffix(s, end) {
		s = s[:len(s)-step]
	}
	return append(b, s...)
}

// OffsetText returns an offset as Java does: Z, +08:00, -03:30:15.
func OffsetText(seconds int32) string {
	if seconds == 0 {
		return "Z"
	}
	sign, n := byte('+'), int64(seconds)
	if n < 0 {
		sign, n = '-', -n
	}
	s := fmt.Sprintf("%c%02d:%02d", sign, n/3600, n/60%60)
	if n%60 != 0 {
		s += fmt.Sprintf(":%02d", n%60)
	}
	return s
}

var offsetForm = regexp.MustCompile(`^([+-])(\d\d):([0-5]\d)(?::([0-5]\d))?$`)

// ParseOffset reads what [OffsetText] returns.
func ParseOffset(s string) (int32, bool) {
	m := offsetForm.FindStringSubmatch(s)
	if m == nil {
		return 0, s == "Z"
	}
	seconds := int32(0)
	for i, unit := range [...]int32{3600, 60, 1} {
		n, _ := strconv.ParseInt(m[i+2], 10, 32)
		seconds += int32(n) * unit
	}
	if m[1] == "-" {
		return -seconds, seconds > 0 && seconds <= MaxOffset
	}
	return seconds, seconds > 0 && seconds <= MaxOffset
}

// InstantText is Instant.toString.
func InstantText(p *Value) string {
	var at Value
	at.SetTime(time.Unix(p.Seconds, int64(p.Nanos)).UTC())
	b := []byte(at.Text([]Part{Date}, false))
	b = fmt.Appendf(b, "T%02d:%02d:%02d", at.Hour, at.Minute, at.Second)
	return string(append(appendFraction(b, p.Nanos, true), 'Z'))
}

// DurationText is Duration.toString: PT24H, PT-4.5S.
func DurationText(p *Value) string {
	seconds, nanos := p.Seconds, int64(p.Nanos)
	if seconds == 0 && nanos == 0 {
		return "PT0S"
	}
	if seconds < 0 && nanos > 0 {
		seconds++ // Java shows the fraction towards zero
	}
	b := []byte("PT")
	if hours := seconds / 3600; hours != 0 {
		b = append(strconv.AppendInt(b, hours, 10), 'H')
	}
	if minutes := seconds % 3600 / 60; minutes != 0 {
		b = append(strconv.AppendInt(b, minutes, 10), 'M')
	}
	rest := seconds % 60
	if rest == 0 && nanos == 0 && len(b) > len("PT") {
		return string(b)
	}
	if p.Seconds < 0 && nanos > 0 {
		if nanos = int64(time.Second) - nanos; rest == 0 {
			b = append(b, '-')
		}
	}
	b = strconv.AppendInt(b, rest, 10)
	return string(append(appendFraction(b, int32(nanos), false), 'S'))
}

// PeriodText is Period.toString: P1Y2M3D.
func PeriodText(p *Value) string {
	if p.Years == 0 && p.Months == 0 && p.Days == 0 {
		return "P0D"
	}
	b := []byte{'P'}
	for _, part := range [...]struct {
		n    int32
		unit byte
	}{{p.Years, 'Y'}, {p.Months, 'M'}, {p.Days, 'D'}} {
		if part.n != 0 {
			b = append(strconv.AppendInt(b, int64(part.n), 10), part.unit)
		}
	}
	return string(b)
}

// WriteText returns the text of a value of the class in Jackson's formats.
func (t *Type) WriteText(p *Value) string {
	if t.Write != nil {
		return t.Write(p)
	}
	return p.Text(t.Parts, false)
}
