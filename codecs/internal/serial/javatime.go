package serial

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs/java"
)

// Types of java.time.Ser.
const (
	serDuration = iota + 1
	serInstant
	serLocalDate
	serLocalTime
	serLocalDateTime
	serZonedDateTime
	serZoneRegion
	serZoneOffset
	serOffsetTime
	serOffsetDateTime
	serYear
	serYearMonth
	serMonthDay
	serPeriod
)

const zoneRegionClass = "java.time.ZoneRegion"

// endTime reads the one block of a java.time.Ser.
func endTime(in *Instance, _ any) (any, error) {
	l := in.own()
	if len(l.Items) != 1 {
		return nil, errors.New("java.time.Ser is one block of bytes")
	}
	block, ok := l.Items[0].(java.Block)
	if !ok {
		return nil, errors.New("java.time.Ser is a block of bytes")
	}
	r := timeReader{in: block, flavor: in.Flavor}
	v := r.value()
	if r.err == nil && len(r.in) > 0 {
		r.err = errors.New("bytes follow the time")
	}
	return v, r.err
}

type timeReader struct {
	in     []byte
	flavor Flavor
	err    error
}

func (r *timeReader) take(n int) []byte {
	if len(r.in) < n {
		r.fail("the time is cut short")
	}
	if r.err != nil {
		return make([]byte, min(n, 8))
	}
	b := r.in[:n]
	r.in = r.in[n:]
	return b
}

func (r *timeReader) fail(reason string) {
	if r.err == nil {
		r.err = errors.New(reason)
	}
}

func (r *timeReader) int8() int8   { return int8(r.take(1)[0]) }
func (r *timeReader) int32() int32 { return int32(binary.BigEndian.Uint32(r.take(4))) }
func (r *timeReader) int64() int64 { return int64(binary.BigEndian.Uint64(r.take(8))) }

func (r *timeReader) nanos() int32 {
	n := r.int32()
	if n < 0 || n > 999_999_999 {
		r.fail("nanoseconds are not between 0 and 999,999,999")
	}
	return n
}

func (r *timeReader) value() any {
	switch kind := r.int8(); kind {
	case serDuration:
		return java.Duration{Seconds: r.int64(), Nanos: r.nanos()}
	case serInstant:
		return java.Instant{Seconds: r.int64(), Nanos: r.nanos()}
	case serLocalDate:
		return r.date()
	case serLocalTime:
		return r.time()
	case serLocalDateTime:
		return java.LocalDateTime{Date: r.date(), Time: r.time()}
	case serZonedDateTime:
		return r.zoned()
	case serZoneRegion:
		return java.Text{Class: zoneRegionClass, Value: r.text()}
	case serZoneOffset:
		return r.offset()
	case serOffsetTime:
		return java.OffsetTime{Time: r.time(), Offset: r.offset()}
	case serOffsetDateTime:
		return java.OffsetDateTime{Date: r.date(), Time: r.time(), Offset: r.offset()}
	case serYear:
		return java.Year(r.year())
	case serYearMonth:
		return java.YearMonth{Year: r.year(), Month: r.month()}
	case serMonthDay:
		return java.MonthDay{Month: r.month(), Day: r.day()}
	case serPeriod:
		return java.Period{Years: r.int32(), Months: r.int32(), Days: r.int32()}
	default:
		r.fail(fmt.Sprintf("unknown type %d of java.time.Ser", kind))
		return nil
	}
}

func (r *timeReader) year() int32 {
	y := r.int32()
	if y < -999_999_999 || y > 999_999_999 {
		r.fail("the year is out of range")
	}
	return y
}

func (r *timeReader) month() uint8 { return r.number(1, 12, "month") }
func (r *timeReader) day() uint8   { return r.number(1, 31, "day") }

func (r *timeReader) number(low, high int8, what string) uint8 {
	n := r.int8()
	if n < low || n > high {
		r.fail(fmt.Sprintf("%s %d is out of range", what, n))
	}
	return uint8(n)
}

func (r *timeReader) date() java.LocalDate {
	d := java.LocalDate{Year: r.year(), Month: r.month(), Day: r.day()}
	if r.err == nil && d.Day > daysOf(d.Year, d.Month) {
		r.fail(fmt.Sprintf("day %d is out of range", d.Day))
	}
	return d
}

func daysOf(year int32, month uint8) uint8 {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// time reads hour, minute, second and nano; the last one that is not zero has
// its bits inverted, the rest is left out.
func (r *timeReader) time() java.LocalTime {
	var t java.LocalTime
	for i, part := range []struct {
		dst  *uint8
		high int8
	}{{&t.Hour, 23}, {&t.Minute, 59}, {&t.Second, 59}} {
		n := r.int8()
		last := n < 0
		if last {
			n = ^n
		}
		if n > part.high {
			r.fail(fmt.Sprintf("part %d of the time is out of range", i+1))
		}
		if *part.dst = uint8(n); last {
			return t
		}
	}
	t.Nano = r.nanos()
	return t
}

func (r *timeReader) offset() java.ZoneOffset {
	n := r.int8()
	seconds := int32(n) * 900
	if n == 127 {
		seconds = r.int32()
	}
	if seconds < -64800 || seconds > 64800 {
		r.fail("the offset is out of range")
	}
	return java.ZoneOffset(seconds)
}

func (r *timeReader) zoned() any {
	z := java.ZonedDateTime{Date: r.date(), Time: r.time(), Offset: r.offset(), HasOffset: true}
	switch kind := r.int8(); kind {
	case serZoneRegion:
		z.Zone = r.text()
	case serZoneOffset:
		z.Zone = offsetID(r.offset())
	default:
		r.fail(fmt.Sprintf("type %d is no time zone", kind))
	}
	return z
}

// text reads what writeUTF wrote.
func (r *timeReader) text() string {
	var b []byte
	if r.flavor == River {
		units := binary.BigEndian.Uint32(r.take(4))
		n := UnitsEnd(r.in, int(min(units, 1<<16)))
		if n < 0 {
			r.fail(errText.Error())
			return ""
		}
		b = r.take(n)
	} else {
		b = r.take(int(binary.BigEndian.Uint16(r.take(2))))
	}
	s, err := String(b)
	if err != nil {
		r.fail(err.Error())
	}
	return s
}
