package framework

import (
	"context"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// outcome is what the error of a handler called with ctx means for its message, by the
// rules of the queue.
func (r *runner) outcome(ctx context.Context, j *job, err error) handlers.Outcome {
	return r.judged(j, handlers.Settle(ctx, err))
}

// judged completes an outcome by the rules of the queue. Schedules of rules may be the
// user's code.
func (r *runner) judged(j *job, out handlers.Outcome) (judged handlers.Outcome) {
	if late, ok := out.Err.(*expiredError); ok && out.Kind == handlers.Retried { //nolint:errorlint // made by stale, never wrapped
		return handlers.Outcome{Kind: handlers.Rejected, Reason: late.Error(), Err: late}
	}
	defer func() {
		if p := recover(); p != nil {
			out.Delay = registry.DefaultBackoffLimit // now the rule's schedule is not asked
			judged = r.policy.Judge(out, j.msg.Failed)
			r.log.Error("the backoff of a rule panics; its message waits the longest default", "delay", judged.Delay, "panic", p)
		}
	}()
	return r.policy.Judge(out, j.msg.Failed)
}

// expiredError says that a message came too late for its handler.
type expiredError struct{ late, limit time.Duration }

func (e *expiredError) Error() string {
	return fmt.Sprintf("%v late, the queue allows %v", e.late.Round(time.Millisecond), e.limit)
}

// ErrorType names it in telemetry.
func (e *expiredError) ErrorType() string { return ReasonExpired }

// stale tells the message how late it may be, and returns an error for one that is
// later and is not to be handled for that. It is asked right before the handler starts.
func (r *runner) stale(m *handlers.Message) error {
	m.MaxLateness = r.policy.MaxLateness
	if r.policy.Late != registry.Expire || !m.TooLate() {
		return nil
	}
	late, _ := m.Lateness()
	return &expiredError{late: late, limit: m.MaxLateness}
}

// fresh lets no stale message through. It stands outside of all middlewares.
func (r *runner) fresh(next handlers.Next) handlers.Next {
	if r.policy.MaxLateness <= 0 {
		return next
	}
	return func(ctx context.Context, m *handlers.Message) error {
		if err := r.stale(m); err != nil {
			return err
		}
		return next(ctx, m)
	}
}

// buriedAs is the reason that the dead store keeps for a rejected message.
func buriedAs(out handlers.Outcome) string {
	if _, ok := out.Err.(*expiredError); ok { //nolint:errorlint // as in judged
		return ReasonExpired
	}
	return ReasonRejected
}
