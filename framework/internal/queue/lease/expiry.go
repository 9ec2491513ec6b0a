package lease

import (
	"sync/atomic"
	"time"
)

// expiry is the end of a lease by two clocks, without a lock. One goroutine at a time
// sets it.
type expiry struct {
	epoch     time.Time    // what monotonic times are counted from
	monotonic atomic.Int64 // ns since epoch; 0 before the first renewal
	wall      atomic.Int64 // ns since 1970
}

func (e *expiry) set(until time.Time) {
	e.wall.Store(until.UnixNano())
	e.monotonic.Store(int64(until.Sub(e.epoch)))
}

// over reports whether the lease has ended by either clock.
func (e *expiry) over(now time.Time) bool {
	end := e.monotonic.Load()
	return end != 0 && (int64(now.Sub(e.epoch)) > end || now.UnixNano() > e.wall.Load())
}
