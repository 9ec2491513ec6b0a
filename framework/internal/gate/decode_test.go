package gate

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

const looksLike = "looks like jsonjackson"

// bad runs one message whose payload cannot be decoded.
func bad(t *testing.T, g *Gate) Undecoded {
	t.Helper()
	p := one(t, g)
	defer g.Done(p, Result{Kind: Excluded})
	return g.Undecodable(p, looksLike)
}

// good runs one message that can be decoded and handled.
func good(t *testing.T, g *Gate) {
	t.Helper()
	p := one(t, g)
	g.Decoded(p)
	g.Done(p, Result{Kind: Success})
}

func closeByRow(t *testing.T, g *Gate) {
	t.Helper()
	for i := range g.set.Undecodable {
		want := Bury
		if i == g.set.Undecodable-1 {
			want = RestoreRow
		}
		if got := bad(t, g); got != want {
			t.Fatalf("undecodable %d: got %v, want %v", i+1, got, want)
		}
	}
}

func TestTenthUndecodableInARowStopsTheIntake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, rec := newGate(t, Settings{})
		for range 9 {
			bad(t, g)
		}
		good(t, g) // ends the row
		running := one(t, g)
		closeByRow(t, g)
		v := refused(t, g, ReasonUndecodable)
		if v.Detail != looksLike || v.State != Open || v.Until.IsZero() {
			t.Errorf("%+v; want State Open, Detail looksLike and a time", v)
		}
		if got := g.Undecodable(running, looksLike); got != GiveBack {
			t.Errorf("a further one of the same fetch: %v", got)
		}
		g.Decoded(running) // taken before: the row is still at the head
		refused(t, g, ReasonUndecodable)
		if s := g.Snapshot(); s.Breaker != Closed || s.Undecodable != 10 || s.Detail != looksLike {
			t.Errorf("%+v; want Breaker Closed, Undecodable 10, Detail looksLike", s)
		}
		awaitPermits(t, g)
		ps, v := g.Acquire(128)
		if ps.Len() != 1 || v.State != HalfOpen {
			t.Fatalf("%d permits to probe with, %+v", ps.Len(), v)
		}
		refused(t, g, ReasonUndecodable)
		p, _ := ps.Next()
		g.Start(p)
		g.Decoded(p)
		if ps, _ := g.Acquire(128); ps.Len() != 128 {
			t.Error("one good decode does not let messages flow")
		}
		g.Done(p, Result{Kind: Success})
		if got, want := rec.states(), []string{"open", "half-open", "closed"}; !slices.Equal(got, want) {
			t.Errorf("changes %v, want %v", got, want)
		}
		if rec.changes[0].Detail != looksLike || rec.changes[0].Err != nil {
			t.Errorf("%+v; want changes[0].Detail looksLike, changes[0].Err nil", rec.changes[0])
		}
		closeByRow(t, g) // counts from the start again
	})
}

func TestDecodeProbeBacksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{OpenFor: time.Second, MaxOpenFor: 8 * time.Second})
		closeByRow(t, g)
		for _, seconds := range []int{1, 2, 4, 8, 8} {
			base := time.Duration(seconds) * time.Second
			d := time.Until(refused(t, g, ReasonUndecodable).Until)
			if d > min(base*6/5, 8*time.Second) || d < base*4/5 {
				t.Errorf("waits %v, want about %v", d, base)
			}
			awaitPermits(t, g)
			if got := bad(t, g); got != GiveBack {
				t.Fatalf("probe: %v", got)
			}
		}
	})
}

func TestDecodeProbeWithoutResultFreesItsSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{ProbeDeadline: time.Second, OpenFor: time.Second})
		closeByRow(t, g)
		awaitPermits(t, g)
		ps, _ := g.Acquire(1)
		ps.Release() // the queue was empty
		ps, _ = g.Acquire(1)
		if ps.Len() != 1 {
			t.Fatal("slot lost")
		}
		p, _ := ps.Next()
		g.Start(p)
		elapse(2 * time.Second) // decoding hangs
		refused(t, g, ReasonUndecodable)
		if s := g.Snapshot(); s.State != Open {
			t.Errorf("%+v; want State Open", s)
		}
	})
}

func TestDecodeProbeCountsForTheBreakerToo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Failures: 1})
		closeByRow(t, g)
		awaitPermits(t, g)
		p := one(t, g)
		g.Decoded(p)
		g.Done(p, failure("a"))
		refused(t, g, ReasonBreaker)
	})
}

func TestBothGuardsStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Undecodable: 2})
		var running []Permit
		for range 7 {
			running = append(running, one(t, g))
		}
		for _, p := range running[:2] {
			g.Undecodable(p, looksLike)
			g.Done(p, Result{Kind: Excluded})
		}
		for i, p := range running[2:] { // the breaker is closed: these count
			g.Done(p, failure(string(rune('a'+i))))
		}
		if s := g.Snapshot(); s.Breaker != Open || s.State != Open {
			t.Fatalf("%+v; want Breaker Open, State Open", s)
		}
		_, v := g.Acquire(1)
		g.mu.Lock()
		other := g.breaker.until
		if other.Before(g.decode.until) {
			other = g.decode.until
		}
		g.mu.Unlock()
		if !v.Until.Equal(other) {
			t.Errorf("until %v, want the later of both", v.Until)
		}
		elapse(time.Minute)
		p := one(t, g) // probes for both
		refused(t, g, ReasonUndecodable)
		g.Decoded(p)
		refused(t, g, ReasonProbing)
		g.Done(p, Result{Kind: Success})
		if s := g.Snapshot(); s.State != Closed {
			t.Errorf("%+v; want State Closed", s)
		}
	})
}

func TestBreakerProbeMayNotStartWhileUndecodable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Undecodable: 1})
		early := one(t, g)
		trip(t, g)
		awaitPermits(t, g)
		ps, _ := g.Acquire(1)
		g.Undecodable(early, looksLike)
		p, _ := ps.Next()
		if g.Start(p) {
			t.Error("started")
		}
		awaitPermits(t, g)
		good(t, g)
		if s := g.Snapshot(); s.State != Closed {
			t.Errorf("%+v; want State Closed", s)
		}
	})
}

func TestDecodeGuardOff(t *testing.T) {
	t.Parallel()
	g, _ := newGate(t, Settings{Undecodable: -1})
	for range 100 {
		if got := bad(t, g); got != Bury {
			t.Fatalf("%v, want Bury", got)
		}
	}
}
