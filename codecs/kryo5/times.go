package kryo5

import (
	"github.com/duequeue/duequeue/codecs/internal/javatime"
	"github.com/duequeue/duequeue/codecs/java"
)

func (d *decoder) nanos() (int32, error) {
	start := d.at
	v, err := d.uv32()
	if err == nil && v > javatime.MaxNanos {
		err = d.fault(start, "%d nanoseconds are more than a second", v)
	}
	return int32(v), err
}

func (d *decoder) instant() (java.Instant, error) {
	start := d.at
	v, err := d.uv64()
	if err != nil {
		return java.Instant{}, err
	}
	if !javatime.ValidInstant(int64(v), 0) {
		return java.Instant{}, d.fault(start, "%d seconds are beyond java.time.Instant", int64(v))
	}
	nanos, err := d.nanos()
	return java.Instant{Seconds: int64(v), Nanos: nanos}, err
}

func (d *decoder) duration() (java.Duration, error) {
	v, err := d.fixed64()
	if err != nil {
		return java.Duration{}, err
	}
	nanos, err := d.nanos()
	return java.Duration{Seconds: int64(v), Nanos: nanos}, err
}

func (d *decoder) localDate() (java.LocalDate, error) {
	start := d.at
	year, err := d.uv32()
	if err != nil {
		return java.LocalDate{}, err
	}
	b, err := d.fixed(2)
	if err != nil {
		return java.LocalDate{}, err
	}
	date := java.LocalDate{Year: int32(year), Month: b[0], Day: b[1]}
	if !javatime.ValidDate(date) {
		return java.LocalDate{}, d.fault(start, "%s is no date", date)
	}
	return date, nil
}

// localTime reads hour, minute and second, cut after the last part that is not
// zero: that one is inverted.
func (d *decoder) localTime() (java.LocalTime, error) {
	start := d.at
	var parts [3]uint8
	var nano int32
	for i := range parts {
		b, err := d.byte()
		if err != nil {
			return java.LocalTime{}, err
		}
		if int8(b) < 0 {
			parts[i] = ^b
			if i > 0 && parts[i] == 0 {
				return java.LocalTime{}, d.fault(start, "a time ends in a part that is zero")
			}
			return d.checkTime(start, parts, 0)
		}
		parts[i] = b
	}
	nano, err := d.nanos()
	if err == nil && nano == 0 {
		err = d.fault(start, "a time ends in a part that is zero")
	}
	if err != nil {
		return java.LocalTime{}, err
	}
	return d.checkTime(start, parts, nano)
}

func (d *decoder) checkTime(start int, parts [3]uint8, nano int32) (java.LocalTime, error) {
	t := java.LocalTime{Hour: parts[0], Minute: parts[1], Second: parts[2], Nano: nano}
	if !javatime.ValidTime(t) {
		return java.LocalTime{}, d.fault(start, "%s is no time of day", t)
	}
	return t, nil
}

func (d *decoder) localDateTime() (java.LocalDateTime, error) {
	date, err := d.localDate()
	if err != nil {
		return java.LocalDateTime{}, err
	}
	t, err := d.localTime()
	return java.LocalDateTime{Date: date, Time: t}, err
}

func appendLocalDate(dst []byte, d java.LocalDate) []byte {
	return append(appendUV32(dst, uint32(d.Year)), d.Month, d.Day)
}

func appendLocalTime(dst []byte, t java.LocalTime) []byte {
	switch {
	case t.Nano != 0:
		return appendUV32(append(dst, t.Hour, t.Minute, t.Second), uint32(t.Nano))
	case t.Second != 0:
		return append(dst, t.Hour, t.Minute, ^t.Second)
	case t.Minute != 0:
		return append(dst, t.Hour, ^t.Minute)
	}
	return append(dst, ^t.Hour)
}
