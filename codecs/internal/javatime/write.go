package javatime

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs/java"
)

// Append appends what java.time.Ser writes of v, with numbers as a DataOutput has them.
// What Java could not read back is an error. Text appends what writeUTF writes.
func Append(dst []byte, v any, text func(dst []byte, s string) ([]byte, error)) ([]byte, error) {
	if !Valid(v) {
		return dst, fmt.Errorf("its parts make no %s", java.ClassOf(v))
	}
	switch v := v.(type) {
	case java.Duration:
		return appendSeconds(dst, serDuration, v.Seconds, v.Nanos), nil
	case java.Instant:
		return appendSeconds(dst, serInstant, v.Seconds, v.Nanos), nil
	case java.LocalDate:
		return appendDate(append(dst, serLocalDate), v), nil
	case java.LocalTime:
		return appendTime(append(dst, serLocalTime), v), nil
	case java.LocalDateTime:
		return appendTime(appendDate(append(dst, serLocalDateTime), v.Date), v.Time), nil
	case java.ZonedDateTime:
		return appendZoned(dst, v, text)
	case java.Text:
		return text(append(dst, serZoneRegion), v.Value)
	case java.ZoneOffset:
		return appendOffset(append(dst, serZoneOffset), v), nil
	case java.OffsetTime:
		return appendOffset(appendTime(append(dst, serOffsetTime), v.Time), v.Offset), nil
	case java.OffsetDateTime:
		return appendOffset(appendTime(appendDate(append(dst, serOffsetDateTime), v.Date), v.Time), v.Offset), nil
	case java.Year:
		return appendInts(append(dst, serYear), int32(v)), nil
	case java.YearMonth:
		return append(appendInts(append(dst, serYearMonth), v.Year), v.Month), nil
	case java.MonthDay:
		return append(dst, serMonthDay, v.Month, v.Day), nil
	case java.Period:
		return appendInts(append(dst, serPeriod), v.Years, v.Months, v.Days), nil
	}
	return dst, fmt.Errorf("a %T is no time", v)
}

func appendInts(dst []byte, numbers ...int32) []byte {
	for _, n := range numbers {
		dst = binary.BigEndian.AppendUint32(dst, uint32(n))
	}
	return dst
}

func appendSeconds(dst []byte, kind byte, seconds int64, nanos int32) []byte {
	return appendInts(binary.BigEndian.AppendUint64(append(dst, kind), uint64(seconds)), nanos)
}

func appendDate(dst []byte, d java.LocalDate) []byte {
	return append(appendInts(dst, d.Year), d.Month, d.Day)
}

func appendTime(dst []byte, t java.LocalTime) []byte {
	switch {
	case t.Nano != 0:
		return appendInts(append(dst, t.Hour, t.Minute, t.Second), t.Nano)
	case t.Second != 0:
		return append(dst, t.Hour, t.Minute, ^t.Second)
	case t.Minute != 0:
		return append(dst, t.Hour, ^t.Minute)
	}
	return append(dst, ^t.Hour)
}

func appendOffset(dst []byte, o java.ZoneOffset) []byte {
	if o%quarter == 0 {
		return append(dst, byte(int8(o/quarter)))
	}
	return appendInts(append(dst, oddOffset), int32(o))
}

func appendZoned(dst []byte, z java.ZonedDateTime, text func(dst []byte, s string) ([]byte, error)) ([]byte, error) {
	offset, fixed := offsetOf(z.Zone)
	switch {
	case !fixed && (z.Zone[0] == '+' || z.Zone[0] == '-'):
		return dst, fmt.Errorf("%q is no id of a zone", z.Zone)
	case !z.HasOffset && fixed:
		z.Offset = offset
	case !z.HasOffset:
		return dst, errors.New("the offset of its zone at that time is not known, and the stream carries it: set Offset and HasOffset")
	}
	dst = appendOffset(appendTime(appendDate(append(dst, serZonedDateTime), z.Date), z.Time), z.Offset)
	if fixed {
		return appendOffset(append(dst, serZoneOffset), offset), nil
	}
	return text(append(dst, serZoneRegion), z.Zone)
}

// offsetOf returns the offset that the id of a zone is, false for those of regions.
func offsetOf(zone string) (java.ZoneOffset, bool) {
	if zone == "+00:00" || zone == "-00:00" { // as Java takes them, and never writes them
		return 0, true
	}
	offset, err := java.ParseZoneOffset(zone)
	return offset, err == nil
}
