package gate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func contextWithCause(t *testing.T) (context.Context, context.CancelCauseFunc) {
	t.Helper()
	return context.WithCancelCause(t.Context())
}

func TestTripRefundsItsStreakOncePerPayload(t *testing.T) {
	t.Parallel()
	g, rec := newGate(t, Settings{Failures: 6})
	for _, digest := range []string{"a", "b", "a", "c", "a"} {
		if d := fail(t, g, digest); !d.Charge {
			t.Fatal("a failure before the trip is not charged")
		}
	}
	if d := fail(t, g, "c"); d.Charge {
		t.Error("the failure that trips is charged")
	}
	if len(rec.refunds) != 1 || !slices.Equal(rec.refunds[0], []string{"a", "b"}) {
		t.Errorf("refunds %v; c was forgiven on the spot", rec.refunds)
	}
}

func TestRefundWaitsForItsCharge(t *testing.T) {
	t.Parallel()
	g, rec := newGate(t, Settings{Failures: 3})
	slow := g.Done(one(t, g), failure("slow"))
	never := g.Done(one(t, g), failure("never"))
	if !slow.Charge || !never.Charge {
		t.Fatal("not charged")
	}
	fail(t, g, "last")
	if len(rec.refunds) != 0 {
		t.Fatalf("refunded before the charge reached Redis: %v", rec.refunds)
	}
	g.Settled(slow)
	g.Settled(slow)
	if len(rec.refunds) != 1 || rec.refunds[0][0] != "slow" {
		t.Errorf("refunds %v", rec.refunds)
	}
	g.Settled(Decision{Charge: true})
}

func TestBrokenStreakIsNotRefunded(t *testing.T) {
	t.Parallel()
	g, rec := newGate(t, Settings{Failures: 2})
	d := g.Done(one(t, g), failure("bad"))
	g.Done(one(t, g), Result{Kind: Success})
	fail(t, g, "x")
	fail(t, g, "y")
	g.Settled(d)
	if len(rec.refunds) != 1 || !slices.Equal(rec.refunds[0], []string{"x"}) {
		t.Errorf("refunds %v", rec.refunds)
	}
}

func TestRunningMessagesOfATripAreNotCharged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{})
		var running []Permit
		for range 4 {
			running = append(running, one(t, g))
		}
		trip(t, g)
		if d := g.Done(running[0], failure("r0")); d.Charge {
			t.Error("charged while open")
		}
		awaitPermits(t, g)
		if d := g.Done(running[1], failure("r1")); d.Charge {
			t.Error("charged while half-open")
		}
		g.Done(one(t, g), Result{Kind: Success})
		if d := g.Done(running[2], failure("r2")); d.Charge {
			t.Error("it ran through the outage, and is charged after it")
		}
		if s := g.Snapshot(); s.State != Closed || s.Streak != 0 {
			t.Errorf("a message from before the trip counts after it: %+v", s)
		}
		g.Done(running[3], Result{Kind: Success})
	})
}

func TestLastAttemptIsPostponed(t *testing.T) {
	t.Parallel()
	last := func(r Result) Result { r.Last = true; return r }
	transient := func(r Result) Result { r.Transient = true; return r }
	tests := map[string]struct {
		before []string
		r      Result
		charge bool
	}{
		"alone":                      {nil, last(failure("a")), true},
		"alone, again":               {[]string{"a", "a"}, last(failure("a")), true},
		"others fail too":            {[]string{"b"}, last(failure("a")), false},
		"transient":                  {nil, last(transient(failure("a"))), false},
		"not the last":               {[]string{"b"}, failure("a"), true},
		"transient and not the last": {[]string{"b"}, transient(failure("a")), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _ := newGate(t, Settings{Failures: 100})
			for _, digest := range tt.before {
				fail(t, g, digest)
			}
			d := g.Done(one(t, g), tt.r)
			if d.Charge != tt.charge || d.Postponed == tt.charge {
				t.Errorf("got %+v", d)
			}
		})
	}
}

