package script

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	t.Parallel()
	p := NewPace(1, 100, 1000)
	step := func(done int, server, elapsed time.Duration, want int) {
		t.Helper()
		p.Observe(Round{Done: done, Limited: done, ServerTime: server, Elapsed: elapsed})
		if p.Limit() != want {
			t.Errorf("limit %d, want %d", p.Limit(), want)
		}
	}
	const ms = time.Millisecond
	step(100, ms, 5*ms, 200)
	step(200, ms, 5*ms, 400)
	step(399, ms, 5*ms, 400) // not full: it says nothing
	step(400, 5*ms, 9*ms, 400)
	step(400, ms, 5*ms, 800)
	step(800, ms, 5*ms, 1000)
	step(1000, ms, 5*ms, 1000)
	step(1000, 11*ms, 15*ms, 500)
	// The server does not tell: the round trip counts, less the shortest seen.
	step(500, 0, 16*ms, 250)
	step(250, 0, 5*ms, 500)
	// It never tells, and the first one is slow: the work, or the way?
	p = NewPace(1, 100, 1000)
	step(100, 0, 200*ms, 1)
	step(1, 0, 7*ms, 2)
	step(2, 0, 8*ms, 4)
	step(4, 0, 15*ms, 4)
	step(4, 0, 30*ms, 2)
	step(0, 0, 5*ms, 2)
	step(2, 0, 8*ms, 2)
	// It is fast.
	p = NewPace(1, 100, 1000)
	step(100, 0, ms, 200)
	step(200, 0, ms, 400)
	p = NewPace(1, 100, 1000)
	for range 12 {
		p.Observe(Round{Done: 1, Limited: 1, ServerTime: 20 * ms})
	}
	if p.Limit() != 1 {
		t.Errorf("limit %d, want 1", p.Limit())
	}
}
