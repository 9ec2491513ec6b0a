package engine

import (
	"cmp"
	"context"
	"runtime/debug"
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine/deadstore"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// outcome is what the error of a handler called with ctx means for its message, by the
// rules of the queue.
func (q *queue) outcome(ctx context.Context, j *job, err error) handlers.Outcome {
	return q.judged(j, handlers.Settle(ctx, err))
}

// judged completes an outcome by the policy of the queue.
func (q *queue) judged(j *job, out handlers.Outcome) handlers.Outcome {
	if late, ok := out.Err.(*deadstore.ExpiredError); ok && out.Kind == handlers.Retried { //nolint:errorlint // made by stale, never wrapped
		return handlers.Outcome{Kind: handlers.Rejected, Reason: late.Error(), Err: late}
	}
	return q.aged(j, q.ruled(j, out))
}

// ruled completes an outcome by the rules of the queue. Schedules of rules may be the
// user's code.
func (q *queue) ruled(j *job, out handlers.Outcome) (ruled handlers.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out.Delay = defaultDelay(j, out) // now the rule's schedule is not asked
			ruled = q.policy.Judge(out, j.msg.Failed, j.msg.Delivered)
			q.log.Error("the backoff of a rule panics; its message waits by the default one", "delay", ruled.Delay, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	return q.policy.Judge(out, j.msg.Failed, j.msg.Delivered)
}

// aged ends a message that would be retried beyond its MaxAge. That decides the delay.
func (q *queue) aged(j *job, out handlers.Outcome) handlers.Outcome {
	if out.Kind != handlers.Retried || q.policy.MaxAge <= 0 {
		return out
	}
	most := cmp.Or(out.MaxAttempts, q.policy.MaxAttempts)
	first, known := j.firstDue()
	if !known || !out.Transient && j.msg.Failed+1 >= most { // that was its last attempt anyway
		return out
	}
	if out.Delay < 0 {
		out.Delay = q.retryDelay(j, out)
	}
	age := j.serverTime(time.Now()).Add(out.Delay).Sub(first)
	if age <= q.policy.MaxAge {
		return out
	}
	out.Kind = handlers.Rejected
	out.Err = &deadstore.ExpiredError{Late: age, Limit: q.policy.MaxAge, Failure: out.Err}
	out.Reason = errText(out.Err)
	return out
}

// stale tells the message how late it may be, and returns an error for one that is
// later and is not to be handled for that. It is asked right before the handler starts.
func (q *queue) stale(m *handlers.Message) error {
	m.MaxLateness = q.policy.MaxLateness
	if q.policy.Late != registry.Expire || !m.TooLate() {
		return nil
	}
	late, _ := m.Lateness()
	return &deadstore.ExpiredError{Late: late, Limit: m.MaxLateness}
}

// fresh lets no stale message through. It comes before all middlewares.
func (q *queue) fresh(next handlers.Next) handlers.Next {
	if q.policy.MaxLateness <= 0 {
		return next
	}
	return func(ctx context.Context, m *handlers.Message) error {
		if err := q.stale(m); err != nil {
			return err
		}
		return next(ctx, m)
	}
}

// buriedAs is the reason that the dead store keeps for a rejected message.
func buriedAs(out handlers.Outcome) string {
	if _, ok := out.Err.(*deadstore.ExpiredError); ok { //nolint:errorlint // as in judged
		return handlers.ReasonExpired
	}
	return handlers.ReasonRejected
}
