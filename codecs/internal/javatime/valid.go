// Package javatime is what all codecs know of java.time: which values Java has, and
// how java.time.Ser writes them to an ObjectOutput, whatever the output makes of bytes
// and numbers.
package javatime

import "github.com/duequeue/duequeue/codecs/java"

// Bounds of java.time.
const (
	MinInstant = -31557014167219200 // seconds of 1 January -1,000,000,000
	MaxInstant = 31556889864403199  // of the last of the year 1,000,000,000
	MaxYear    = 999_999_999
	MaxNanos   = 999_999_999
	MaxOffset  = 18 * 3600 // seconds
)

// Valid reports whether Java can make a value of java.time of these parts. It is true
// for values of all other types.
func Valid(v any) bool {
	switch v := v.(type) {
	case java.Instant:
		return ValidInstant(v.Seconds, v.Nanos)
	case java.Duration:
		return ValidNanos(v.Nanos)
	case java.LocalDate:
		return ValidDate(v)
	case java.LocalTime:
		return ValidTime(v)
	case java.LocalDateTime:
		return ValidDate(v.Date) && ValidTime(v.Time)
	case java.ZoneOffset:
		return ValidOffset(v)
	case java.OffsetTime:
		return ValidTime(v.Time) && ValidOffset(v.Offset)
	case java.OffsetDateTime:
		return ValidDate(v.Date) && ValidTime(v.Time) && ValidOffset(v.Offset)
	case java.ZonedDateTime:
		return ValidDate(v.Date) && ValidTime(v.Time) && v.Zone != "" && (!v.HasOffset || ValidOffset(v.Offset))
	case java.Year:
		return ValidYear(int32(v))
	case java.YearMonth:
		return ValidYear(v.Year) && v.Month >= 1 && v.Month <= 12
	case java.MonthDay:
		return ValidMonthDay(v)
	}
	return true
}

// ValidInstant reports whether an Instant has that many seconds.
func ValidInstant(seconds int64, nanos int32) bool {
	return seconds >= MinInstant && seconds <= MaxInstant && ValidNanos(nanos)
}

// ValidNanos reports whether n nanoseconds are less than a second.
func ValidNanos(n int32) bool { return n >= 0 && n <= MaxNanos }

// ValidYear reports whether y is a java.time.Year.
func ValidYear(y int32) bool { return y >= -MaxYear && y <= MaxYear }

// ValidDate reports whether the calendar has the day.
func ValidDate(d java.LocalDate) bool {
	return ValidYear(d.Year) && d.Month >= 1 && d.Month <= 12 && d.Day >= 1 && d.Day <= DaysOf(d.Year, d.Month)
}

// ValidMonthDay reports whether some year has the day.
func ValidMonthDay(d java.MonthDay) bool {
	return ValidDate(java.LocalDate{Year: leapYear, Month: d.Month, Day: d.Day})
}

const leapYear = 2000

// ValidTime reports whether t is a time of day.
func ValidTime(t java.LocalTime) bool {
	return t.Hour < 24 && t.Minute < 60 && t.Second < 60 && ValidNanos(t.Nano)
}

// ValidOffset reports whether an offset is one of a zone.
func ValidOffset(o java.ZoneOffset) bool { return o >= -MaxOffset && o <= MaxOffset }

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
