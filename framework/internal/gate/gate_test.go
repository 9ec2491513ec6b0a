package gate

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestTripOpensAndProbeCloses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, rec := newGate(t, Settings{})
		trip(t, g)
		v := refused(t, g, ReasonBreaker)
		if d := time.Until(v.Until); d < DefaultOpenFor || d > DefaultOpenFor*6/5 {
			t.Errorf("open for %v, want %v jittered by up to a fifth", d, DefaultOpenFor)
		}
		elapse(time.Until(v.Until) - time.Millisecond)
		refused(t, g, ReasonBreaker)
		elapse(time.Millisecond)
		if s := g.Snapshot(); s.State != HalfOpen {
			t.Fatalf("own timer did not let probes through: %+v", s)
		}
		p := one(t, g)
		refused(t, g, ReasonProbing)
		g.Done(p, Result{Kind: Success})
		if ps, v := g.Acquire(128); ps.Len() != 128 || v.State != Closed {
			t.Fatalf("got %d permits, %+v; want 128, State Closed", ps.Len(), v)
		}
		if got, want := rec.states(), []string{"open", "half-open", "closed"}; !slices.Equal(got, want) {
			t.Errorf("changes %v, want %v", got, want)
		}
		if c := rec.changes[0]; c.Code != "Q" || c.Reason != ReasonBreaker || !errors.Is(c.Err, errDown) || !c.Until.Equal(v.Until) {
			t.Errorf("change tells %+v", c)
		}
		if c := rec.changes[2]; c.Reason != ReasonNone || c.Err != nil {
			t.Errorf("change to closed tells %+v", c)
		}
	})
}

func TestSuccessBreaksAStreak(t *testing.T) {
	t.Parallel()
	g, _ := newGate(t, Settings{Failures: 3})
	for range 10 {
		fail(t, g, "a")
		fail(t, g, "b")
		g.Done(one(t, g), Result{Kind: Success})
	}
	fail(t, g, "a")
	g.Done(one(t, g), Result{Kind: Excluded}) // does not break it
	fail(t, g, "b")
	if s := g.Snapshot(); s.State != Closed || s.Streak != 2 || s.Failures != 22 || s.Successes != 10 || s.Excluded != 1 {
		t.Errorf("%+v; want State Closed, Streak 2, Failures 22, Successes 10, Excluded 1", s)
	}
	fail(t, g, "c")
	if s := g.Snapshot(); s.State != Open || s.Trips != 1 || !errors.Is(s.LastError, errDown) {
		t.Errorf("%+v; want State Open, Trips 1, LastError errDown", s)
	}
}

func TestOpenDoublesUpToTheBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{OpenFor: 10 * time.Second, MaxOpenFor: time.Minute})
		trip(t, g)
		for _, seconds := range []int{10, 20, 40, 60, 60, 60} {
			base := time.Duration(seconds) * time.Second
			v := refused(t, g, ReasonBreaker)
			lo, hi := base, min(base*6/5, time.Minute)
			if base == time.Minute {
				lo = 48 * time.Second
			}
			if d := time.Until(v.Until); d < lo || d > hi {
				t.Errorf("open for %v, want %v to %v", d, lo, hi)
			}
			awaitPermits(t, g)
			fail(t, g, "probe")
		}
		awaitPermits(t, g)
		g.Done(one(t, g), Result{Kind: Success})
		trip(t, g)
		if d := time.Until(refused(t, g, ReasonBreaker).Until); d > 12*time.Second {
			t.Errorf("after a recovery it stays open for %v, not for the first step", d)
		}
	})
}

func TestStartRefusesWhatWasPrefetchedBeforeATrip(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{})
		ps, _ := g.Acquire(4)
		trip(t, g)
		for range 3 {
			p, _ := ps.Next()
			if g.Start(p) {
				t.Error("a prefetched message may start although the gate is open")
			}
		}
		awaitPermits(t, g)
		g.Done(one(t, g), Result{Kind: Success})
		p, _ := ps.Next()
		if g.Start(p) {
			t.Error("a permit from before the trip is good again")
		}
		if _, ok := ps.Next(); ok {
			t.Error("more permits than were given")
		}
		if g.Start(Permit{}) {
			t.Error("the zero permit may start")
		}
	})
}

func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{})
		awaitPermits(t, g)
		changed := g.Changed()
		trip(t, g)
		select {
		case <-changed:
		default:
			t.Error("a trip does not wake who blocks on Redis")
		}
		woken := make(chan error, 3)
		for range 3 {
			go func() { woken <- g.Wait(t.Context()) }()
		}
		synctest.Wait()
		if len(woken) != 0 {
			t.Fatal("waiters do not wait")
		}
		g.Close()
		g.Close()
		for range 3 {
			if err := <-woken; err != nil {
				t.Error(err)
			}
		}
		refused(t, g, ReasonStopped)
		if s := g.Snapshot(); s.Reason != ReasonStopped {
			t.Errorf("%+v; want Reason ReasonStopped", s)
		}
		elapse(time.Hour) // a timer that was left would change the state
		refused(t, g, ReasonStopped)
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{})
		trip(t, g)
		why := errors.New("draining")
		ctx, cancel := contextWithCause(t)
		done := make(chan error)
		go func() { done <- g.Wait(ctx) }()
		synctest.Wait()
		cancel(why)
		if err := <-done; !errors.Is(err, why) {
			t.Errorf("got %v, want the cause of the context", err)
		}
	})
}

func TestDisabled(t *testing.T) {
	t.Parallel()
	g, rec := newGate(t, Settings{Disabled: true})
	for i := range 100 {
		fail(t, g, fmt.Sprint(i))
	}
	if s := g.Snapshot(); s.State != Closed || len(rec.changes) != 0 || s.Failures != 100 {
		t.Errorf("%+v; want State Closed, len(rec.changes) 0, Failures 100", s)
	}
}

func TestHooksMayCallTheGateAndKeepTheirOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g *Gate
		var seen []State
		inside := 0
		g = New("Q", Settings{Failures: 1}, Hooks{OnChange: func(c Change) {
			inside++
			if inside != 1 {
				t.Error("hooks overlap")
			}
			seen = append(seen, c.To)
			g.Snapshot()
			if c.To == HalfOpen { // changes the state from within a hook
				ps, _ := g.Acquire(1)
				p, _ := ps.Next()
				g.Start(p)
				g.Done(p, Result{Kind: Success})
			}
			inside--
		}})
		defer g.Close()
		fail(t, g, "a")
		elapse(time.Minute)
		if want := []State{Open, HalfOpen, Closed}; !slices.Equal(seen, want) {
			t.Errorf("%v, want %v", seen, want)
		}
	})
}

func TestPanickingHookDoesNotSilenceTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		g := New("Q", Settings{Failures: 1}, Hooks{OnChange: func(Change) {
			calls++
			if calls == 1 {
				panic("hook")
			}
		}})
		defer g.Close()
		func() {
			defer func() {
				if recover() == nil {
					t.Error("panic swallowed")
				}
			}()
			fail(t, g, "a")
		}()
		awaitPermits(t, g)
		synctest.Wait()
		if calls != 2 {
			t.Errorf("%d calls", calls)
		}
	})
}
