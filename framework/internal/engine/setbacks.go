package engine

import (
	"context"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
)

const (
	maxSetbacks  = 10_000      // that a process remembers of one queue
	setbackBatch = 200         // that are brought forward in one round trip
	forwardTime  = time.Minute // in which they come when the breaker has closed
	forwardTries = 20          // of a batch that Redis does not take
)

// setback is a message that failed while the breaker was not closed, and waits.
type setback struct {
	id      wire.ElementID // with dueMs its ID
	dueMs   int64
	retryMs int64 // when it is due again
}

// setbacks are the latest of a queue. The zero value is empty.
type setbacks struct {
	mu   sync.Mutex
	all  []setback
	next int // to be overwritten, once there are maxSetbacks
}

func (s *setbacks) add(b setback) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) < maxSetbacks {
		s.all = append(s.all, b)
		return
	}
	s.all[s.next] = b
	s.next = (s.next + 1) % maxSetbacks
}

// take returns them and forgets them.
func (s *setbacks) take() []setback {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.all, s.next = nil, 0
	return all
}

// remember keeps a retry that is to come forward when the breaker closes. A delay that
// the handler named stays.
func (r *runner) remember(t *retrial) {
	if t.out.Delay >= 0 && handlers.Decided(t.out.Err) {
		return
	}
	r.setbacks.add(setback{id: t.job.msg.ID.Element, dueMs: t.job.msg.ID.DueMs, retryMs: t.nack.Result.DueMs})
	if !r.gate.Tripped() { // it has closed since the message failed
		r.breakerClosed()
	}
}

// breakerClosed is called by the gate when the breaker has closed, and does not hold it up.
func (r *runner) breakerClosed() {
	if all := r.setbacks.take(); len(all) > 0 {
		go r.bringForward(all)
	}
}

// bringForward spreads retries over the next minute that would come later, since what
// they failed for seems to be over. It ends when the runner does, and gives up where
// Redis refuses: they come by their schedule then.
func (r *runner) bringForward(all []setback) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.base))
	defer cancel()
	go func() {
		defer cancel()
		select {
		case <-r.done:
		case <-ctx.Done():
		}
	}()
	now := time.Now()
	if t, ok := r.holder.Load().sess.ServerTime(); ok {
		now = t
	}
	var moves []delayed.Move
	for _, b := range all {
		if b.retryMs > now.Add(forwardTime).UnixMilli() {
			soon := now.Add(chance.Below(forwardTime))
			moves = append(moves, delayed.Move{DueMs: b.dueMs, ID: b.id, ToMs: soon.UnixMilli()})
		}
	}
	total := 0
	b := newBackoff(50*time.Millisecond, 5*time.Second)
	for failures := 0; len(moves) > 0 && failures < forwardTries && ctx.Err() == nil; failures++ {
		batch := moves[:min(len(moves), setbackBatch)]
		callCtx, end := context.WithTimeout(ctx, settleTimeout)
		n, err := delayed.RescheduleAll(callCtx, r.rdb, r.keys, batch)
		end()
		total += n
		if err == nil {
			moves = moves[len(batch):]
			b.reset()
			failures = -1
			continue
		}
		delay := b.next()
		r.log.WarnContext(ctx, "retries could not be brought forward yet", "again_in", delay, "messages", len(moves), "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(delay):
		}
	}
	if total > 0 {
		r.log.InfoContext(ctx, "the breaker has closed: retries that failed while it was open come within a minute", "messages", total)
	}
}
