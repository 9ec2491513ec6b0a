package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/trouble"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// outagePace spreads the attempts of messages that have failed over an outage: while the breaker
// is not closed, those of a queue are tried in turn, each again when the outage is twice as
// old as at its last attempt, and after Longest at the latest. So some message is
// tried soon after the end of an outage, however long it was, though each has a bounded
// number of attempts: by their own delays alone few messages would all wait for hours.
// No message is tried before its own delay is over, which for the last attempts of the
// default schedule is longer. What was not tried yet does not wait.
type outagePace struct {
	Longest time.Duration // between two attempts of a message; 0: no pace is kept

	mu    sync.Mutex
	trip  time.Time // of the breaker, to which the others belong
	last  time.Time // failure that was charged
	ready int       // most messages that were ready at a probe
}

// of makes p begin anew where the breaker was closed meanwhile. Caller holds mu.
func (p *outagePace) of(trip time.Time) {
	if !p.trip.Equal(trip) {
		p.trip, p.last, p.ready = trip, time.Time{}, 0
	}
}

// Wait returns how long messages that have failed must wait, at most 0 where they need not.
func (p *outagePace) Wait(now, trip time.Time, processes int) time.Duration {
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
func (p *outagePace) Saw(ready int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = max(p.ready, ready)
}

// Failed notes a failure that was charged.
func (p *outagePace) Failed(now, trip time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of(trip)
	p.last = now
}

// longestTurn gives the attempts that p's schedule makes first, one soon after the other, as
// much time as all of them have by it: what they need under an open breaker is at most
// twice that. By the default schedule these are three hours.
func longestTurn(p registry.Policy) (longest time.Duration) {
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

const (
	maxSetbacks  = 10_000      // that a process remembers of one queue
	setbackBatch = 200         // that are brought forward in one round trip
	forwardTime  = time.Minute // in which they come when the breaker has closed
	forwardTries = 20          // of a batch that Redis does not take
)

// setback is a message that failed while the breaker was not closed, and waits.
type setback struct {
	ID      wire.MessageID
	RetryMs int64 // when it is due again
}

// setbacks are the latest of a queue. The zero value is empty.
type setbacks struct {
	mu   sync.Mutex
	all  []setback
	next int // to be overwritten, once there are maxSetbacks
}

// Add remembers one.
func (s *setbacks) Add(b setback) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) < maxSetbacks {
		s.all = append(s.all, b)
		return
	}
	s.all[s.next] = b
	s.next = (s.next + 1) % maxSetbacks
}

// Take returns them and forgets them.
func (s *setbacks) Take() []setback {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.all, s.next = nil, 0
	return all
}

// forwardTimeout bounds one call.
const forwardTimeout = 5 * time.Second

// bringForward spreads retries over the next minute that would come later, since what
// they failed for seems to be over. now is the time of Redis. It ends when ctx does, and
// gives up where Redis refuses: they come by their schedule then.
func bringForward(ctx context.Context, rdb redisapi.Client, keys wire.Keys, all []setback, now time.Time, log *slog.Logger) {
	var moves []delayed.Move
	for _, b := range all {
		if b.RetryMs > now.Add(forwardTime).UnixMilli() {
			soon := now.Add(chance.Below(forwardTime))
			moves = append(moves, delayed.Move{DueMs: b.ID.DueMs, ID: b.ID.Element, ToMs: soon.UnixMilli()})
		}
	}
	total := 0
	b := trouble.NewBackoff(50*time.Millisecond, 5*time.Second)
	for failures := 0; len(moves) > 0 && failures < forwardTries && ctx.Err() == nil; failures++ {
		batch := moves[:min(len(moves), setbackBatch)]
		callCtx, end := context.WithTimeout(ctx, forwardTimeout)
		n, err := delayed.RescheduleAll(callCtx, rdb, keys, batch)
		end()
		total += n
		if err == nil {
			moves = moves[len(batch):]
			b.Reset()
			failures = -1
			continue
		}
		delay := b.Next()
		log.WarnContext(ctx, "retries could not be brought forward yet", "again_in", delay, "messages", len(moves), "err", err)
		_ = retry.Pause(ctx, delay) // the loop looks at ctx
	}
	if total > 0 {
		log.InfoContext(ctx, "the breaker has closed: retries that failed while it was open come within a minute", "messages", total)
	}
}
