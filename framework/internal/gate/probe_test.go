package gate

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestOneProbeAtATimeAndSurplusReturns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, rec := newGate(t, Settings{})
		trip(t, g)
		awaitPermits(t, g)
		ps, v := g.Acquire(10)
		if ps.Len() != 1 || !ps.Probe() || v.State != HalfOpen {
			t.Fatalf("%d permits, %+v", ps.Len(), v)
		}
		refused(t, g, ReasonProbing)
		ps.Release()
		ps.Release()
		again, _ := g.Acquire(10)
		p, ok := again.Next()
		if !ok || !p.Probe() || !g.Start(p) {
			t.Fatal("the slot did not return")
		}
		again.Release() // nothing is left of it
		refused(t, g, ReasonProbing)
		if rec.recovered != 0 || !g.Tripped() {
			t.Error("recovered before any success")
		}
		g.Done(p, Result{Kind: Success})
		if s := g.Snapshot(); s.State != Closed || rec.recovered != 1 || g.Tripped() {
			t.Errorf("one success did not close it: %+v, %d", s, rec.recovered)
		}
	})
}

func TestExcludedProbeReturnsItsSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{})
		trip(t, g)
		awaitPermits(t, g)
		for range 100 {
			g.Done(one(t, g), Result{Kind: Excluded})
		}
		if s := g.Snapshot(); s.State != HalfOpen {
			t.Errorf("%+v; want State HalfOpen", s)
		}
	})
}

func TestHungProbeCannotWedge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{ProbeDeadline: 30 * time.Second})
		trip(t, g)
		awaitPermits(t, g)
		hung := one(t, g)
		elapse(30*time.Second + time.Millisecond)
		s := g.Snapshot()
		if s.State != Open || s.ProbeFails != 1 || !errors.Is(s.LastError, ErrProbeDeadline) {
			t.Fatalf("%+v; want State Open, ProbeFails 1, LastError ErrProbeDeadline", s)
		}
		g.Done(hung, failure("hung"))
		if s := g.Snapshot(); s.ProbeFails != 1 {
			t.Errorf("a probe that reports late failed twice: %+v", s)
		}
		awaitPermits(t, g)
		g.Done(hung, Result{Kind: Success}) // a second report changes nothing
		if s := g.Snapshot(); s.State != HalfOpen {
			t.Fatalf("%+v; want State HalfOpen", s)
		}
		g.Done(one(t, g), Result{Kind: Success})
		if s := g.Snapshot(); s.State != Closed {
			t.Errorf("%+v; want State Closed", s)
		}
	})
}

func TestProbeThatNeverStartedReturnsItsSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{})
		trip(t, g)
		awaitPermits(t, g)
		ps, _ := g.Acquire(1) // and the take hangs
		start := time.Now()
		awaitPermits(t, g)
		if d := time.Since(start); d != DefaultProbeDeadline {
			t.Errorf("slot returned after %v", d)
		}
		if s := g.Snapshot(); s.State != HalfOpen || s.ProbeFails != 0 {
			t.Errorf("%+v; want State HalfOpen, ProbeFails 0", s)
		}
		p, _ := ps.Next()
		if g.Start(p) {
			t.Error("its slot is somebody else's now")
		}
		one(t, g)
	})
}

func TestDeadlineOfAProbeRunsFromItsStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{ProbeDeadline: time.Minute})
		trip(t, g)
		awaitPermits(t, g)
		ps, _ := g.Acquire(1)
		elapse(50 * time.Second)
		p, _ := ps.Next()
		if !g.Start(p) {
			t.Fatal("may not start")
		}
		if g.Start(p) {
			t.Error("started twice")
		}
		elapse(59 * time.Second)
		g.Done(p, Result{Kind: Success})
		if s := g.Snapshot(); s.State != Closed {
			t.Errorf("%+v; want State Closed", s)
		}
	})
}

func TestGoexitAndPanicStillReport(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){
		"goexit": runtime.Goexit,
		"panic":  func() { panic("boom") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g, _ := newGate(t, Settings{})
				trip(t, g)
				awaitPermits(t, g)
				p := one(t, g)
				go func() {
					defer func() {
						_ = recover()
						g.Done(p, failure("x"))
					}()
					end()
				}()
				synctest.Wait()
				if s := g.Snapshot(); s.State != Open || s.ProbeFails != 1 {
					t.Errorf("%+v; want State Open, ProbeFails 1", s)
				}
			})
		})
	}
}

func TestGiveBackFreesTheSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{})
		g.GiveBack(one(t, g)) // not a probe: nothing to free
		g.GiveBack(Permit{})
		trip(t, g)
		awaitPermits(t, g)
		ps, _ := g.Acquire(1)
		p, _ := ps.Next()
		refused(t, g, ReasonProbing)
		g.GiveBack(p)
		g.GiveBack(p)
		running := one(t, g)
		g.GiveBack(running) // started: its result is still to come
		refused(t, g, ReasonProbing)
		g.Done(running, Result{Kind: Success})
		if s := g.Snapshot(); s.State != Closed {
			t.Errorf("%+v; want State Closed", s)
		}
	})
}
