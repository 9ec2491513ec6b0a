package framework_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
)

// errLate is returned by a play that needed more than its budget.
var errLate = errors.New("later than its budget allows")

// inBudgets plays something that has to end within a budget. A busy machine may be too
// slow for what is plenty on a quiet one: who is late plays again, with more. Code that
// uses up whatever it is given is late with every budget.
func inBudgets(t *testing.T, first time.Duration, play func(t *testing.T, budget time.Duration) error) {
	t.Helper()
	for _, budget := range []time.Duration{first, 4 * first, 16 * first} {
		err := play(t, budget)
		if err == nil {
			return
		}
		t.Logf("with a budget of %v: %v", budget, err)
		if !errors.Is(err, fault.ErrStopTime) && !errors.Is(err, errLate) {
			break
		}
	}
	t.Fail()
}

// stalls watches, until the test ends, how long this process is kept from running, and
// returns a function that tells the longest time since the last call.
func stalls(t *testing.T) func() time.Duration {
	t.Helper()
	const every = 2 * time.Millisecond
	var longest atomic.Int64
	tick, done := time.NewTicker(every), make(chan struct{})
	t.Cleanup(func() { close(done) })
	go func() {
		defer tick.Stop()
		for last := time.Now(); ; {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			now := time.Now()
			longest.Store(max(longest.Load(), int64(now.Sub(last)-every)))
			last = now
		}
	}()
	return func() time.Duration { return time.Duration(longest.Swap(0)) }
}
