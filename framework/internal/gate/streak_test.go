package gate

import (
	"fmt"
	"testing"
	"testing/synctest"
)

func TestTheSameMessageCountsOnceUntilSomethingSucceeds(t *testing.T) {
	t.Parallel()
	g, _ := newGate(t, Settings{})
	for i := range 1000 {
		fail(t, g, fmt.Sprint(i%3))
	}
	if s := g.Snapshot(); s.State != Closed || s.Streak != 3 || s.Failures != 1000 {
		t.Fatalf("three messages that fail again and again: %+v", s)
	}
	g.Done(one(t, g), Result{Kind: Success})
	for i := range 3 {
		fail(t, g, fmt.Sprint("other", i))
	}
	if s := g.Snapshot(); s.State != Closed || s.Streak != 3 {
		t.Fatalf("a success in between: %+v", s)
	}
	fail(t, g, "fourth")
	if s := g.Snapshot(); s.State != Open || s.Trips != 1 {
		t.Fatalf("four different ones: %+v", s)
	}
}

func TestMessagesWithoutANameAreOne(t *testing.T) {
	t.Parallel()
	g, _ := newGate(t, Settings{Failures: 2})
	for range 10 {
		g.Done(one(t, g), Result{Kind: Failure, Err: errDown})
	}
	if s := g.Snapshot(); s.State != Closed || s.Streak != 1 {
		t.Fatalf("%+v; want State Closed, Streak 1", s)
	}
}

// What had started before a trip moves nothing, and is no part of the next streak.
func TestResultsFromBeforeATripDoNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := newGate(t, Settings{Failures: 2})
		var running []Permit
		for range 5 {
			running = append(running, one(t, g))
		}
		trip(t, g)
		g.Done(running[0], failure("r0"))
		g.Done(running[1], Result{Kind: Success})
		if s := g.Snapshot(); s.State != Open || s.Trips != 1 {
			t.Fatalf("%+v; want State Open, Trips 1", s)
		}
		awaitPermits(t, g)
		g.Done(running[2], Result{Kind: Success})
		if s := g.Snapshot(); s.State != HalfOpen {
			t.Fatalf("closed by a message that had started before: %+v", s)
		}
		g.Done(one(t, g), Result{Kind: Success})
		g.Done(running[3], failure("r3"))
		g.Done(running[4], failure("r4"))
		if s := g.Snapshot(); s.State != Closed || s.Streak != 0 {
			t.Fatalf("tripped by messages from before: %+v", s)
		}
	})
}
