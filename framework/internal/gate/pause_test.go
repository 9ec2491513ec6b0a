package gate

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

var why = Pause{Reason: "provider is moved", By: "ops", At: time.Unix(1_700_000_000, 0)}

func TestPauseStopsTheIntakeAndNotWhatRuns(t *testing.T) {
	t.Parallel()
	g, rec := newGate(t, Settings{Failures: 2})
	running := one(t, g)
	ps, _ := g.Acquire(1)
	waiting, _ := ps.Next()
	changed := g.Changed()
	g.SetPause(1, &why)
	<-changed
	v := refused(t, g, ReasonPaused)
	if v.State != Open || v.Detail != why.Reason || !v.Until.IsZero() {
		t.Errorf("%+v; want State Open, the reason of the pause and no time", v)
	}
	if g.Start(waiting) {
		t.Error("a message started while paused")
	}
	if s := g.Snapshot(); s.Paused == nil || *s.Paused != why || s.Breaker != Closed {
		t.Errorf("%+v; want Breaker Closed, paused by %+v", s, why)
	}
	g.Done(running, failure("a"))
	g.SetPause(2, nil)
	if g.Start(waiting) {
		t.Error("a message of before the pause started after it")
	}
	g.Done(one(t, g), failure("b"))
	if !g.Tripped() {
		t.Error("the failure of before the pause did not count")
	}
	if got := rec.states(); !slices.Equal(got, []string{"open", "closed", "open"}) {
		t.Errorf("told %v", got)
	}
}

func TestBreakerGoesOnBehindAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Failures: 2})
		a, b := one(t, g), one(t, g)
		g.SetPause(1, &why)
		g.Done(a, failure("a"))
		g.Done(b, failure("b"))
		if s := g.Snapshot(); s.Breaker != Open || s.Reason != ReasonPaused {
			t.Fatalf("it trips behind the pause: %+v", s)
		}
		g.SetPause(2, nil)
		refused(t, g, ReasonBreaker)
		g.SetPause(3, &why)
		elapse(time.Minute)
		if s := g.Snapshot(); s.Breaker != HalfOpen || s.State != Open {
			t.Fatalf("%+v; want Breaker HalfOpen, State Open", s)
		}
		refused(t, g, ReasonPaused)
		g.SetPause(4, nil)
		awaitPermits(t, g)
		p := one(t, g)
		if !p.Probe() {
			t.Fatal("no probe after the pause")
		}
		g.SetPause(5, &why)
		g.Done(p, Result{Kind: Success}) // a probe that runs into a pause still tells
		if s := g.Snapshot(); s.Breaker != Closed || s.State != Open {
			t.Fatalf("%+v; want Breaker Closed, State Open", s)
		}
		g.SetPause(6, nil)
		if ps, _ := g.Acquire(8); ps.Len() != 8 {
			t.Errorf("%d permits", ps.Len())
		}
	})
}

func TestProbeThatDidNotStartBeforeAPauseFreesItsSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{})
		trip(t, g)
		awaitPermits(t, g)
		ps, _ := g.Acquire(1)
		p, _ := ps.Next()
		g.SetPause(1, &why)
		if g.Start(p) {
			t.Error("started while paused")
		}
		g.GiveBack(p)
		g.SetPause(2, nil)
		g.Done(one(t, g), Result{Kind: Success})
	})
}

func TestLatestPauseWins(t *testing.T) {
	t.Parallel()
	g, _ := newGate(t, Settings{})
	g.SetPause(5, nil)
	g.SetPause(4, &why) // it was asked for earlier
	one(t, g)
	other := Pause{Reason: "other"}
	g.SetPause(6, &why)
	g.SetPause(7, &other)
	if v := refused(t, g, ReasonPaused); v.Detail != "other" {
		t.Errorf("%+v; want Detail 'other'", v)
	}
	g.Close()
	g.SetPause(8, nil)
	refused(t, g, ReasonStopped)
}

// Reason names the pause alone; that the codec is wrong is seen all the same.
func TestDecodeGuardIsSeenBehindAPause(t *testing.T) {
	t.Parallel()
	g, _ := newGate(t, Settings{Undecodable: 1})
	p := one(t, g)
	if g.Undecodable(p, "json") != RestoreRow {
		t.Fatal("one is a row here")
	}
	g.SetPause(1, &Pause{Reason: "maintenance"})
	if s := g.Snapshot(); s.Reason != ReasonPaused || s.Decode != Open || s.Breaker != Closed {
		t.Fatalf("%+v; want Reason ReasonPaused, Decode Open, Breaker Closed", s)
	}
}

// Who asks for nothing gets a verdict that can be waited on.
func TestAcquireOfNothing(t *testing.T) {
	t.Parallel()
	g, _ := newGate(t, Settings{})
	for _, n := range []int{0, -1} {
		ps, v := g.Acquire(n)
		if ps.Len() != 0 || v.State != Closed || v.Changed == nil {
			t.Fatalf("Acquire(%d): %d permits, %+v", n, ps.Len(), v)
		}
	}
	_, v := g.Acquire(0)
	g.SetPause(1, &Pause{Reason: "maintenance"})
	select {
	case <-v.Changed:
	default:
		t.Fatal("the change was missed")
	}
}

// A pause that takes the place of another one is told, and so is which one has ended.
func TestPausesAreTold(t *testing.T) {
	t.Parallel()
	g, rec := newGate(t, Settings{})
	other := Pause{Reason: "other", Until: time.Unix(1_800_000_000, 0), Fleet: true}
	g.SetPause(1, &why)
	g.SetPause(2, &why) // nothing new
	g.SetPause(3, &other)
	if v := refused(t, g, ReasonPaused); !v.Until.Equal(other.Until) {
		t.Errorf("until %v", v.Until)
	}
	g.SetPause(4, nil)
	rec.mu.Lock()
	defer rec.mu.Unlock()
	var told []*Pause
	for _, c := range rec.changes {
		told = append(told, c.Paused)
	}
	if !slices.Equal(told, []*Pause{&why, &other, &other}) || rec.changes[2].To != Closed {
		t.Errorf("%+v", rec.changes)
	}
}