func TestEqualPayloadsInFlightAreDifferentMessages(t *testing.T) {
	t.Parallel()
	g, _ := newGate(t, Settings{Failures: 100})
	first, second := one(t, g), one(t, g)
	g.Done(first, failure("same"))
	r := failure("same")
	r.Last = true
	if d := g.Done(second, r); d.Charge {
		t.Error("two messages that ran at once are taken for one that fails alone")
	}
	g.Done(one(t, g), Result{Kind: Success})
	g.Done(one(t, g), failure("same"))
	if d := g.Done(one(t, g), r); !d.Charge {
		t.Error("a redelivery is taken for another message")
	}
}

func TestProbeOfOnePayloadIsChargedAfterFifty(t *testing.T) {
	t.Parallel()
	for name, transient := range map[string]bool{"unmarked": false, "transient": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g, _ := newGate(t, Settings{})
				trip(t, g)
				for i := range 60 {
					awaitPermits(t, g)
					r := failure("poison")
					r.Transient = transient
					d := g.Done(one(t, g), r)
					if want := i >= 50 && !transient; d.Charge != want {
						t.Fatalf("probe %d: charge %v", i+1, d.Charge)
					}
				}
			})
		})
	}
}

func TestMemoryOfForgivenPayloadsIsBounded(t *testing.T) {
	t.Parallel()
	g, _ := newGate(t, Settings{Failures: 2})
	ps, _ := g.Acquire(3 * maxRuns)
	trip(t, g)
	for i := 0; ps.Len() > 0; i++ {
		p, _ := ps.Next()
		g.Done(p, failure(fmt.Sprint(i)))
	}
	if len(g.runs) > maxRuns {
		t.Errorf("%d payloads remembered", len(g.runs))
	}
}

// ledger is the engine's part of the rules: attempts per message, the dead ones.
type ledger struct {
	failed map[string]int
	dead   map[string]bool
	done   map[string]bool
	max    int
}

func newLedger(maxAttempts int) *ledger {
	return &ledger{failed: map[string]int{}, dead: map[string]bool{}, done: map[string]bool{}, max: maxAttempts}
}

func (l *ledger) hooks() Hooks {
	return Hooks{OnRefund: func(digests []string) {
		for _, d := range digests {
			l.failed[d]--
		}
	}}
}

// report ends a message that failed; it returns whether the message lives on.
func (l *ledger) report(g *Gate, p Permit, digest string) bool {
	r := failure(digest)
	r.Last = l.failed[digest]+1 >= l.max
	d := g.Done(p, r)
	if d.Charge {
		l.failed[digest]++
		l.dead[digest] = l.failed[digest] >= l.max
		g.Settled(d)
	}
	return !l.dead[digest]
}

func TestOneAlwaysFailingMessageDiesAfterMaxAttempts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		s        Settings
		max      int
		maxCalls int
	}{
		{"defaults", Settings{}, 5, 5},
		{"dies before the trip", Settings{Failures: 10}, 5, 5},
		{"trips long before", Settings{Failures: 1}, 5, 1 + 50 + 5},
		{"many attempts", Settings{Failures: 3}, 20, 3 + 50 + 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLedger(tt.max)
				g := New("Q", tt.s, l.hooks())
				defer g.Close()
				calls := 0
				for alive := true; alive; calls++ {
					awaitPermits(t, g)
					alive = l.report(g, one(t, g), "poison")
					if calls > 1000 {
						t.Fatal("immortal")
					}
				}
				if calls > tt.maxCalls {
					t.Errorf("%d calls, want at most %d", calls, tt.maxCalls)
				}
			})
		})
	}
}

func TestBadMessageAmongGoodOnesDiesAlone(t *testing.T) {
	t.Parallel()
	g := New("Q", Settings{}, Hooks{})
	defer g.Close()
	l := newLedger(5)
	calls := 0
	for alive := true; alive; calls++ {
		alive = l.report(g, one(t, g), "poison")
		g.Done(one(t, g), Result{Kind: Success})
	}
	if calls != 5 {
		t.Errorf("died after %d calls", calls)
	}
}

