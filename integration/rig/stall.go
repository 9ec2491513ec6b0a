package rig

import (
	"sync/atomic"
	"testing"
	"time"
)

// stallTick is how often [Stalls] looks at the clock.
const stallTick = 2 * time.Millisecond

// Stalls watches, until the test ends, how long this process is kept from running, and
// returns a function that tells the longest time since the last call. A busy machine
// shows as tens or hundreds of ms; a test adds a multiple of it to what it allows, so
// that a bound on speed judges the code and not the machine. Safe for concurrent use.
func Stalls(tb testing.TB) func() time.Duration {
	tb.Helper()
	var longest atomic.Int64
	tick := time.NewTicker(stallTick)
	done := make(chan struct{})
	tb.Cleanup(func() { close(done) })
	go func() {
		defer tick.Stop()
		for last := time.Now(); ; {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			now := time.Now()
			if late := now.Sub(last) - stallTick; late > time.Duration(longest.Load()) {
				longest.Store(int64(late))
			}
			last = now
		}
	}()
	return func() time.Duration { return time.Duration(longest.Swap(0)) }
}
