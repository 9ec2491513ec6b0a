package gate

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var errDown = errors.New("dependency is down")

// recorder keeps what the hooks were told.
type recorder struct {
	mu      sync.Mutex
	changes []Change
	refunds [][]string
}

func (r *recorder) hooks() Hooks {
	return Hooks{
		OnChange: func(c Change) { r.mu.Lock(); r.changes = append(r.changes, c); r.mu.Unlock() },
		OnRefund: func(d []string) {
			r.mu.Lock()
			r.refunds = append(r.refunds, slices.Sorted(slices.Values(d)))
			r.mu.Unlock()
		},
	}
}

func (r *recorder) states() (out []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.changes {
		out = append(out, c.To.String())
	}
	return out
}

func newGate(t *testing.T, s Settings) (*Gate, *recorder) {
	t.Helper()
	rec := &recorder{}
	g := New("Q", s, rec.hooks())
	t.Cleanup(g.Close)
	return g, rec
}

// one acquires, takes and starts a single permit.
func one(t *testing.T, g *Gate) Permit {
	t.Helper()
	ps, v := g.Acquire(1)
	p, ok := ps.Next()
	if !ok {
		t.Fatalf("no permit: %+v", v)
	}
	if !g.Start(p) {
		t.Fatalf("permit may not start: %+v", g.Snapshot())
	}
	return p
}

func failure(digest string) Result {
	return Result{Kind: Failure, Err: errDown, Digest: func() string { return digest }}
}

// fail runs one message into a failure and settles its charge, as the engine does.
func fail(t *testing.T, g *Gate, digest string) Decision {
	t.Helper()
	d := g.Done(one(t, g), failure(digest))
	if d.Charge {
		g.Settled(d)
	}
	return d
}

func refused(t *testing.T, g *Gate, want Reason) Verdict {
	t.Helper()
	ps, v := g.Acquire(1)
	if ps.Len() != 0 || v.Reason != want {
		t.Fatalf("got %d permits and %+v, want refusal for %q", ps.Len(), v, want)
	}
	if v.Changed == nil {
		t.Fatal("refusal without a channel to wait on")
	}
	return v
}

func trip(t *testing.T, g *Gate) {
	t.Helper()
	for i := range g.set.Failures {
		fail(t, g, fmt.Sprint("m", i))
	}
	if s := g.Snapshot(); s.State != Open || s.Breaker != Open {
		t.Fatalf("not open after %d failures: %+v", g.set.Failures, s)
	}
}

func TestTripOpensAndProbeCloses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, rec := newGate(t, Settings{})
		trip(t, g)
		v := refused(t, g, ReasonBreaker)
		if d := time.Until(v.Until); d < DefaultOpenFor || d > DefaultOpenFor*6/5 {
			t.Errorf("open for %v, want %v jittered by up to a fifth", d, DefaultOpenFor)
		}
		time.Sleep(time.Until(v.Until) - time.Millisecond)
		synctest.Wait()
		refused(t, g, ReasonBreaker)
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if s := g.Snapshot(); s.State != HalfOpen {
			t.Fatalf("own timer did not let probes through: %+v", s)
		}
		p := one(t, g)
		refused(t, g, ReasonProbing)
		g.Done(p, Result{Kind: Success})
		if ps, v := g.Acquire(128); ps.Len() != 128 || v.State != Closed {
			t.Fatalf("got %d permits, %+v", ps.Len(), v)
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
		t.Errorf("%+v", s)
	}
	fail(t, g, "c")
	if s := g.Snapshot(); s.State != Open || s.Trips != 1 || s.LastError != errDown.Error() {
		t.Errorf("%+v", s)
	}
}

func TestOpenDoublesUpToTheBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{OpenFor: 10 * time.Second, MaxOpenFor: time.Minute})
		trip(t, g)
		for _, base := range []time.Duration{10, 20, 40, 60, 60, 60} {
			base *= time.Second
			v := refused(t, g, ReasonBreaker)
			lo, hi := base, min(base*6/5, time.Minute)
			if base == time.Minute {
				lo = 48 * time.Second
			}
			if d := time.Until(v.Until); d < lo || d > hi {
				t.Errorf("open for %v, want %v to %v", d, lo, hi)
			}
			if err := g.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			fail(t, g, "probe")
		}
		if err := g.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
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
		if err := g.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
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

