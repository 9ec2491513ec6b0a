package java

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// String returns the text itself.
func (t Text) String() string { return t.Value }

// String returns the regular expression without its flags.
func (p Pattern) String() string { return p.Regex }

// String returns l as Java's toString does: zh_CN, zh_TW_#Hant, th_TH_TH_#u-nu-thai.
func (l Locale) String() string {
	if l.Language == "" && l.Country == "" {
		return l.Language
	}
	var b strings.Builder
	b.WriteString(l.Language)
	if l.Country != "" || l.Variant != "" || l.Script != "" || l.Extensions != "" {
		b.WriteString("_" + l.Country)
	}
	if l.Variant != "" || l.Script != "" || l.Extensions != "" {
		b.WriteString("_" + l.Variant)
	}
	switch {
	case l.Script != "":
		b.WriteString("_#" + l.Script)
	case l.Extensions != "":
		b.WriteString("_#" + l.Extensions)
	}
	if l.Script != "" && l.Extensions != "" {
		b.WriteString("_" + l.Extensions)
	}
	return strings.ReplaceAll(b.String(), "__#", "_#")
}

// String returns d in ISO 8601, for example 2024-02-29T09:30:00.
func (d LocalDateTime) String() string { return d.Date.String() + "T" + d.Time.String() }

// maxOffset is the largest offset of a zone: 18 hours.
const maxOffset = 18 * 3600

// String returns z as Java does: Z, +08:00, -03:30:15.
func (z ZoneOffset) String() string {
	if z == 0 {
		return "Z"
	}
	sign, n := byte('+'), int64(z)
	if n < 0 {
		sign, n = '-', -n
	}
	s := fmt.Sprintf("%c%02d:%02d", sign, n/3600, n/60%60)
	if n%60 != 0 {
		s += fmt.Sprintf(":%02d", n%60)
	}
	return s
}

// ParseZoneOffset reads what [ZoneOffset.String] writes.
func ParseZoneOffset(s string) (ZoneOffset, error) {
	if s == "Z" {
		return 0, nil
	}
	fault := textFault{len(s), "zone offset"}
	if len(s) != 6 && len(s) != 9 || s[0] != '+' && s[0] != '-' {
		return 0, fault
	}
	seconds := 0
	for i, unit := range [...]int{3600, 60, 1} {
		at := 3 * i
		if at >= len(s) {
			break
		}
		n, err := strconv.ParseUint(s[at+1:at+3], 10, 8)
		if err != nil || i > 0 && (s[at] != ':' || n > 59) {
			return 0, fault
		}
		seconds += int(n) * unit
	}
	if seconds > maxOffset || seconds == 0 {
		return 0, fault
	}
	if s[0] == '-' {
		seconds = -seconds
	}
	return ZoneOffset(seconds), nil
}

// String returns t in ISO 8601, for example 09:30:00+08:00.
func (t OffsetTime) String() string { return t.Time.String() + t.Offset.String() }

// String returns t in ISO 8601, for example 2024-02-29T09:30:00+08:00.
func (t OffsetDateTime) String() string {
	return t.Date.String() + "T" + t.Time.String() + t.Offset.String()
}

// String returns t as Java does, for example
// 2024-02-29T09:30:00+08:00[Asia/Shanghai], without the offset where it is unknown.
func (t ZonedDateTime) String() string {
	s := t.Date.String() + "T" + t.Time.String()
	if offset, err := ParseZoneOffset(t.Zone); err == nil {
		return s + offset.String()
	}
	if t.HasOffset {
		s += t.Offset.String()
	}
	return s + "[" + t.Zone + "]"
}

// String returns y as a decimal number.
func (y Year) String() string { return strconv.Itoa(int(y)) }

// String returns y in ISO 8601, for example 2024-02.
func (y YearMonth) String() string {
	s := LocalDate{Year: y.Year, Month: y.Month, Day: 1}.String()
	return s[:len(s)-len("-01")]
}

// String returns d as Java does, for example --02-29.
func (d MonthDay) String() string { return fmt.Sprintf("--%02d-%02d", d.Month, d.Day) }

// String returns p in ISO 8601, for example P1Y2M3D; P0D where all are zero.
func (p Period) String() string {
	if p == (Period{}) {
		return "P0D"
	}
	var b strings.Builder
	b.WriteByte('P')
	for _, part := range [...]struct {
		n    int32
		unit byte
	}{{p.Years, 'Y'}, {p.Months, 'M'}, {p.Days, 'D'}} {
		if part.n != 0 {
			b.WriteString(strconv.Itoa(int(part.n)))
			b.WriteByte(part.unit)
		}
	}
	return b.String()
}

// Get reports whether bit i is set. A nil BitSet has none.
func (b *BitSet) Get(i int) bool {
	return b != nil && i >= 0 && i/64 < len(b.Words) && b.Words[i/64]>>(i%64)&1 != 0
}

// Count returns the number of bits that are set.
func (b *BitSet) Count() int {
	n := 0
	if b != nil {
		for _, w := range b.Words {
			n += bits.OnesCount64(w)
		}
	}
	return n
}

// Time returns c as UTC time; its zone is an id that is not looked up.
func (c *Calendar) Time() time.Time {
	if c == nil {
		return time.Time{}
	}
	return time.UnixMilli(c.Millis).UTC()
}
