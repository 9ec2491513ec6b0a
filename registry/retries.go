package registry

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// maxRetryRows bounds the table of [Retries].
const maxRetryRows = 100

// Retries tells for people when the attempts of a message that always fails at once
// begin by the schedule: a table with one line for each attempt, of the wait before it
// and of the time since the first one, each from the least to the most. It shows at most
// 100 attempts. A schedule whose delays do not grow with rnd is shown as if they did.
func Retries(s Schedule, attempts int) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	row := func(columns ...any) { _, _ = fmt.Fprintf(w, "%v\t%v\t%v\n", columns...) } // to memory
	row("attempt", "after", "since the first")
	row(1, "-", "-")
	var least, most time.Duration
	for n := 2; n <= min(attempts, maxRetryRows); n++ {
		lo, hi := clamped(s.Delay(n-1, 0)), clamped(s.Delay(n-1, almostOne))
		least, most = least+lo, most+hi
		row(n, span(lo, hi), span(least, most))
	}
	_ = w.Flush()
	if attempts > maxRetryRows {
		b.WriteString("and so on\n")
	}
	return b.String()
}

// almostOne is the largest random number that a schedule is given.
const almostOne = 1 - 1.0/(1<<53)

// span is a range of times as people read it.
func span(least, most time.Duration) string {
	lo, hi := brief(least), brief(most)
	if lo == hi {
		return lo
	}
	return lo + " to " + hi
}

// brief gives d in as many units as matter.
func brief(d time.Duration) string {
	unit := time.Minute
	switch {
	case d < time.Second:
		unit = time.Millisecond
	case d < time.Minute:
		unit = 100 * time.Millisecond
	case d < time.Hour:
		unit = time.Second
	}
	text := d.Round(unit).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
