package gate

import (
	"errors"
	"fmt"
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

// elapse lets virtual time pass, and what it starts come to rest.
func elapse(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// awaitPermits waits until the gate gives permits again.
func awaitPermits(t *testing.T, g *Gate) {
	t.Helper()
	if err := g.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}
