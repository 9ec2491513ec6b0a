package watch

import "time"

// clockBucket is how long one bucket of samples counts. Two clocks drift apart
// by 20 to 50 µs per second, so old samples soon mislead.
const clockBucket = 5 * time.Second

// clockStep is the difference, in µs, that drift alone does not explain.
const clockStep = 1000

// serverClock estimates the clock of Redis from replies that carry its TIME.
//
// A sample is "time of Redis in the reply" minus "local time at the send": the
// offset of the clocks plus the way there. The smallest recent one belongs to
// the quickest way, so that a call sent when the estimate says a due time is
// reached arrives no earlier than that due time. Not safe for concurrent use.
type serverClock struct {
	base    time.Time // local times are durations since base, which never step
	current clockSamples
	last    clockSamples
}

type clockSamples struct {
	since    time.Duration
	have     bool
	ahead    int64 // smallest sample in µs
	shortest time.Duration
	skew     time.Duration // local wall clock minus Redis, at the shortest round trip
}

func newServerClock() *serverClock { return &serverClock{base: time.Now()} }

// now returns the local time.
func (c *serverClock) now() time.Duration { return time.Since(c.base) }

// observe learns from a call that was sent at and took elapsed, answered with
// the time of Redis nowUs.
func (c *serverClock) observe(sent, elapsed time.Duration, nowUs int64) {
	// One less, because both are rounded down.
	sample := nowUs - sent.Microseconds() - 1
	if ahead, known := c.ahead(); known && sample-ahead > elapsed.Microseconds()+clockStep {
		// No way there can be longer than the whole call: the clock of Redis was
		// set forward, or another server answers since a failover.
		c.last, c.current = clockSamples{}, clockSamples{}
	}
	if c.current.have && sent-c.current.since > clockBucket {
		c.last, c.current = c.current, clockSamples{}
	}
	s := &c.current
	if !s.have {
		*s = clockSamples{since: sent, have: true, ahead: sample, shortest: elapsed + 1}
	}
	s.ahead = min(s.ahead, sample)
	if elapsed < s.shortest {
		s.shortest = elapsed
		middle := c.base.Add(sent + elapsed/2)
		s.skew = time.Duration(middle.UnixMicro()-nowUs) * time.Microsecond
	}
}

// ahead returns the estimate in µs; false before the first reply.
func (c *serverClock) ahead() (int64, bool) {
	if c.last.have && c.current.since-c.last.since <= 2*clockBucket {
		return min(c.current.ahead, c.last.ahead), true
	}
	return c.current.ahead, c.current.have
}

// at returns the local time at which a call has to be sent so that it arrives
// when Redis reads dueMs. Before the first reply that is at once.
func (c *serverClock) at(dueMs int64) time.Duration {
	ahead, known := c.ahead()
	if !known {
		return 0
	}
	return time.Duration(dueMs*1000-ahead) * time.Microsecond
}

// skew returns local clock minus Redis's.
func (c *serverClock) skew() time.Duration { return c.current.skew }
