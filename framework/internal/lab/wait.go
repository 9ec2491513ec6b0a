package lab

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

const (
	stuck     = time.Minute // how long a wait goes on without progress
	pollEvery = 10 * time.Millisecond
)

// errEnded is why a wait ends when what it waits for cannot come any more.
var errEnded = errors.New("ended")

// Wait polls missing until it returns "". missing says in words what is still missing
// ("12 of 400 handled"). A change of its answer is progress: the test fails when the
// answer stays the same for a minute, however long the whole takes.
func Wait(tb testing.TB, missing func() string) {
	tb.Helper()
	if err := await(tb.Context().Done(), 2*time.Millisecond, missing); err != nil {
		tb.Fatalf("wait: %v", err)
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

// await is Wait outside of a test. It returns errEnded, wrapped, when ended is closed.
func await(ended <-chan struct{}, every time.Duration, missing func() string) error {
	last, since := missing(), time.Now()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for last != "" {
		select {
		case <-tick.C:
		case <-ended:
			return fmt.Errorf("%w, still: %s", errEnded, last)
		}
		if now := missing(); now != last {
			last, since = now, time.Now()
		} else if time.Since(since) > stuck {
			return fmt.Errorf("nothing moved for %v, still: %s", stuck, last)
		}
	}
	return nil
}
