package lab

import (
	"testing"
	"time"
)

// stuck is how long a wait goes on without progress.
const stuck = time.Minute

// Wait polls missing until it returns "". missing says in words what is still missing
// ("12 of 400 handled"). A change of its answer is progress: the test fails when the
// answer stays the same for a minute, however long the whole takes.
func Wait(tb testing.TB, missing func() string) {
	tb.Helper()
	last, since := missing(), time.Now()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for last != "" {
		select {
		case <-tick.C:
		case <-tb.Context().Done():
			tb.Fatalf("the test ended, still: %s", last)
		}
		now := missing()
		if now != last {
			last, since = now, time.Now()
		} else if time.Since(since) > stuck {
			tb.Fatalf("nothing moved for %v, still: %s", stuck, last)
		}
	}
}

// WaitFor polls done until it returns true. It fails the test after a minute: use
// [Wait] where the progress can be seen.
func WaitFor(tb testing.TB, what string, done func() bool) {
	tb.Helper()
	Wait(tb, func() string {
		if done() {
			return ""
		}
		return what
	})
}
