package java

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
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

// parseLocale reads what Locale.toString writes: en_US, zh_TW_#Hant.
func parseLocale(s string) Locale {
	var l Locale
	s, special, _ := strings.Cut(s, "_#")
	parts := append(strings.SplitN(s, "_", 3), "", "")
	l.Language, l.Country, l.Variant = parts[0], parts[1], parts[2]
	if script, extensions, both := strings.Cut(special, "_"); both {
		l.Script, l.Extensions = script, extensions
	} else if len(special) == 4 {
		l.Script = special
	} else {
		l.Extensions = special
	}
	return l
}

// text returns the ISO 8601 of parts.
func text(p jdk.Value, parts []jdk.Part) string { return p.Text(parts, false) }

// String returns d in ISO 8601, for example 2024-02-29.
func (d LocalDate) String() string { return text(d.split(), dateParts) }

// String returns t in ISO 8601 with as many digits as needed, at least seconds.
func (t LocalTime) String() string { return text(t.split(), clockParts) }

// String returns d in ISO 8601, for example 2024-02-29T09:30:00.
func (d LocalDateTime) String() string { return text(d.split(), dateTimeParts) }

// String returns z as Java does: Z, +08:00, -03:30:15.
func (z ZoneOffset) String() string { return jdk.OffsetText(int32(z)) }

// ParseZoneOffset reads what [ZoneOffset.String] writes.
func ParseZoneOffset(s string) (ZoneOffset, error) {
	offset, ok := jdk.ParseOffset(s)
	if !ok {
		return 0, textFault{len(s), "zone offset"}
	}
	return ZoneOffset(offset), nil
}

// String returns t in ISO 8601, for example 09:30:00+08:00.
func (t OffsetTime) String() string { return text(t.split(), offsetTimeParts) }

// String returns t in ISO 8601, for example 2024-02-29T09:30:00+08:00.
func (t OffsetDateTime) String() string { return text(t.split(), offsetDateTimeParts) }

// String returns t as Java does, for example
// 2024-02-29T09:30:00+08:00[Asia/Shanghai], without the offset where it is unknown.
func (t ZonedDateTime) String() string {
	p := t.split()
	offset, fixed := jdk.ParseOffset(t.Zone)
	switch {
	case fixed:
		p.Offset = offset
		return p.Text(offsetDateTimeParts, false)
	case t.HasOffset:
		return p.Text(offsetDateTimeParts, false) + "[" + t.Zone + "]"
	}
	return p.Text(dateTimeParts, false) + "[" + t.Zone + "]"
}

// String returns y as a decimal number.
func (y Year) String() string { return strconv.Itoa(int(y)) }

// String returns y in ISO 8601, for example 2024-02.
func (y YearMonth) String() string { return text(y.split(), yearMonthParts) }

// String returns d as Java does, for example --02-29.
func (d MonthDay) String() string { return text(d.split(), monthDayParts) }

// String returns p in ISO 8601, for example P1Y2M3D; P0D where all are zero.
func (p Period) String() string {
	v := p.split()
	return jdk.PeriodText(&v)
}

// String returns d in ISO 8601 seconds, for example PT-1.5S.
func (d Duration) String() string {
	seconds, nanos, sign := d.Seconds, int64(d.Nanos), ""
	if seconds < 0 {
		sign = "-"
		if nanos > 0 {
			seconds, nanos = seconds+1, 1e9-nanos
		}
	}
	s := fmt.Sprintf("PT%s%d", sign, absolute(seconds))
	if nanos != 0 {
		s = strings.TrimRight(s+fmt.Sprintf(".%09d", nanos), "0")
	}
	return s + "S"
}

func absolute(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
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
