package java

import (
	"math"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// GoTime returns t as a Go time in a zone of that offset, UTC for 0.
func (t OffsetDateTime) GoTime() time.Time {
	p := t.split()
	return p.GoTime()
}

// OffsetDateTimeOf returns t with the offset of its zone.
func OffsetDateTimeOf(t time.Time) OffsetDateTime {
	var p jdk.Value
	p.SetTime(t)
	return offsetDateTimeFrom(&p)
}

// Std returns d as a Go duration, and whether it fits: about 292 years.
func (d Duration) Std() (time.Duration, bool) {
	const most = math.MaxInt64 / int64(time.Second)
	if d.Seconds > most || d.Seconds < -most-1 {
		return 0, false
	}
	whole := d.Seconds * int64(time.Second)
	if d.Seconds == -most-1 { // its nanoseconds may bring it back into range
		sum := (d.Seconds+1)*int64(time.Second) + (int64(d.Nanos) - int64(time.Second))
		return time.Duration(sum), sum < 0
	}
	sum := whole + int64(d.Nanos)
	return time.Duration(sum), d.Seconds < 0 || sum >= 0
}

// DurationOf returns d as Java keeps it: the nanoseconds are never negative.
func DurationOf(d time.Duration) Duration {
	seconds, nanos := int64(d/time.Second), int64(d%time.Second)
	if nanos < 0 {
		seconds, nanos = seconds-1, nanos+int64(time.Second)
	}
	return Duration{Seconds: seconds, Nanos: int32(nanos)}
}

// GoTime returns the time at which clocks in a zone show d. Of a time that they show twice
// it is one of both, and one that they skip is moved by what they skip, see [time.Date].
func (d LocalDateTime) GoTime(zone *time.Location) time.Time {
	p := d.split()
	return p.In(zone)
}

// LocalDateTimeOf returns what clocks in a zone show at t.
func LocalDateTimeOf(t time.Time, zone *time.Location) LocalDateTime {
	local := OffsetDateTimeOf(t.In(zone))
	return LocalDateTime{local.Date, local.Time}
}