func TestProbesInTotalAndSurplusReturns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Probes: 3})
		trip(t, g)
		if err := g.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		ps, v := g.Acquire(10)
		if ps.Len() != 3 || v.State != HalfOpen {
			t.Fatalf("%d permits, %+v", ps.Len(), v)
		}
		refused(t, g, ReasonProbing)
		first, _ := ps.Next()
		ps.Release()
		ps.Release()
		again, _ := g.Acquire(10)
		if again.Len() != 2 {
			t.Fatalf("%d slots returned, want 2", again.Len())
		}
		g.Start(first)
		g.Done(first, Result{Kind: Success})
		refused(t, g, ReasonProbing) // three in total until it closes
		for p, ok := again.Next(); ok; p, ok = again.Next() {
			if !p.Probe() || !g.Start(p) {
				t.Fatal("probe may not start")
			}
			g.Done(p, Result{Kind: Success})
		}
		if s := g.Snapshot(); s.State != Closed {
			t.Errorf("three successes did not close it: %+v", s)
		}
	})
}

func TestExcludedProbeReturnsItsSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{})
		trip(t, g)
		if err := g.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if d := g.Done(one(t, g), Result{Kind: Excluded}); !d.Charge {
				t.Fatal("the gate objects to a result that is not its business")
			}
		}
		if s := g.Snapshot(); s.State != HalfOpen {
			t.Errorf("%+v", s)
		}
	})
}

func TestHungProbeCannotWedge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{ProbeDeadline: 30 * time.Second})
		trip(t, g)
		if err := g.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		hung := one(t, g)
		time.Sleep(30*time.Second + time.Millisecond)
		synctest.Wait()
		s := g.Snapshot()
		if s.State != Open || s.ProbeFails != 1 || s.LastError != ErrProbeDeadline.Error() {
			t.Fatalf("%+v", s)
		}
		if d := g.Done(hung, failure("hung")); d.Charge {
			t.Error("a probe that reports late is charged")
		}
		if err := g.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.Done(hung, Result{Kind: Success}) // a second report changes nothing
		if s := g.Snapshot(); s.State != HalfOpen {
			t.Fatalf("%+v", s)
		}
		g.Done(one(t, g), Result{Kind: Success})
		if s := g.Snapshot(); s.State != Closed {
			t.Errorf("%+v", s)
		}
	})
}

func TestProbeThatNeverStartedReturnsItsSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{})
		trip(t, g)
		if err := g.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		ps, _ := g.Acquire(1) // and the take hangs
		start := time.Now()
		if err := g.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d != DefaultProbeDeadline {
			t.Errorf("slot returned after %v", d)
		}
		if s := g.Snapshot(); s.State != HalfOpen || s.ProbeFails != 0 {
			t.Errorf("%+v", s)
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
		if err := g.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		ps, _ := g.Acquire(1)
		time.Sleep(50 * time.Second)
		p, _ := ps.Next()
		if !g.Start(p) {
			t.Fatal("may not start")
		}
		if g.Start(p) {
			t.Error("started twice")
		}
		time.Sleep(59 * time.Second)
		synctest.Wait()
		g.Done(p, Result{Kind: Success})
		if s := g.Snapshot(); s.State != Closed {
			t.Errorf("%+v", s)
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
				if err := g.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
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
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{})
		if err := g.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
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
			t.Errorf("%+v", s)
		}
		time.Sleep(time.Hour) // a timer that was left would change the state
		synctest.Wait()
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
			t.Errorf("got %v", err)
		}
	})
}

func TestDisabled(t *testing.T) {
	t.Parallel()
	g, rec := newGate(t, Settings{Disabled: true})
	for range 100 {
		if d := fail(t, g, "x"); !d.Charge {
			t.Fatal("not charged")
		}
	}
	if s := g.Snapshot(); s.State != Closed || len(rec.changes) != 0 || s.Failures != 100 {
		t.Errorf("%+v", s)
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
		time.Sleep(time.Minute)
		synctest.Wait()
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
		if err := g.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if calls != 2 {
			t.Errorf("%d calls", calls)
		}
	})
}
