package engine

import (
	"cmp"
	"context"
	"runtime/debug"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// retrial is a message on its way to its next attempt, or to the dead store after its
// last one.
type retrial struct {
	job     *job
	out     handlers.Outcome
	delay   time.Duration
	setBack bool // it failed while the breaker was not closed
	nack    lease.Nacking
}

// retrial tells the gate of a failure, and returns what Redis must learn of it. Every
// failure is charged but those that are marked transient.
func (s *settler) retrial(j *job, out handlers.Outcome) *retrial {
	s.gate.Done(j.permit, gate.Result{Kind: kindOf(out), Err: out.Err, Message: j.name})
	delay := out.Delay
	if delay < 0 {
		delay = s.retryDelay(j, out)
	}
	if !out.Transient {
		s.pace.Failed(time.Now(), s.gate.TrippedAt())
	}
	t := &retrial{job: j, out: out, delay: delay, setBack: s.gate.Tripped(), nack: lease.Nacking{
		Token: j.msg.Token,
		NackArgs: lease.NackArgs{
			Charge: !out.Transient, MaxAttempts: cmp.Or(out.MaxAttempts, s.policy.MaxAttempts), Delay: delay,
			Reason: handlers.ReasonExhausted, ErrText: errText(out.Err), Trace: j.msg.Trace,
		},
	}}
	if j.hung {
		t.nack.Reason = handlers.ReasonHung
	}
	if j.toBlame && !t.setBack {
		t.nack.MaxHangs = s.policy.MaxHangs
	}
	return t
}

// retry offers messages of one session again after their backoffs, or buries those whose
// last attempt it was: in their order and in one round trip.
func (s *settler) retry(ctx context.Context, all []*retrial) {
	nacks := make([]*lease.Nacking, len(all))
	for i, t := range all {
		nacks[i] = &t.nack
	}
	sess := all[0].job.session
	s.persistAll(ctx, "nack", len(all), func(ctx context.Context) error { return sess.NackAll(ctx, nacks) })
	for _, t := range all {
		if t.nack.Settled {
			s.tell(ctx, t.job, s.retried(ctx, t))
		}
		t.job.span.End(t.out)
		s.leave(t.job, false)
	}
}

// retried logs and counts what became of a message that was nacked, and returns it.
func (s *settler) retried(ctx context.Context, t *retrial) handlers.Settled {
	j, end := t.job, handlers.Settled{Kind: handlers.Retried, Delay: t.delay, Err: t.out.Err}
	switch t.nack.Result.Outcome {
	case lease.Gone:
		s.gone(ctx, j, t.out.Err)
		end.Gone = true
		return end
	case lease.Dead:
		j.span.Dead(t.nack.Reason)
		j.note(journal.Dead, t.nack.Reason)
		s.log.ErrorContext(ctx, "message moved to the dead store: its last attempt failed",
			append(j.failure(t.out.Err), "reason", t.nack.Reason, "entry", j.entry(t.nack.Result.Entry))...)
		return handlers.Settled{Kind: handlers.Rejected, Reason: t.nack.Reason, Err: t.out.Err}
	case lease.Cancelled:
		j.span.Cancelled()
		s.endCancelled(ctx, j, t.out.Err)
		end.Gone = true
		return end
	case lease.Retried:
	}
	if t.setBack {
		s.remember(t) //nolint:contextcheck // bringing it forward outlives this message
	}
	j.span.Retry(t.delay, t.nack.Charge)
	s.log.WarnContext(ctx, "handler failed: message will be retried",
		append(j.failure(t.out.Err), "charged", t.nack.Charge, "delay", t.delay, "at", time.UnixMilli(t.nack.Result.DueMs))...)
	return end
}

// remember keeps a retry that is to come forward when the breaker closes. A delay that
// the handler named stays.
func (s *settler) remember(t *retrial) {
	if t.out.Delay >= 0 && handlers.Decided(t.out.Err) {
		return
	}
	s.setbacks.Add(setback{ID: t.job.msg.ID, RetryMs: t.nack.Result.DueMs})
	if !s.gate.Tripped() { // it has closed since the message failed
		s.breakerClosed()
	}
}

// breakerClosed is called by the gate when the breaker has closed, and does not hold it up.
// What it begins ends when the runner does.
func (s *settler) breakerClosed() {
	all := s.setbacks.Take()
	if len(all) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.base))
	var forward background.Group
	for i, t := range s.takers {
		some := slices.DeleteFunc(slices.Clone(all), func(b setback) bool { return b.ID.Partition != i })
		if len(some) == 0 {
			continue
		}
		forward.Task(ctx, "bring retries forward", func() {
			now := time.Now()
			if at, ok := t.sessions.Current().ServerTime(); ok {
				now = at
			}
			bringForward(ctx, s.rdb, t.keys, some, now, s.log)
		})
	}
	background.Go(ctx, "wait for retries", func() {
		defer cancel()
		forward.Wait()
	})
	background.Go(ctx, "end with the runner", func() {
		defer cancel()
		select {
		case <-s.done:
		case <-ctx.Done():
		}
	})
}

// retryDelay asks the queue's backoff, which may be the user's code.
func (q *queue) retryDelay(j *job, out handlers.Outcome) (d time.Duration) {
	defer func() {
		if p := recover(); p != nil {
			d = defaultDelay(j, out)
			q.log.Error("the queue's backoff panics; its message waits by the default one", "delay", d, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	return q.policy.RetryDelay(registry.Tries(out, j.msg.Failed, j.msg.Delivered) + 1)
}

// defaultDelay is how long a queue waits that declares no backoff.
func defaultDelay(j *job, out handlers.Outcome) time.Duration {
	s := registry.Exponential(registry.DefaultBackoffBase, registry.DefaultBackoffLimit)
	return s.Delay(registry.Tries(out, j.msg.Failed, j.msg.Delivered)+1, chance.Float64())
}

// postpone offers a message again later that cannot run in this process now, as if it had not
// been taken. It reports false for one that was cancelled meanwhile.
func (s *settler) postpone(j *job, delay time.Duration) bool {
	defer s.leave(j, false)
	ctx := context.WithoutCancel(s.base)
	s.gate.GiveBack(j.permit) // no handler was called: it costs no token
	s.gate.Done(j.permit, gate.Result{Kind: gate.Excluded})
	nack := lease.Nacking{Token: j.msg.Token, NackArgs: lease.NackArgs{Uncalled: !j.handled, Delay: delay, Trace: j.msg.Trace}}
	s.persist(ctx, "nack", func(ctx context.Context) error { return j.session.NackAll(ctx, []*lease.Nacking{&nack}) })
	if nack.Result.Outcome == lease.Cancelled {
		s.cancelled(ctx, 1)
		return false
	}
	s.tel.Released(ctx, 1)
	return true
}
