package javatime

import "github.com/duequeue/duequeue/codecs/java"

// Class is the class in whose name streams of Java hold all of java.time.
const Class = "java.time.Ser"

// The types of java.time.Ser.
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

// InstantType is the first byte of an Instant.
const InstantType = serInstant

const zoneRegionClass = "java.time.ZoneRegion"

// Parts of an offset: quarters of an hour, or seconds behind a mark.
const (
	quarter   = 900
	oddOffset = 127
)

// Input is an ObjectInput of Java.
type Input interface {
	Byte() (byte, error)
	Int32() (int32, error)
	Int64() (int64, error)
	Text() (string, error) // what writeUTF wrote
	// At returns the place in the payload.
	At() int
	// Fault returns the error that what stands at a place is wrong.
	Fault(at int, format string, args ...any) error
}

// Read reads what java.time.Ser wrote.
func Read(in Input) (any, error) {
	r := reader{in: in}
	v := r.value()
	return v, r.err
}

// reader reads parts of java.time until the first error.
type reader struct {
	in  Input
	err error
}

func (r *reader) fail(at int, format string, args ...any) {
	if r.err == nil {
		r.err = r.in.Fault(at, format, args...)
	}
}

func next[T any](r *reader, read func() (T, error)) T {
	var zero T
	if r.err != nil {
		return zero
	}
	v, err := read()
	if err != nil {
		r.err = err
		return zero
	}
	return v
}

func (r *reader) byte() byte   { return next(r, r.in.Byte) }
func (r *reader) int32() int32 { return next(r, r.in.Int32) }
func (r *reader) int64() int64 { return next(r, r.in.Int64) }
func (r *reader) text() string { return next(r, r.in.Text) }

func (r *reader) value() any {
	start := r.in.At()
	switch kind := r.byte(); kind {
	case serDuration:
		return java.Duration{Seconds: r.int64(), Nanos: r.nanos()}
	case serInstant:
		return r.instant()
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
		return java.YearMonth{Year: r.year(), Month: r.small("month", 1, 12)}
	case serMonthDay:
		return r.monthDay()
	case serPeriod:
		return java.Period{Years: r.int32(), Months: r.int32(), Days: r.int32()}
	default:
		r.fail(start, "java.time has no type %d", kind)
		return nil
	}
}

func (r *reader) between(what string, least, most int32) int32 {
	start := r.in.At()
	v := r.int32()
	if v < least || v > most {
		r.fail(start, "%s %d is not between %d and %d", what, v, least, most)
	}
	return v
}

// small reads a part that takes one byte.
func (r *reader) small(what string, least, most uint8) uint8 {
	start := r.in.At()
	v := r.byte()
	if v < least || v > most {
		r.fail(start, "%s %d is not between %d and %d", what, int8(v), least, most)
	}
	return v
}

func (r *reader) nanos() int32 { return r.between("nanosecond", 0, MaxNanos) }
func (r *reader) year() int32  { return r.between("year", -MaxYear, MaxYear) }

func (r *reader) instant() java.Instant {
	start := r.in.At()
	v := java.Instant{Seconds: r.int64(), Nanos: r.nanos()}
	if v.Seconds < MinInstant || v.Seconds > MaxInstant {
		r.fail(start, "%d seconds are beyond java.time.Instant", v.Seconds)
	}
	return v
}

func (r *reader) date() java.LocalDate {
	start := r.in.At()
	v := java.LocalDate{Year: r.year(), Month: r.small("month", 1, 12), Day: r.small("day", 1, 31)}
	if r.err == nil && !ValidDate(v) {
		r.fail(start, "month %d of year %d has no day %d", v.Month, v.Year, v.Day)
	}
	return v
}

func (r *reader) monthDay() java.MonthDay {
	start := r.in.At()
	v := java.MonthDay{Month: r.small("month", 1, 12), Day: r.small("day", 1, 31)}
	if r.err == nil && !ValidMonthDay(v) {
		r.fail(start, "month %d has no day %d", v.Month, v.Day)
	}
	return v
}

// time reads hour, minute, second and nanosecond; the last part that is not zero
// is written with all bits turned, and ends the value.
func (r *reader) time() java.LocalTime {
	var v java.LocalTime
	for _, part := range [...]struct {
		to   *uint8
		most uint8
	}{{&v.Hour, 23}, {&v.Minute, 59}, {&v.Second, 59}} {
		start := r.in.At()
		b := r.byte()
		last := b >= 0x80
		if last {
			b = ^b
		}
		if b > part.most {
			r.fail(start, "%d is more than %d, in a time of day", b, part.most)
		}
		*part.to = b
		if last || r.err != nil {
			return v
		}
	}
	v.Nano = r.nanos()
	return v
}

func (r *reader) offset() java.ZoneOffset {
	start := r.in.At()
	b := int8(r.byte())
	seconds := int32(b) * quarter
	if b == oddOffset {
		seconds = r.int32()
	}
	if !ValidOffset(java.ZoneOffset(seconds)) {
		r.fail(start, "an offset of %d seconds is more than 18 hours", seconds)
	}
	return java.ZoneOffset(seconds)
}

func (r *reader) zoned() java.ZonedDateTime {
	v := java.ZonedDateTime{Date: r.date(), Time: r.time(), Offset: r.offset(), HasOffset: true}
	start := r.in.At()
	switch kind := r.byte(); kind {
	case serZoneRegion:
		v.Zone = r.text()
	case serZoneOffset:
		v.Zone = r.offset().String()
	default:
		r.fail(start, "%d is no kind of time zone", kind)
	}
	return v
}
