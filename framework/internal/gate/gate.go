package gate

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/duequeue/duequeue/framework/internal/chance"
)

// Gate is the breaker, decode guard, rate limit and pause of one queue code.
// All methods are safe for concurrent use. Create it by New.
type Gate struct {
	code  string
	set   Settings
	hooks Hooks
	now   func() time.Time
	after func(time.Duration, func()) func() bool

	// lane is the current lane while messages flow freely, nil otherwise. With
	// streakLen and rowLen it makes the healthy path free of locks.
	lane      atomic.Pointer[lane]
	streakLen atomic.Int32
	rowLen    atomic.Int32
	successes atomic.Uint64
	failures  atomic.Uint64
	excluded  atomic.Uint64

	mu      sync.Mutex // order: mu before gobreaker's own
	cb      *gobreaker.TwoStepCircuitBreaker[struct{}]
	gen     uint64 // counts changes of the breaker's state
	breaker guard
	decode  guard
	streak  streak
	stopped bool
	bucket  *bucket     // nil where the rate is not limited
	limited atomic.Bool // bucket is set; without the lock
	paused  *Pause      // nil where it is not
	changed chan struct{}

	trips      uint64
	tripped    time.Time // last
	probeFails uint64
	lastErr    error
	lastErrAt  time.Time
	since      time.Time
	decodeSlot *probe // the decode guard's running probe
	guess      string
	pauseTurn  uint64 // of the last SetPause

	notices notices
}

// lane is a stretch of time in which messages flow freely. Permits of an ended
// lane may not start.
type lane struct{ gen uint64 }

// guard is one of the two reasons to stop, with its own backoff.
type guard struct {
	state  State
	until  time.Time
	rounds int         // failed rounds since it was last closed
	stop   func() bool // of the running timer
}

// New makes a closed gate for the queue with this code. It owns timers while
// it is open: call Close in the end.
func New(code string, s Settings, h Hooks) *Gate {
	g := &Gate{
		code: code, set: s.withDefaults(), hooks: h,
		now: h.Now, after: h.AfterFunc,
		streak: streak{}, changed: make(chan struct{}),
	}
	if g.now == nil || g.after == nil {
		g.now = time.Now
		g.after = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	g.since = g.now()
	g.bucket = newBucket(g.set.Rate, g.set.Burst)
	g.limited.Store(g.bucket != nil)
	// gobreaker counts and decides; time is ours: its Timeout is fixed for
	// life and its open → half-open happens only when somebody asks. So it gets
	// the shortest one, and is asked when our own timer fires.
	g.cb = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name:        code,
		MaxRequests: 1,
		Timeout:     1,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return int64(c.ConsecutiveFailures) >= int64(g.set.Failures)
		},
		IsExcluded: func(err error) bool { return errors.Is(err, errNoResult) },
		// Runs under gobreaker's mutex, inside a call of ours, so under mu:
		// it may only take a note.
		OnStateChange: func(_ string, _, to gobreaker.State) {
			g.gen++
			g.breaker.state = stateOf(to)
		},
	})
	g.lane.Store(&lane{gen: g.gen})
	return g
}

func stateOf(s gobreaker.State) State {
	switch s {
	case gobreaker.StateOpen:
		return Open
	case gobreaker.StateHalfOpen:
		return HalfOpen
	case gobreaker.StateClosed:
	}
	return Closed
}

// Acquire asks for permits for up to n messages: n while closed, one
// while half-open and no other probe runs, none while open; never more than the
// rate limit has tokens for.
// Take no more messages than permits were given; give back the surplus with
// Permits.Release before waiting for anything.
func (g *Gate) Acquire(n int) (Permits, Verdict) {
	if n <= 0 {
		g.mu.Lock()
		defer g.unlock()
		v := g.verdict()
		v.Changed = g.changed
		return Permits{}, v
	}
	if l := g.lane.Load(); l != nil && !g.limited.Load() {
		return Permits{n: n, lane: l}, Verdict{}
	}
	g.mu.Lock()
	defer g.unlock()
	return g.acquire(n)
}

func (g *Gate) acquire(n int) (Permits, Verdict) {
	v := g.verdict()
	if g.stopped || v.State == Open {
		return Permits{}, v
	}
	if g.decode.state == HalfOpen {
		if g.decodeSlot != nil {
			return Permits{}, v
		}
	}
	if v.State != Closed {
		n = 1 // a probe
	}
	wanted := n
	if n = g.draw(wanted); n == 0 {
		return Permits{}, g.refused(v, wanted)
	}
	if v.State == Closed {
		ps := Permits{n: n, lane: g.lane.Load(), drawn: g.bucket}
		if g.bucket != nil {
			ps.g = g // what is left over goes back
		}
		return ps, v
	}
	p, l := &probe{}, &lane{gen: g.gen}
	if g.breaker.state == HalfOpen {
		done, err := g.cb.Allow()
		if err != nil {
			g.refill(g.bucket, 1)
			return Permits{}, v
		}
		p.done = done
	}
	if g.decode.state == HalfOpen {
		p.decode, g.decodeSlot = true, p
	}
	p.stop = g.after(g.set.ProbeDeadline, func() { g.expire(p, l) })
	return Permits{n: 1, g: g, lane: l, probe: p, drawn: g.bucket}, v
}

// verdict tells how the gate stands. Caller holds mu.
func (g *Gate) verdict() Verdict {
	v := Verdict{State: max(g.breaker.state, g.decode.state), Changed: g.changed}
	switch {
	case g.stopped:
		return Verdict{State: Open, Reason: ReasonStopped, Changed: g.changed}
	case g.paused != nil:
		return Verdict{State: Open, Reason: ReasonPaused, Until: g.paused.Until, Detail: g.paused.Reason, Changed: g.changed}
	case g.decode.state == Open && g.breaker.state == Open:
		v.Reason, v.Until = ReasonBreaker, g.breaker.until
		if g.decode.until.After(v.Until) {
			v.Reason, v.Until, v.Detail = ReasonUndecodable, g.decode.until, g.guess
		}
	case g.decode.state == Open:
		v.Reason, v.Until, v.Detail = ReasonUndecodable, g.decode.until, g.guess
	case g.breaker.state == Open:
		v.Reason, v.Until = ReasonBreaker, g.breaker.until
	case g.decode.state == HalfOpen:
		v.Reason, v.Detail = ReasonUndecodable, g.guess
	case g.breaker.state == HalfOpen:
		v.Reason = ReasonProbing
	default:
		v.Changed = nil
	}
	return v
}

// Close stops the gate's timers, refuses further permits with ReasonStopped
// and wakes all waiters. Running messages may still report, and a hook that is
// running on another goroutine may outlive the call. It is idempotent.
func (g *Gate) Close() {
	g.mu.Lock()
	defer g.unlock()
	if g.stopped {
		return
	}
	g.stopped = true
	for _, gd := range []*guard{&g.breaker, &g.decode} {
		if gd.stop != nil {
			gd.stop()
		}
	}
	g.disarm()
	g.lane.Store(nil)
	g.broadcast()
}

// jitter spreads d by up to a fifth, never above the bound.
func (g *Gate) jitter(d time.Duration) time.Duration {
	spread := chance.Below(d/5 + 1)
	if d+spread > g.set.MaxOpenFor {
		return max(g.set.MaxOpenFor-spread, time.Millisecond)
	}
	return d + spread
}
