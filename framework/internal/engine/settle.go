package engine

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/trouble"
	"github.com/duequeue/duequeue/handlers"
)

// settler tells the gate and Redis what became of the messages of a queue.
type settler struct {
	queue

	pool      *pool
	setbacks  setbacks           // retries that failed while the breaker was open
	pace      outagePace         // of probes meanwhile
	returning sessions.Returning // what is not finished when the process stops

	unsettled    atomic.Int64  // messages whose end Redis does not take now
	unsettledErr trouble.State // why
}

// settle tells the gate and Redis what became of a group, of each message by its outcome, and
// frees its worker. Those that failed are offered again together, and those that were
// interrupted go back together, in their order. ctx is the handler's: it may have ended, so
// Redis is asked with a detached one.
func (s *settler) settle(ctx context.Context, js []*job, outs []handlers.Outcome) {
	var retried []*retrial
	var back []*job
	var why []handlers.Outcome
	for i, j := range js {
		switch out := outs[i]; out.Kind {
		case handlers.Done:
			s.acknowledge(ctx, j, out)
		case handlers.Retried:
			retried = append(retried, s.retrial(j, out))
		case handlers.Rejected:
			s.reject(context.WithoutCancel(ctx), j, out)
		default: // Released
			back, why = append(back, j), append(why, out)
		}
	}
	if retried != nil {
		s.retry(context.WithoutCancel(ctx), retried)
	}
	if back != nil {
		s.release(context.WithoutCancel(ctx), back, why)
	}
}

// acknowledge settles a message that was handled.
func (s *settler) acknowledge(ctx context.Context, j *job, out handlers.Outcome) {
	defer s.leave(j, true)
	s.gate.Done(j.permit, gate.Result{Kind: gate.Success})
	j.note(journal.Handled, "")
	j.session.Acks.Add(j.msg.Token)
	j.span.End(out)
	s.tell(ctx, j, handlers.Settled{})
	if s.log.Enabled(ctx, slog.LevelDebug) {
		s.log.DebugContext(ctx, "message done", j.named("took", time.Since(j.started))...)
	}
}

// reject moves a message to the dead store that is not to be tried again.
func (s *settler) reject(ctx context.Context, j *job, out handlers.Outcome) {
	defer s.leave(j, false)
	defer j.span.End(out)
	reason := buriedAs(out)
	called := reason != handlers.ReasonExpired || errors.Unwrap(out.Err) != nil
	if !called && !j.handled {
		s.gate.GiveBack(j.permit) // it costs no token
	}
	s.gate.Done(j.permit, gate.Result{Kind: kindOf(out), Err: out.Err, Message: j.name})
	if done := s.bury(ctx, j, reason, out.Reason, called && !out.Transient, out.Err); done != (lease.DeadResult{}) { // Redis has answered
		s.tell(ctx, j, handlers.Settled{Kind: handlers.Rejected, Reason: reason, Err: out.Err, Gone: done.Entry == ""})
	}
}

// tell calls the functions that wait for the end of a delivery: users' code.
func (q *queue) tell(ctx context.Context, j *job, end handlers.Settled) {
	j.settling.Tell(end, func(value any) {
		q.log.ErrorContext(ctx, "a function of OnSettled panics: the message is settled all the same", j.named("panic", value, "stack", string(debug.Stack()))...)
	})
}

// release gives messages of one session back whose handler was interrupted, by shutdown or a
// lost lease.
func (s *settler) release(ctx context.Context, js []*job, outs []handlers.Outcome) {
	for i, j := range js {
		s.gate.Done(j.permit, gate.Result{Kind: gate.Excluded, Err: outs[i].Err})
	}
	s.giveBack(ctx, true, js...)
	for i, j := range js {
		j.span.Released(handlers.ErrorType(outs[i].Err))
		s.log.InfoContext(ctx, "handler interrupted: its message goes back to the head of the queue, uncharged", j.named("err", outs[i].Err)...)
		j.span.End(outs[i])
		s.tell(ctx, j, handlers.Settled{Kind: handlers.Released, Err: outs[i].Err})
		s.leave(j, false)
	}
}

// Leave frees the worker of a settled message.
func (s *settler) leave(j *job, acked bool) {
	j.session.Settled(acked)
	s.pool.Leave()
}

// gone logs that an attempt failed after this process had lost its message.
func (q *queue) gone(ctx context.Context, j *job, err error) {
	q.log.InfoContext(ctx, "handler failed, and the message belongs to another process by now", j.failure(err)...)
}

