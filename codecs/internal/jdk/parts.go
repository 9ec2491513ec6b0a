package jdk

import (
	"slices"
	"strconv"
	"time"
)

// Part is one thing that a class consists of.
type Part uint8

// The parts.
const (
	Date    Part = iota + 1 // year, month and day
	Clock                   // a time of day
	Year                    // of a calendar
	Month                   // from 1 to 12
	Day                     // of a month
	Offset                  // of a zone, in seconds
	Zone                    // the id of a zone
	Region                  // the same as java.time.Ser writes it, a type before it
	Epoch                   // seconds of an Instant
	Seconds                 // of a Duration
	Nanos                   // of a second
	Years                   // amounts, of any size
	Months
	Days
)

// Value has all that classes consist of; those that a class lacks are zero.
type Value struct {
	Year                             int32
	Month, Day, Hour, Minute, Second uint8
	HasOffset                        bool
	Nanos, Offset                    int32
	Years, Months, Days              int32
	Seconds                          int64
	Zone                             string
}

// Int returns the part that is an int in Java.
func (p *Value) Int(part Part) *int32 {
	switch part {
	case Year:
		return &p.Year
	case Offset:
		return &p.Offset
	case Years:
		return &p.Years
	case Months:
		return &p.Months
	case Days:
		return &p.Days
	default:
		return &p.Nanos
	}
}

// show returns a part for errors.
func (p *Value) show(part Part) string {
	switch part {
	case Zone:
		return strconv.Quote(p.Zone)
	case Epoch:
		return strconv.FormatInt(p.Seconds, 10)
	case Year, Nanos:
		return strconv.Itoa(int(*p.Int(part)))
	case Day:
		return p.Text([]Part{Month, Day}, false)
	default:
		return p.Text([]Part{part}, false)
	}
}

// Bounds of java.time.
const (
	MinInstant = -31557014167219200 // seconds of 1 January -1,000,000,000
	MaxInstant = 31556889864403199  // of the last of the year 1,000,000,000
	MaxYear    = 999_999_999
	MaxNanos   = 999_999_999
	MaxOffset  = 18 * 3600 // seconds

	leapYear = 2000
)

// Valid reports whether Java can make a value of java.time of these parts. It is true
// for values of all other types.
func Valid(v any) bool {
	t := Of(v)
	if t == nil || t.Split == nil {
		return true
	}
	p := t.Split(v)
	return t.Valid(&p)
}

// Valid reports whether Java can make a value of the class of these parts.
func (t *Type) Valid(p *Value) bool {
	for _, part := range t.Parts {
		if !p.valid(part) {
			return false
		}
	}
	return true
}

func (p *Value) valid(part Part) bool {
	switch part {
	case Date:
		return p.valid(Year) && p.valid(Month) && p.Day >= 1 && p.Day <= DaysOf(p.Year, p.Month)
	case Clock:
		return p.Hour < 24 && p.Minute < 60 && p.Second < 60 && ValidNanos(p.Nanos)
	case Year:
		return p.Year >= -MaxYear && p.Year <= MaxYear
	case Month:
		return p.Month >= 1 && p.Month <= 12
	case Day: // of no year
		return p.Day >= 1 && p.Day <= DaysOf(leapYear, p.Month)
	case Offset:
		return p.Offset >= -MaxOffset && p.Offset <= MaxOffset
	case Zone:
		return p.Zone != "" && (!p.HasOffset || p.valid(Offset))
	case Epoch:
		return ValidInstant(p.Seconds)
	case Nanos:
		return ValidNanos(p.Nanos)
	default:
		return true
	}
}

// ValidInstant reports whether an Instant has that many seconds.
func ValidInstant(seconds int64) bool { return seconds >= MinInstant && seconds <= MaxInstant }

// ValidNanos reports whether n nanoseconds are less than a second.
func ValidNanos(n int32) bool { return n >= 0 && n <= MaxNanos }

// DaysOf returns the days of a month from 1 to 12.
func DaysOf(year int32, month uint8) uint8 {
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

// SetDate sets year, month and day, and reports whether an Instant can have that date: it has
// some more years than a LocalDate.
func (p *Value) SetDate(year, month, day int64) bool {
	const most = MaxYear + 1
	if year < -most || year > most || month < 1 || month > 12 || day < 1 || day > int64(DaysOf(int32(year), uint8(month))) {
		return false
	}
	p.Year, p.Month, p.Day = int32(year), uint8(month), uint8(day)
	return true
}

// SetClock sets the time of day, and reports whether there is one.
func (p *Value) SetClock(hour, minute, second, nano int64) bool {
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || nano < 0 || nano > MaxNanos {
		return false
	}
	p.Hour, p.Minute, p.Second, p.Nanos = uint8(hour), uint8(minute), uint8(second), int32(nano)
	return true
}

// SetTime sets date, time of day and offset to what clocks in the zone of t show.
func (p *Value) SetTime(t time.Time) {
	_, offset := t.Zone()
	p.Year, p.Month, p.Day = int32(t.Year()), uint8(t.Month()), uint8(t.Day())
	p.Hour, p.Minute, p.Second, p.Nanos = uint8(t.Hour()), uint8(t.Minute()), uint8(t.Second()), int32(t.Nanosecond())
	p.Offset, p.HasOffset = int32(offset), true
}

// NanoOfDay returns the time of day in nanoseconds.
func (p *Value) NanoOfDay() int64 {
	return (int64(p.Hour)*3600+int64(p.Minute)*60+int64(p.Second))*1e9 + int64(p.Nanos)
}

// In returns the time at which clocks in a zone show date and time of day.
func (p *Value) In(zone *time.Location) time.Time {
	return time.Date(int(p.Year), time.Month(p.Month), int(p.Day), int(p.Hour), int(p.Minute), int(p.Second), int(p.Nanos), zone)
}

// GoTime returns the time in a zone of the offset, UTC for 0.
func (p *Value) GoTime() time.Time {
	if p.Offset == 0 {
		return p.In(time.UTC)
	}
	return p.In(time.FixedZone("", int(p.Offset)))
}

// Has reports whether the class has a part.
func (t *Type) Has(part Part) bool { return slices.Contains(t.Parts, part) }

// Unix returns the seconds and nanoseconds since 1970 of a value with a date, and those that
// others have.
func (t *Type) Unix(p *Value) (seconds int64, nanos int32) {
	if t.Has(Date) {
		return p.GoTime().Unix(), p.Nanos
	}
	return p.Seconds, p.Nanos
}

// FromUnix is the reverse of Unix, in UTC. It reports false beyond the bounds of an Instant.
func (t *Type) FromUnix(seconds int64, nanos int32) (p Value, ok bool) {
	p.Seconds, p.Nanos, p.Zone = seconds, nanos, "Z"
	if !t.Has(Date) && !t.Has(Epoch) {
		return p, true
	}
	if ok = ValidInstant(seconds); ok && t.Has(Date) {
		p.SetTime(time.Unix(seconds, int64(nanos)).UTC())
	}
	return p, ok
}
