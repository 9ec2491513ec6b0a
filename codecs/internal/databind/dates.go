package databind

import (
	"fmt"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// dateText returns a java.util.Date as Jackson's StdDateFormat does, in UTC:
// 2023-11-14T22:13:20.123 and the zone. It counts by the calendar that Java uses
// for dates, which is Julian before 15 October 1582.
func dateText(millis int64, zone string) string {
	year, month, day := javaCalendar(millis)
	at := time.UnixMilli(millis).UTC()
	sign := ""
	switch {
	case year > 9999, year == 0:
		sign = "+"
	case year < 0:
		sign, year = "-", -year
	}
	return fmt.Sprintf("%s%04d-%02d-%02dT%02d:%02d:%02d.%03d%s",
		sign, year, month, day, at.Hour(), at.Minute(), at.Second(), at.Nanosecond()/1e6, zone)
}

// maxDays is how many days an int64 of milliseconds holds, before and after 1970.
const maxDays = 106751991168

// gregorianStart is 15 October 1582 in milliseconds since 1970.
const gregorianStart = -12219292800000

// javaCalendar returns the date of java.util.GregorianCalendar in UTC. The year
// before 1 is 0.
func javaCalendar(millis int64) (year, month, day int) {
	at := time.UnixMilli(millis).UTC()
	if millis >= gregorianStart {
		return at.Year(), int(at.Month()), at.Day()
	}
	return julian(floorDiv(millis, 86400000))
}

// julian returns the Julian date of a day counted from 1970-01-01 (Gregorian), by
// the method of Richards.
func julian(days int64) (year, month, day int) {
	const epoch = 2440588 // Julian day number of 1970-01-01
	f := days + epoch + 1401
	e := 4*f + 3
	g := floorMod(e, 1461) / 4
	h := 5*g + 2
	day = int(h%153/5) + 1
	month = int((h/153+2)%12) + 1
	year = int(floorDiv(e, 1461)) - 4716 + (12+2-month)/12
	return year, month, day
}

// julianDays is the reverse of julian.
func julianDays(year, month, day int64) int64 {
	a := (14 - month) / 12
	y, m := year+4800-a, month+12*a-3
	return day + (153*m+2)/5 + 365*y + floorDiv(y, 4) - 32083 - 2440588
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - b*floorDiv(a, b) }

// parseDate reads a date as Jackson reads one for java.util.Date: ISO 8601 with a
// date alone, or date and time with or without fraction and zone (UTC where there is
// none).
func parseDate(s string) (millis int64, ok bool) {
	date, rest, timed := strings.Cut(strings.TrimSpace(s), "T")
	year, month, day, ok := jdk.DateFields(date)
	if !ok {
		return 0, false
	}
	var clock jdk.Value
	var zone int64
	if timed {
		if clock, rest, ok = jdk.ParseClock(rest); !ok {
			return 0, false
		}
		if zone, ok = looseOffset(rest); !ok {
			return 0, false
		}
	}
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	days := time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC).Unix() / 86400
	if days < gregorianStart/86400000 {
		days = julianDays(year, month, day)
	}
	if days > maxDays || days < -maxDays {
		return 0, false
	}
	seconds := int64(clock.Hour)*3600 + int64(clock.Minute)*60 + int64(clock.Second) - zone
	millis = (days*86400+seconds)*1000 + int64(clock.Nanos)/1e6
	return millis, days <= -maxDays && millis < 0 || days >= maxDays && millis > 0 || days > -maxDays && days < maxDays
}

// looseOffset reads the zone of a date: nothing, Z, +01, +0100 or +01:00.
func looseOffset(s string) (seconds int64, ok bool) {
	if s == "" || s == "Z" {
		return 0, true
	}
	sign := s[0]
	if sign != '+' && sign != '-' {
		return 0, false
	}
	plain := strings.Replace(s[1:], ":", "", 1)
	if len(plain) == 2 {
		plain += "00"
	}
	if len(plain) != 4 {
		return 0, false
	}
	n, ok := jdk.Digits(plain)
	if !ok || n/100 > 18 || n%100 > 59 {
		return 0, false
	}
	seconds = n/100*3600 + n%100*60
	if sign == '-' {
		seconds = -seconds
	}
	return seconds, true
}
