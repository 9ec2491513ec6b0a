package registry

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// maxRetryRows bounds the table of [Retries].
const maxRetryRows = 100

// Retries renders s as a table for people: one line per attempt with the wait before it and the
// total time since the first attempt, each as minimum to maximum, for a message that always fails
// at once. It shows at most 100 attempts, and assumes that delays grow with rnd.
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
