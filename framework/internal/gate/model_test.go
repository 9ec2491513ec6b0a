package gate

import (
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// manualClock is a clock that a property test moves by hand.
type manualClock struct {
	mu     sync.Mutex
	at     time.Time
	timers map[int]manualTimer
	next   int
}

type manualTimer struct {
	at time.Time
	f  func()
}

func newManualClock() *manualClock {
	return &manualClock{at: time.Unix(1_700_000_000, 0), timers: map[int]manualTimer{}}
}

func (c *manualClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *manualClock) after(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	id := c.next
	c.timers[id] = manualTimer{c.at.Add(d), f}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, ok := c.timers[id]
		delete(c.timers, id)
		return ok
	}
}

// advance moves the clock and fires what is due, in order.
func (c *manualClock) advance(d time.Duration) {
	end := c.now().Add(d)
	for {
		c.mu.Lock()
		first := 0
		for id, tm := range c.timers {
			if !tm.at.After(end) && (first == 0 || tm.at.Before(c.timers[first].at) || tm.at.Equal(c.timers[first].at) && id < first) {
				first = id
			}
		}
		if first == 0 {
			c.at = end
			c.mu.Unlock()
			return
		}
		tm := c.timers[first]
		delete(c.timers, first)
		if tm.at.After(c.at) {
			c.at = tm.at
		}
		c.mu.Unlock()
		tm.f()
	}
}

// TestPermitAccounting drives a gate at random and checks what must always hold:
// one probe at most, no start while open, a breaker that trips exactly when so many
// different messages failed one after another, and no way to wedge it.
func TestPermitAccounting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		clock := newManualClock()
		s := Settings{
			Failures:    rapid.IntRange(1, 4).Draw(t, "failures"),
			Undecodable: rapid.IntRange(1, 3).Draw(t, "undecodable"),
		}
		if rapid.Bool().Draw(t, "limited") {
			s.Rate = rapid.Float64Range(0.01, 50).Draw(t, "rate")
			s.Burst = rapid.IntRange(1, 6).Draw(t, "burst")
		}
		last := Closed
		g := New("Q", s, Hooks{Now: clock.now, AfterFunc: clock.after, OnChange: func(c Change) {
			if c.From != last {
				t.Errorf("change from %v, was told %v before", c.From, last)
			}
			last = c.To
		}})
		defer g.Close()
		m := &model{g: g, clock: clock, began: clock.now(), failed: map[string]bool{}}
		t.Repeat(map[string]func(*rapid.T){
			"acquire": m.acquire, "start": m.start, "release": m.release,
			"done": m.done, "decode": m.decode, "advance": m.advance,
			"pause": m.pause, "giveback": m.giveBack, "": m.check,
		})
		m.recovers(t)
	})
}

type model struct {
	g       *Gate
	clock   *manualClock
	held    []Permits
	started []Permit

	failed map[string]bool // since the last success, while closed
	began  time.Time
	given  int // permits, less those that came back unused
	turn   uint64
	paused bool
}

// tokens is the most that the rate allows to be given by now.
func (m *model) tokens() float64 {
	return float64(m.g.set.Burst) + m.g.set.Rate*m.clock.now().Sub(m.began).Seconds() + 1e-3
}

func (m *model) pause(t *rapid.T) {
	m.turn++
	if m.paused = rapid.Bool().Draw(t, "paused"); m.paused {
		m.g.SetPause(m.turn, &why)
		return
	}
	m.g.SetPause(m.turn, nil)
}

// giveBack returns a permit whose message is not started.
func (m *model) giveBack(t *rapid.T) {
	if len(m.held) == 0 {
		return
	}
	if p, ok := m.held[rapid.IntRange(0, len(m.held)-1).Draw(t, "of")].Next(); ok {
		m.g.GiveBack(p)
		m.given--
	}
}

func (m *model) acquire(t *rapid.T) {
	n := rapid.IntRange(0, 5).Draw(t, "n")
	before := m.g.Snapshot()
	ps, v := m.g.Acquire(n)
	switch {
	case ps.Len() > n:
		t.Fatalf("%d permits for %d", ps.Len(), n)
	case before.State == Closed && m.g.set.Rate == 0 && ps.Len() != n:
		t.Fatalf("%d of %d permits while closed", ps.Len(), n)
	case n > 0 && ps.Len() == 0 && v.State == Closed && v.Reason != ReasonRate:
		t.Fatalf("no permit while closed: %+v", v)
	case v.Reason == ReasonRate && ps.Len() == 0 && !v.Until.After(m.clock.now()):
		t.Fatalf("no token now, and not told when: %+v", v)
	case m.paused && ps.Len() != 0:
		t.Fatal("permits while paused")
	case before.State == HalfOpen && ps.Len() > 1:
		t.Fatalf("%d probes at once", ps.Len())
	case before.State == Open && ps.Len() != 0:
		t.Fatalf("permits while open: %+v", before)
	case n > 0 && ps.Len() == 0 && (v.Reason == ReasonNone || v.Changed == nil):
		t.Fatalf("refused without a reason: %+v", v)
	}
	m.given += ps.Len()
	if m.g.set.Rate > 0 && float64(m.given) > m.tokens() {
		t.Fatalf("%d permits given, the rate allows %v", m.given, m.tokens())
	}
	m.held = append(m.held, ps)
}

