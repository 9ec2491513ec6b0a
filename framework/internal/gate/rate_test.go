package gate

import (
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// acquire asks for n permits and returns how many came.
func acquire(t *testing.T, g *Gate, n int) (Permits, Verdict) {
	t.Helper()
	ps, v := g.Acquire(n)
	if ps.Len() > n || ps.Len() == 0 && v.Changed == nil {
		t.Fatalf("%d of %d permits, %+v", ps.Len(), n, v)
	}
	return ps, v
}

func TestRateGivesTheBurstAndThenByTheClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, rec := newGate(t, Settings{Rate: 2, Burst: 5})
		if ps, _ := acquire(t, g, 100); ps.Len() != 5 { // a fetch larger than the burst
			t.Fatalf("%d permits at first", ps.Len())
		}
		ps, v := acquire(t, g, 3)
		if ps.Len() != 0 || v.Reason != ReasonRate || v.State != Closed {
			t.Fatalf("%d permits, %+v", ps.Len(), v)
		}
		if wait := time.Until(v.Until); wait < 490*time.Millisecond || wait > 510*time.Millisecond {
			t.Errorf("until %v from now, want half a second", wait)
		}
		asked := time.Now()
		<-v.Changed // nobody asks meanwhile
		if d := time.Since(asked); d < 490*time.Millisecond || d > 510*time.Millisecond {
			t.Errorf("woken after %v", d)
		}
		if ps, _ := acquire(t, g, 3); ps.Len() != 1 {
			t.Errorf("%d permits after half a second", ps.Len())
		}
		elapse(time.Hour)
		if ps, _ := acquire(t, g, 100); ps.Len() != 5 {
			t.Errorf("%d permits after an hour: more than the burst was saved up", ps.Len())
		}
		if len(rec.changes) != 0 {
			t.Errorf("the rate changed the state: %+v", rec.changes)
		}
	})
}

func TestFastRatesGatherTokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Rate: 1000, Burst: 100})
		acquire(t, g, 100)
		began, given, asked := time.Now(), 0, 0
		for time.Since(began) < time.Second {
			ps, v := acquire(t, g, 50)
			asked++
			given += ps.Len()
			if ps.Len() == 0 {
				<-v.Changed
			}
		}
		if given < 980 || given > 1000 {
			t.Errorf("%d permits in a second, want 1000", given)
		}
		if asked > 210 { // one that gets ten, one that is refused, every 10 ms
			t.Errorf("asked %d times", asked)
		}
	})
}

func TestUnusedPermitsReturn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Rate: 0.001, Burst: 4})
		level := func(want int) {
			t.Helper()
			ps, _ := g.Acquire(100)
			if ps.Len() != want {
				t.Errorf("%d tokens, want %d", ps.Len(), want)
			}
			ps.Release()
			ps.Release()
		}
		level(4)
		level(4)
		ps, _ := acquire(t, g, 3)
		used, _ := ps.Next()
		ps.Release()
		level(3)
		g.GiveBack(used) // its message did not start
		level(4)
		g.GiveBack(Permit{})
		level(4)
		p := one(t, g)
		g.Undecodable(p, looksLike) // nor was this one handled
		g.Done(p, Result{Kind: Excluded})
		level(4)
		g.Done(one(t, g), Result{Kind: Success})
		level(3)
		elapse(time.Hour) // three tokens more: the fourth stays out
		level(4)
	})
}

func TestReturnedTokenWakesWhoWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Rate: 0.001, Burst: 1})
		p := one(t, g)
		began := time.Now()
		_, v := acquire(t, g, 1)
		go func() {
			<-time.After(time.Second)
			g.GiveBack(p)
		}()
		awaitPermits(t, g)
		<-v.Changed
		if d := time.Since(began); d != time.Second {
			t.Errorf("woken after %v", d)
		}
		one(t, g)
		awaitPermits(t, g) // a quarter of an hour: by the clock
		if d := time.Since(began); d < 1000*time.Second || d > 1002*time.Second {
			t.Errorf("woken after %v", d)
		}
	})
}

func TestProbeIsNotStarvedByTheRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Rate: 1, Burst: 5, Failures: 5, OpenFor: time.Second})
		trip(t, g) // it takes the whole burst
		awaitPermits(t, g)
		if s := g.Snapshot(); s.State != HalfOpen {
			t.Fatalf("%+v; want State HalfOpen", s)
		}
		ps, v := acquire(t, g, 8)
		if ps.Len() != 1 {
			t.Fatalf("no probe: %+v", v)
		}
		probe, _ := ps.Next()
		if !g.Start(probe) {
			t.Fatal("the probe may not start")
		}
		elapse(10 * time.Second) // the bucket is full again
		for range 100 {
			refused(t, g, ReasonProbing) // for the slot: costs no token
		}
		g.Done(probe, Result{Kind: Success})
		if ps, _ := acquire(t, g, 8); ps.Len() != 5 {
			t.Errorf("%d tokens: refused probes cost some", ps.Len())
		}
	})
}

func TestProbeWithoutATokenLeavesItsSlotFree(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Rate: 0.01, Burst: 2, Failures: 2, OpenFor: time.Second})
		trip(t, g)
		elapse(2 * time.Second)
		v := refused(t, g, ReasonRate)
		if v.State != HalfOpen {
			t.Errorf("%+v; want State HalfOpen", v)
		}
		<-v.Changed
		g.Done(one(t, g), Result{Kind: Success})
		if s := g.Snapshot(); s.State != Closed || s.Reason != ReasonRate || s.Until.IsZero() {
			t.Errorf("%+v; want State Closed, Reason ReasonRate and a time", s)
		}
	})
}

func TestCloseAndPauseWakeWhoWaitsForTokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Rate: 0.01, Burst: 1})
		one(t, g)
		v := refused(t, g, ReasonRate)
		g.SetPause(1, &Pause{Reason: "why"})
		<-v.Changed
		v = refused(t, g, ReasonPaused)
		g.SetPause(2, nil)
		<-v.Changed
		v = refused(t, g, ReasonRate)
		g.Close()
		<-v.Changed
		refused(t, g, ReasonStopped)
	})
}

func TestRateOfAlmostNothingDoesNotOverflow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Rate: math.SmallestNonzeroFloat64, Burst: math.MaxInt32})
		if ps, _ := acquire(t, g, 900); ps.Len() != 900 {
			t.Errorf("%d permits, want 900", ps.Len())
		}
		slow, _ := newGate(t, Settings{Rate: math.SmallestNonzeroFloat64, Burst: 1})
		one(t, slow)
		if v := refused(t, slow, ReasonRate); !v.Until.After(time.Now()) {
			t.Errorf("%+v; want a time to come", v)
		}
		fast, _ := newGate(t, Settings{Rate: math.MaxFloat64, Burst: 1})
		for range 1000 {
			awaitPermits(t, fast)
			one(t, fast)
		}
	})
}

// An operator bounds a gate that runs, and takes that back.
func TestSetRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, rec := newGate(t, Settings{})
		before, _ := acquire(t, g, 3)
		p, _ := before.Next()
		g.SetRate(2, 4)
		if g.Rate() != 2 || !g.Start(p) {
			t.Error("a permit of before the limit does not count any more")
		}
		if ps, _ := acquire(t, g, 100); ps.Len() != 4 {
			t.Errorf("%d permits at first", ps.Len())
		}
		before.Release() // they drew no token
		g.GiveBack(p)
		ps, v := acquire(t, g, 1)
		if ps.Len() != 0 || v.Reason != ReasonRate {
			t.Errorf("tokens came back that were not drawn: %d, %+v", ps.Len(), v)
		}
		g.SetRate(0.001, 4) // nothing was saved up
		if ps, _ := acquire(t, g, 1); ps.Len() != 0 {
			t.Error("another rate begins with tokens")
		}
		_, v = acquire(t, g, 1)
		g.SetRate(100, 4)
		<-v.Changed // at once, not after a quarter of an hour
		elapse(time.Second)
		of, _ := acquire(t, g, 3)
		g.SetRate(1, 8)
		of.Release() // to a bucket that is gone
		if ps, _ := acquire(t, g, 100); ps.Len() != 1 {
			t.Errorf("%d permits, one was saved up", ps.Len())
		}
		_, v = acquire(t, g, 1)
		g.SetRate(0, 0)
		<-v.Changed
		if ps, _ := acquire(t, g, 1000); ps.Len() != 1000 || g.Rate() != 0 {
			t.Errorf("%d permits without a limit", ps.Len())
		}
		elapse(time.Hour)
		if len(rec.changes) != 0 {
			t.Errorf("the rate changed the state: %+v", rec.changes)
		}
	})
}
