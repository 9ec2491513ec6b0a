package handlers

import (
	"context"
	"time"
)

// Timeout gives what it wraps the time d: then ctx ends with the cause
// [ErrTimeout]. An error that comes after that becomes a [*TimeoutError],
// unless it is a decision of the handler's own ([Retry], [Reject], …) that has
// nothing to do with the deadline. A nil error stays nil: late, but done. Zero
// or less is no limit.
//
// Timeout does not wait in place of a handler that ignores ctx, nor go on
// without it: the engine does that, after the queue's grace. An earlier
// deadline of ctx stays in force, and then nothing is added. A timer starts only
// when code asks ctx whether it is done, or derives a context from it.
func Timeout(d time.Duration) Middleware {
	return func(next Next) Next {
		if d <= 0 {
			return next
		}
		return func(ctx context.Context, m *Message) error {
			deadline := time.Now().Add(d)
			if earlier, ok := ctx.Deadline(); ok && earlier.Before(deadline) {
				return next(ctx, m)
			}
			ctx, own := withDeadline(ctx, deadline)
			defer own.finish()
			err := next(ctx, m)
			if err != nil && endedBy(ctx, ErrTimeout) && timedOut(err, judge(err)) {
				return &TimeoutError{After: d, Err: err}
			}
			return err
		}
	}
}

// timedOut reports whether err, which came when the time was over, is to be put
// down to that: v is what err says by itself.
func timedOut(err error, v verdict) bool {
	return !v.final && (!v.explicit || matches(err, context.DeadlineExceeded))
}