func (m *model) start(t *rapid.T) {
	if len(m.held) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.held)-1).Draw(t, "of")
	p, ok := m.held[i].Next()
	if !ok {
		return
	}
	state := m.g.Snapshot().State
	if !m.g.Start(p) {
		m.g.GiveBack(p)
		m.given--
		return
	}
	if state == Open || state == HalfOpen && !p.Probe() {
		t.Fatalf("started while %v", state)
	}
	m.started = append(m.started, p)
}

func (m *model) release(t *rapid.T) {
	if len(m.held) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.held)-1).Draw(t, "which")
	m.given -= m.held[i].Len()
	m.held[i].Release()
}

func (m *model) take(t *rapid.T) (Permit, bool) {
	if len(m.started) == 0 {
		return Permit{}, false
	}
	i := rapid.IntRange(0, len(m.started)-1).Draw(t, "message")
	p := m.started[i]
	m.started = append(m.started[:i], m.started[i+1:]...)
	return p, true
}

func (m *model) done(t *rapid.T) {
	p, ok := m.take(t)
	if !ok {
		return
	}
	before := m.g.Snapshot()
	kind := Kind(rapid.IntRange(0, 2).Draw(t, "kind"))
	message := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "message")
	current := m.current(p)
	m.g.Done(p, Result{Kind: kind, Err: errDown, Message: func() string { return message }})
	after := m.g.Snapshot()
	switch {
	case before.Breaker == Closed && current && kind == Failure:
		m.failed[message] = true
	case kind == Success && current:
		clear(m.failed)
	}
	switch {
	case kind == Excluded && (after.Breaker != before.Breaker || after.Streak != before.Streak):
		t.Fatalf("an excluded result counted: %+v → %+v", before, after)
	case before.Breaker == Closed && (after.Breaker == Open) != (len(m.failed) == m.g.set.Failures):
		t.Fatalf("%d different messages failed, the breaker is %v", len(m.failed), after.Breaker)
	case after.Breaker == Closed && after.Streak != len(m.failed):
		t.Fatalf("a streak of %d, %d different messages failed", after.Streak, len(m.failed))
	case before.Breaker == Open && after.Breaker != Open:
		t.Fatal("a late result closed an open breaker")
	case before.Breaker == HalfOpen && current && kind == Success && after.Breaker != Closed:
		t.Fatal("one success did not close it")
	case !current && after.Breaker != before.Breaker:
		t.Fatal("a result from before a trip moved the breaker")
	}
	if after.Breaker != Closed {
		clear(m.failed)
	}
}

// current reports whether a result of the permit counts now.
func (m *model) current(p Permit) bool {
	m.g.mu.Lock()
	defer m.g.mu.Unlock()
	return p.lane.gen == m.g.gen && (p.probe == nil || !p.probe.over)
}

func (m *model) decode(t *rapid.T) {
	if len(m.started) == 0 {
		return
	}
	p := m.started[rapid.IntRange(0, len(m.started)-1).Draw(t, "message")]
	before := m.g.Snapshot()
	if rapid.Bool().Draw(t, "good") {
		m.g.Decoded(p)
		return
	}
	row := before.Undecodable + 1
	got := m.g.Undecodable(p, "guess")
	m.given--
	stopped := m.g.decode.state != Closed
	if stopped == (got == Bury) || got == RestoreRow && row != m.g.set.Undecodable {
		t.Fatalf("row of %d: %v", row, got)
	}
}

func (m *model) advance(t *rapid.T) {
	m.clock.advance(time.Duration(rapid.IntRange(1, 40_000).Draw(t, "ms")) * time.Millisecond)
}

func (m *model) check(t *rapid.T) {
	probes := 0
	for _, p := range m.started {
		m.g.mu.Lock()
		if p.probe != nil && p.probe.done != nil && !p.probe.over && p.lane.gen == m.g.gen {
			probes++
		}
		m.g.mu.Unlock()
	}
	if probes > 1 {
		t.Fatalf("%d probes run", probes)
	}
	s := m.g.Snapshot()
	if (s.State == Closed) != (m.g.lane.Load() != nil) {
		t.Fatalf("fast path and state disagree: %+v", s)
	}
	if (s.Reason == ReasonPaused) != m.paused || m.paused && s.State != Open {
		t.Fatalf("paused %v: %+v", m.paused, s)
	}
	if s.State == Open && !m.paused && !s.Until.After(m.clock.now()) {
		t.Fatalf("open past its time: %+v", s)
	}
}

// recovers checks that whatever was left undone, time and good messages open
// the intake again.
func (m *model) recovers(t *rapid.T) {
	m.turn++
	m.g.SetPause(m.turn, nil)
	for range 50 {
		m.clock.advance(2 * DefaultProbeDeadline)
		ps, v := m.g.Acquire(1) // two minutes later there is a token at any rate
		p, ok := ps.Next()
		if !ok || !m.g.Start(p) {
			t.Fatalf("no probe long after: %+v", v)
		}
		m.g.Decoded(p)
		m.g.Done(p, Result{Kind: Success})
		if m.g.Snapshot().State == Closed {
			return
		}
	}
	t.Fatalf("wedged: %+v", m.g.Snapshot())
}
