package fst

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs/java"
)

// serClass stands for all of java.time; its type byte tells which class.
const serClass = "java.time.Ser"

// Bounds of java.time.
const (
	minInstant = -31557014167219200
	maxInstant = 31556889864403199
	maxYear    = 999_999_999
	maxOffset  = 18 * 3600
)

// times reads one class of java.time by its type.
var times = map[byte]func(t *timeReader) any{
	1: func(t *timeReader) any { return java.Duration{Seconds: t.int64(), Nanos: t.between(0, maxNanos)} },
	2: (*timeReader).instant,
	3: func(t *timeReader) any { return t.date() },
	4: func(t *timeReader) any { return t.time() },
	5: func(t *timeReader) any { return java.LocalDateTime{Date: t.date(), Time: t.time()} },
	6: (*timeReader).zoned,
	7: func(t *timeReader) any { return java.Text{Class: "java.time.ZoneRegion", Value: t.text()} },
	8: func(t *timeReader) any { return t.offset() },
	9: func(t *timeReader) any { return java.OffsetTime{Time: t.time(), Offset: t.offset()} },
	10: func(t *timeReader) any {
		return java.OffsetDateTime{Date: t.date(), Time: t.time(), Offset: t.offset()}
	},
	11: func(t *timeReader) any { return java.Year(t.between(-maxYear, maxYear)) },
	12: func(t *timeReader) any {
		return java.YearMonth{Year: t.between(-maxYear, maxYear), Month: t.small(1, 12)}
	},
	13: func(t *timeReader) any { return java.MonthDay{Month: t.small(1, 12), Day: t.small(1, 31)} },
	14: func(t *timeReader) any {
		return java.Period{Years: t.int32(), Months: t.int32(), Days: t.int32()}
	},
}

// readTime reads an object of java.time.
func readTime(d *decoder, _ *class, at int) (any, error) {
	slot := d.reserve(at, nil)
	t := &timeReader{d: d}
	v := t.read()
	if t.err != nil {
		return nil, t.err
	}
	d.complete(slot, v)
	return v, nil
}

// timeReader reads parts of java.time until the first error.
type timeReader struct {
	d   *decoder
	err error
}

func (t *timeReader) read() any {
	start := t.d.at
	kind := t.byte()
	read := times[kind]
	if read == nil {
		t.fail(start, "java.time has no type %d: another codec", kind)
		return nil
	}
	return read(t)
}

func (t *timeReader) fail(at int, format string, args ...any) {
	if t.err == nil {
		t.err = t.d.fault(at, format, args...)
	}
}

func next[T any](t *timeReader, read func() (T, error)) T {
	var zero T
	if t.err != nil {
		return zero
	}
	v, err := read()
	if err != nil {
		t.err = err
		return zero
	}
	return v
}

func (t *timeReader) byte() byte   { return next(t, t.d.byte) }
func (t *timeReader) int32() int32 { return next(t, t.d.int32) }
func (t *timeReader) int64() int64 { return next(t, t.d.int64) }
func (t *timeReader) text() string { return next(t, t.d.text) }

func (t *timeReader) between(least, most int32) int32 {
	start := t.d.at
	v := t.int32()
	if v < least || v > most {
		t.fail(start, "%d is not between %d and %d", v, least, most)
	}
	return v
}

// small reads a part that takes one byte.
func (t *timeReader) small(least, most uint8) uint8 {
	start := t.d.at
	v := t.byte()
	if v < least || v > most {
		t.fail(start, "%d is not between %d and %d", int8(v), least, most)
	}
	return v
}

func (t *timeReader) instant() any {
	start := t.d.at
	v := java.Instant{Seconds: t.int64(), Nanos: t.between(0, maxNanos)}
	if v.Seconds < minInstant || v.Seconds > maxInstant {
		t.fail(start, "%d seconds are beyond java.time.Instant", v.Seconds)
	}
	return v
}

func (t *timeReader) date() java.LocalDate {
	start := t.d.at
	v := java.LocalDate{Year: t.between(-maxYear, maxYear), Month: t.small(1, 12), Day: t.small(1, 31)}
	if t.err == nil && v.Day > daysOf(v.Year, v.Month) {
		t.fail(start, "month %d of year %d has no day %d", v.Month, v.Year, v.Day)
	}
	return v
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

// time reads hour, minute, second and nanosecond; the last part that is not zero
// is written with all bits turned, and ends the value.
func (t *timeReader) time() java.LocalTime {
	var v java.LocalTime
	for _, part := range []struct {
		to   *uint8
		most uint8
	}{{&v.Hour, 23}, {&v.Minute, 59}, {&v.Second, 59}} {
		start := t.d.at
		b := t.byte()
		last := b >= 0x80
		if last {
			b = ^b
		}
		if b > part.most {
			t.fail(start, "%d is more than %d, in a time of day", b, part.most)
		}
		*part.to = b
		if last || t.err != nil {
			return v
		}
	}
	v.Nano = t.between(0, maxNanos)
	return v
}

// offset reads quarters of an hour, or 127 and seconds.
func (t *timeReader) offset() java.ZoneOffset {
	start := t.d.at
	b := int8(t.byte())
	seconds := int32(b) * 900
	if b == 127 {
		seconds = t.int32()
	}
	if seconds < -maxOffset || seconds > maxOffset {
		t.fail(start, "an offset of %d seconds is more than 18 hours", seconds)
	}
	return java.ZoneOffset(seconds)
}

func (t *timeReader) zoned() any {
	v := java.ZonedDateTime{Date: t.date(), Time: t.time(), Offset: t.offset(), HasOffset: true}
	start := t.d.at
	switch kind := t.byte(); kind {
	case 7:
		v.Zone = t.text()
	case 8:
		v.Zone = offsetID(t.offset())
	default:
		t.fail(start, "%d is no kind of time zone", kind)
	}
	return v
}

// offsetID is ZoneOffset.getId.
func offsetID(o java.ZoneOffset) string {
	if o == 0 {
		return "Z"
	}
	sign := '+'
	if o < 0 {
		sign, o = '-', -o
	}
	id := fmt.Sprintf("%c%02d:%02d", sign, o/3600, o/60%60)
	if o%60 != 0 {
		id += fmt.Sprintf(":%02d", o%60)
	}
	return id
}

// timestamp puts together the whole seconds of a Date and the nanoseconds of a
// java.sql.Timestamp.
func timestamp(v java.Date, nanos int32) java.Date {
	seconds := v.Millis / 1000
	if v.Millis%1000 < 0 {
		seconds--
	}
	v.Millis, v.Nanos = seconds*1000+int64(nanos)/1_000_000, nanos%1_000_000
	return v
}
