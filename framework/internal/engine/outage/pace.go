// Package outage is about messages that fail while what their handlers depend on is down and the
// breaker is not closed: how they are tried in turn meanwhile, and come forward when it is over.
package outage

import (
	"sync"
	"time"

	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Pace spreads the attempts of messages that have failed over an outage: while the breaker
// is not closed, those of a queue are tried in turn, each again when the outage is twice as
// old as at its last attempt, and after Longest at the latest. So some message is
// tried soon after the end of an outage, however long it was, though each has a bounded
// number of attempts: by their own delays alone few messages would all wait for hours.
// No message is tried before its own delay is over, which for the last attempts of the
// default schedule is longer. What was not tried yet does not wait.
type Pace struct {
	Longest time.Duration // between two attempts of a message; 0: no pace is kept

	mu    sync.Mutex
	trip  time.Time // of the breaker, to which the others belong
	last  time.Time // failure that was charged
	ready int       // most messages that were ready at a probe
}

// of makes p begin anew where the breaker was closed meanwhile. Caller holds mu.
func (p *Pace) of(trip time.Time) {
	if !p.trip.Equal(trip) {
		p.trip, p.last, p.ready = trip, time.Time{}, 0
	}
}

// Wait returns how long messages that have failed must wait, at most 0 where they need not.
func (p *Pace) Wait(now, trip time.Time, processes int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of(trip)
	if p.last.IsZero() {
		return 0
	}
	most := min(p.last.Sub(trip), p.Longest) // not the age now, with which one message's turn would never come
	turn := min(most/time.Duration(max(p.ready, 1))*time.Duration(max(processes, 1)), most)
	return p.last.Add(turn).Sub(now)
}

// Saw notes how many messages a probe found ready.
func (p *Pace) Saw(ready int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = max(p.ready, ready)
}

// Failed notes a failure that was charged.
func (p *Pace) Failed(now, trip time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of(trip)
	p.last = now
}

// LongestTurn gives the attempts that p's schedule makes first, one soon after the other, as
// much time as all of them have by it: what they need under an open breaker is at most
// twice that. By the default schedule these are three hours.
func LongestTurn(p registry.Policy) (longest time.Duration) {
	if p.MaxAttempts > maxPaced {
		return 0
	}
	defer func() {
		if recover() != nil { // the user's code, which tells when it is asked for a delay
			longest = 0
		}
	}()
	delays := make([]time.Duration, 0, maxPaced)
	var total time.Duration
	for attempt := 1; attempt < p.MaxAttempts; attempt++ {
		delays = append(delays, min(max(p.Backoff.Delay(attempt, 0.5), 0), handlers.MaxRetryDelay))
		total += delays[attempt-1]
	}
	short := 0
	for _, d := range delays {
		if d < total/time.Duration(len(delays)) {
			short++
		}
	}
	if short == 0 {
		return 0
	}
	return total / time.Duration(short)
}

// maxPaced is the number of attempts above which none need be saved.
const maxPaced = 1000
