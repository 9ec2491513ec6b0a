package engine

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/registry"
)

func TestLongestTurn(t *testing.T) {
	t.Parallel()
	policy := func(attempts int, s registry.Schedule) registry.Policy {
		return registry.Policy{MaxAttempts: attempts, Backoff: s}
	}
	usual := registry.Exponential(registry.DefaultBackoffBase, registry.DefaultBackoffLimit)
	for name, c := range map[string]struct {
		p           registry.Policy
		least, most time.Duration
	}{
		"default":     {policy(registry.DefaultMaxAttempts, usual), 170 * time.Minute, 3 * time.Hour},
		"without end": {policy(registry.Unlimited, usual), 0, 0},
		"one attempt": {policy(1, usual), 0, 0},
		"equal steps": {policy(5, registry.Steps(time.Minute)), 0, 0},
		"short":       {policy(5, registry.Exponential(time.Second, time.Minute)), time.Second, 10 * time.Second},
		"panics":      {policy(5, registry.ScheduleFunc(func(int, float64) time.Duration { panic("user") })), 0, 0},
		"negative":    {policy(5, registry.ScheduleFunc(func(int, float64) time.Duration { return -time.Hour })), 0, 0},
	} {
		if got := longestTurn(c.p); got < c.least || got > c.most {
			t.Errorf("%s: %v, want %v to %v", name, got, c.least, c.most)
		}
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	trip := time.Now()
	at := func(d time.Duration) time.Time { return trip.Add(d) }
	p := outagePace{Longest: 3 * time.Hour}
	p.Failed(trip.Add(-time.Minute), trip.Add(-time.Hour)) // of the trip before
	if d := p.Wait(at(time.Minute), trip, 1); d > 0 {
		t.Errorf("it begins with a wait of %v", d)
	}
	p.Saw(10)
	p.Saw(2) // the others wait for their retry
	for _, c := range []struct {
		age, want time.Duration
		processes int
	}{
		{10 * time.Minute, time.Minute, 1},
		{time.Hour, 6 * time.Minute, 1},
		{time.Hour, 12 * time.Minute, 2},
		{24 * time.Hour, 18 * time.Minute, 1},
		{24 * time.Hour, 3 * time.Hour, 1000},
	} {
		p.Failed(at(c.age), trip)
		if d := p.Wait(at(c.age), trip, c.processes); d != c.want {
			t.Errorf("after %v with %d processes: %v, want %v", c.age, c.processes, d, c.want)
		}
	}

	// One message: tried again when the outage is twice as old as at its last attempt.
	alone := outagePace{Longest: 3 * time.Hour}
	alone.Failed(at(time.Hour), trip)
	for now, want := range map[time.Duration]time.Duration{time.Hour: time.Hour, 90 * time.Minute: 30 * time.Minute, 2 * time.Hour: 0} {
		if d := alone.Wait(at(now), trip, 1); d != want {
			t.Errorf("alone, after %v: %v, want %v", now, d, want)
		}
	}
	alone.Failed(trip.Add(time.Microsecond), trip) // the failure that tripped it
	if d := alone.Wait(at(time.Second), trip, 1); d > 0 {
		t.Errorf("after the trip it waits for %v", d)
	}
}