func TestTwoBadMessagesAloneInAQueueDieTooAtLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLedger(5)
		g := New("Q", Settings{}, l.hooks())
		defer g.Close()
		alive := []string{"p", "q"}
		for calls := 0; len(alive) > 0; calls++ {
			if calls > 300 {
				t.Fatalf("immortal: %v", l.failed)
			}
			awaitPermits(t, g)
			digest := alive[0]
			alive = alive[1:]
			if l.report(g, one(t, g), digest) {
				alive = append(alive, digest)
			}
		}
	})
}

// TestOutageKillsNoMessage is the model of promise 4: a thousand messages, up to
// 64 at once, a dependency that goes down and comes back, several times.
func TestOutageKillsNoMessage(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]Settings{
		"defaults":  {},
		"sensitive": {Failures: 2, Probes: 3},
		"sluggish":  {Failures: 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(5) {
				synctest.Test(t, func(t *testing.T) { outage(t, s, seed) })
			}
		})
	}
}

func outage(t *testing.T, s Settings, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	l := newLedger(5)
	g := New("Q", s, l.hooks())
	defer g.Close()
	start := time.Now()
	// Up for 70 s, down for 7 min, and so on, under load: a message that is alone in
	// its queue cannot be told from one that is bad, unless its handler marks
	// the failure as transient.
	down := func() bool {
		return len(l.done) < 900 && time.Since(start)%(7*time.Minute+70*time.Second) > 70*time.Second
	}
	downCalls := 0
	type running struct {
		digest string
		p      Permit
		ends   time.Time
	}
	var ready []string
	for i := range 1000 {
		ready = append(ready, fmt.Sprint("m", i))
	}
	type delayed struct {
		digest string
		due    time.Time
	}
	var flying []running
	var waiting []delayed
	startedWhileOpen := 0
	for len(l.done) < 1000 {
		now := time.Now()
		waiting = slices.DeleteFunc(waiting, func(d delayed) bool {
			if now.Before(d.due) {
				return false
			}
			ready = append(ready, d.digest)
			return true
		})
		ps, v := g.Acquire(min(64-len(flying), len(ready)))
		if v.State == Open && ps.Len() > 0 {
			startedWhileOpen++
		}
		for p, ok := ps.Next(); ok; p, ok = ps.Next() {
			if !g.Start(p) {
				t.Fatal("a fresh permit may not start")
			}
			flying = append(flying, running{ready[0], p, now.Add(time.Duration(1+rnd.IntN(20_000)) * time.Millisecond)})
			ready = ready[1:]
		}
		elapse(100 * time.Millisecond)
		flying = slices.DeleteFunc(flying, func(r running) bool {
			if time.Now().Before(r.ends) {
				return false
			}
			if !down() {
				g.Done(r.p, Result{Kind: Success})
				l.done[r.digest] = true
			} else if downCalls++; l.report(g, r.p, r.digest) {
				waiting = append(waiting, delayed{r.digest, time.Now().Add(time.Second << min(l.failed[r.digest], 8))})
			} else {
				t.Fatalf("seed %d: %s died at %v of an outage; %+v", seed, r.digest, time.Since(start), g.Snapshot())
			}
			return true
		})
		if time.Since(start) > 12*time.Hour {
			t.Fatalf("stuck: %d done, %+v", len(l.done), g.Snapshot())
		}
	}
	if startedWhileOpen > 0 {
		t.Errorf("%d permits while open", startedWhileOpen)
	}
	snap := g.Snapshot()
	trips := snap.Trips
	if trips < 2 {
		t.Errorf("only %d outages met", trips)
	}
	// Per outage: what was running, what replaced the first few, and the probes.
	if most := int(trips)*(64+g.set.Failures) + int(snap.ProbeFails)*g.set.Probes; downCalls > most {
		t.Errorf("handler called %d times in vain, at most %d expected", downCalls, most)
	}
}
