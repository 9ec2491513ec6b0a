package java

import (
	"math/big"
	"math/bits"
	"strings"
)

// hashRest is [HashCode] of the values that are seldom keys.
func hashRest(v any) (int32, bool) {
	switch v := v.(type) {
	case *big.Int:
		if v == nil {
			return 0, true
		}
		return bigHash(v), true
	case BigDecimal:
		if v.Unscaled == nil {
			return v.Scale, true
		}
		return 31*bigHash(v.Unscaled) + v.Scale, true
	case UUID:
		most, least := v.Longs()
		return hash64(uint64(most ^ least)), true
	case Text:
		if v.Class == "java.time.ZoneRegion" || strings.HasPrefix(v.Class, "sun.nio.cs.") {
			return StringHash(v.Value), true
		}
	case *BitSet:
		if v != nil {
			return v.hashCode(), true
		}
	}
	return hashTime(v)
}

// hashTime is HashCode of dates and times.
func hashTime(v any) (int32, bool) {
	switch v := v.(type) {
	case Date:
		return hash64(uint64(v.Millis)), true
	case Instant:
		return hash64(uint64(v.Seconds)) + 51*v.Nanos, true
	case Duration:
		return hash64(uint64(v.Seconds)) + 51*v.Nanos, true
	case LocalDate:
		return v.hashCode(), true
	case LocalTime:
		return v.hashCode(), true
	case LocalDateTime:
		return v.Date.hashCode() ^ v.Time.hashCode(), true
	case ZoneOffset:
		return int32(v), true
	case OffsetTime:
		return v.Time.hashCode() ^ int32(v.Offset), true
	case OffsetDateTime:
		return v.Date.hashCode() ^ v.Time.hashCode() ^ int32(v.Offset), true
	case ZonedDateTime:
		return v.hashCode()
	case Year:
		return int32(v), true
	case YearMonth:
		return v.Year ^ int32(uint32(v.Month)<<27), true
	case MonthDay:
		return int32(v.Month)<<6 + int32(v.Day), true
	case Period:
		return v.Years + int32(bits.RotateLeft32(uint32(v.Months), 8)) + int32(bits.RotateLeft32(uint32(v.Days), 16)), true
	}
	return 0, false
}

func (d LocalDate) hashCode() int32 {
	return int32(uint32(d.Year)&0xfffff800) ^ (d.Year<<11 + int32(d.Month)<<6 + int32(d.Day))
}

func (t LocalTime) hashCode() int32 { return hash64(uint64(t.nanoOfDay())) }

func (t LocalTime) nanoOfDay() int64 {
	return (int64(t.Hour)*3600+int64(t.Minute)*60+int64(t.Second))*1e9 + int64(t.Nano)
}

func (t ZonedDateTime) hashCode() (int32, bool) {
	zone, offset := StringHash(t.Zone), int32(t.Offset)
	if o, err := ParseZoneOffset(t.Zone); err == nil {
		zone, offset = int32(o), int32(o)
	} else if !t.HasOffset {
		return 0, false
	}
	return t.Date.hashCode() ^ t.Time.hashCode() ^ offset ^ int32(bits.RotateLeft32(uint32(zone), 3)), true
}

func (b *BitSet) hashCode() int32 {
	h := uint64(1234)
	for i, w := range b.Words {
		h ^= w * uint64(i+1)
	}
	return hash64(h)
}

// bigHash is BigInteger.hashCode: over the magnitude as ints, highest first.
func bigHash(n *big.Int) int32 {
	var h int32
	bytes := n.Bytes()
	for at := 0; at < len(bytes); {
		end := at + 4
		if at == 0 && len(bytes)%4 != 0 {
			end = len(bytes) % 4
		}
		var word uint32
		for _, b := range bytes[at:end] {
			word = word<<8 | uint32(b)
		}
		h, at = 31*h+int32(word), end
	}
	return h * int32(n.Sign())
}
