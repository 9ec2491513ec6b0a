package gate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var errDown = errors.New("dependency is down")

// recorder keeps what the hooks were told.
type recorder struct {
	mu        sync.Mutex
	changes   []Change
	recovered int
}

func (r *recorder) hooks() Hooks {
	return Hooks{
		OnChange:   func(c Change) { r.mu.Lock(); r.changes = append(r.changes, c); r.mu.Unlock() },
		OnRecovery: func() { r.mu.Lock(); r.recovered++; r.mu.Unlock() },
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

func failure(message string) Result {
	return Result{Kind: Failure, Err: errDown, Message: func() string { return message }}
}

// fail runs one message into a failure.
func fail(t *testing.T, g *Gate, message string) {
	t.Helper()
	g.Done(one(t, g), failure(message))
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

func contextWithCause(t *testing.T) (context.Context, context.CancelCauseFunc) {
	t.Helper()
	return context.WithCancelCause(t.Context())
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
