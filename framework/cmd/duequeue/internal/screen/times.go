package screen

import (
	"fmt"
	"time"

	"github.com/duequeue/duequeue/framework/internal/words"
)

// Clock shows times: in the zone of the machine, or in UTC.
type Clock struct{ UTC bool }

// Zone names the zone, for the header of a column. Where it has changed between summer and
// winter, each time still is what the clock on the wall showed.
func (c Clock) Zone() string {
	if c.UTC {
		return "UTC"
	}
	name, _ := time.Now().Zone()
	return name
}

// At shows a time to the second, "-" where it is unknown.
func (c Clock) At(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(c.location()).Format("2006-01-02 15:04:05")
}

func (c Clock) location() *time.Location {
	if c.UTC {
		return time.UTC
	}
	return time.Local
}

// Lag is a duration that may be a lower bound.
func Lag(d time.Duration, atLeast bool) string {
	if atLeast {
		return ">=" + words.Span(d)
	}
	return words.Span(d)
}

// Age is how long ago a time was, "-" where it is unknown.
func Age(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return words.Span(now.Sub(t))
}

// Due says when something is due, in words: "in 58 min", "6 min ago".
func Due(t, now time.Time) string {
	switch d := t.Sub(now); {
	case t.IsZero():
		return "never"
	case d < 0:
		return words.Span(-d) + " ago"
	default:
		return "in " + words.Span(d)
	}
}

// Count says how many there are of something.
func Count[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Verb chooses the word for one or for several.
func Verb[N int | int64](n N, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