// endCancelled logs that an attempt failed after its message had been cancelled.
func (q *queue) endCancelled(ctx context.Context, j *job, err error) {
	q.log.WarnContext(ctx, "attempt failed, and the message had been cancelled: it ends as cancelled", j.failure(err)...)
}

// kindOf is how the breaker counts what is not a success.
func kindOf(out handlers.Outcome) gate.Kind {
	if out.CountsForBreaker {
		return gate.Failure
	}
	return gate.Excluded
}

// bury moves the message to the dead store, and logs it, unless it was cancelled meanwhile
// or another process has it by now.
func (s *settler) bury(ctx context.Context, j *job, reason, detail string, charge bool, cause error) lease.DeadResult {
	done := s.store(ctx, j, reason, detail, charge)
	switch {
	case done.Entry != "":
		j.span.Dead(reason)
		j.note(journal.Dead, reason)
		s.log.ErrorContext(ctx, "message moved to the dead store",
			append(j.failure(cause), "reason", reason, "detail", detail, "entry", j.entry(done.Entry))...)
	case done.Cancelled:
		j.span.Cancelled()
		s.endCancelled(ctx, j, cause)
	case done.Gone:
		s.gone(ctx, j, cause)
	}
	return done
}

// store does what bury does, and logs nothing. The result is zero where the engine is torn
// down before Redis answers.
func (s *settler) store(ctx context.Context, j *job, reason, detail string, charge bool) (done lease.DeadResult) {
	detail = codecs.Printable(detail, maxDetail)
	s.persist(ctx, "dead", func(ctx context.Context) (err error) {
		done, err = j.session.Dead(ctx, j.msg.Token, lease.DeadArgs{
			Reason: reason, Detail: detail, Charge: charge, Trace: j.msg.Trace,
		})
		return err
	})
	return done
}

// giveBack returns messages to the head of the queue in their order, uncharged.
func (s *settler) giveBack(ctx context.Context, started bool, js ...*job) {
	back := make([]lease.Released, len(js))
	for i, j := range js {
		back[i] = lease.Released{Token: j.msg.Token, Started: started || j.handled}
	}
	h := js[0].session // all of one session
	if s.returning.Add(h, back) {
		return
	}
	s.persist(ctx, "release", func(ctx context.Context) error {
		done, err := h.Release(ctx, back)
		s.cancelled(ctx, done.Cancelled)
		return err
	})
}

// cancelled logs and counts messages that did not go back, since they were cancelled in
// flight.
func (q *queue) cancelled(ctx context.Context, n int) {
	if n > 0 {
		q.tel.Cancelled(ctx, telemetry.CancelledInFlight, int64(n))
		q.log.InfoContext(ctx, "messages were cancelled while they were in flight: they do not go back", "messages", n)
	}
}

// persist repeats what must reach Redis until it does, so that no message stays
// in flight for ever behind a lease that is being renewed. It gives up, and reports
// false, only when the engine is torn down: then the session's end returns the
// message.
func (s *settler) persist(ctx context.Context, what string, do func(context.Context) error) bool {
	return s.persistAll(ctx, what, 1, do)
}

// persistAll is persist for n messages at once.
func (s *settler) persistAll(ctx context.Context, what string, n int, do func(context.Context) error) bool {
	b := trouble.NewBackoff(trouble.RetryFirst, trouble.RetryMost)
	for try := 0; ; try++ {
		callCtx, cancel := context.WithTimeout(ctx, settleTimeout)
		err := do(callCtx)
		cancel()
		if err == nil {
			return true
		}
		if try == 0 {
			s.unsettled.Add(int64(n))
			defer s.settledAtLast(ctx, n)
		}
		if s.unsettledErr.Begin(err) {
			s.log.ErrorContext(ctx, "could not tell Redis what became of a message; tried again until it works", "op", what, "err", err)
		}
		select {
		case <-time.After(b.Next()):
		case <-s.torn:
			return false
		}
	}
}

// settledAtLast subtracts n from the messages that wait for Redis, and logs when none does.
func (s *settler) settledAtLast(ctx context.Context, n int) {
	if s.unsettled.Add(-int64(n)) > 0 {
		return
	}
	if lasted, was := s.unsettledErr.End(); was {
		s.log.InfoContext(ctx, "Redis knows what became of all messages", "after", lasted)
	}
}

// settleTimeout bounds one attempt to tell Redis.
const settleTimeout = 5 * time.Second

// Bounds of what is kept beside a message, as [codecs.Printable] makes it.
const (
	maxErrText = 1 << 10        // of an error
	maxDetail  = 2 * maxErrText // of a reason with what else is known
)

// errText is one printable line.
func errText(err error) string { return errtext.Of(err, maxErrText) }
