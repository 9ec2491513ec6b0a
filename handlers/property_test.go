package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/handlers"
)

// anyError builds an error tree of marks, decisions and wrappers.
func anyError(t *rapid.T, depth int) error {
	if depth == 0 {
		return rapid.SampledFrom([]error{
			io.EOF, context.Canceled, context.DeadlineExceeded, handlers.ErrDraining, handlers.ErrLeaseLost,
			handlers.ErrTimeout, &marked{transient: true}, &marked{permanent: true}, &codecs.DecodeError{}, &bomb{}, &circle{},
		}).Draw(t, "leaf")
	}
	inner := anyError(t, depth-1)
	switch rapid.IntRange(0, 9).Draw(t, "wrapper") {
	case 0:
		return handlers.Retry(inner)
	case 1:
		return handlers.RetryAfter(time.Duration(rapid.Int64().Draw(t, "delay")), inner)
	case 2:
		return handlers.Reject("why", inner)
	case 3:
		return handlers.Transient(inner)
	case 4:
		return handlers.Permanent(inner)
	case 5:
		return &handlers.PanicError{Value: inner}
	case 6:
		return &handlers.TimeoutError{After: time.Second, Err: inner}
	case 7:
		return errors.Join(inner, anyError(t, depth-1))
	case 8:
		return fmt.Errorf("both %w and %w", inner, anyError(t, depth-1))
	}
	return wrap(inner)
}

// Whatever a handler returns, the outcome makes sense, and an interruption is
// never held against the message by accident.
func TestOutcomesMakeSense(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		err := anyError(t, rapid.IntRange(0, 5).Draw(t, "depth"))
		cause := rapid.SampledFrom([]error{nil, handlers.ErrDraining, handlers.ErrLeaseLost, handlers.ErrTimeout, io.ErrClosedPipe}).Draw(t, "cause")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		if cause != nil {
			cancel(cause)
		}

		for name, o := range map[string]handlers.Outcome{"Classify": handlers.Classify(err), "Settle": handlers.Settle(ctx, err)} {
			switch {
			case o.Kind == handlers.Done:
				t.Fatalf("%s: %v completes the message", name, err)
			case o.Err == nil:
				t.Fatalf("%s: the error is lost: %+v", name, o)
			case o.Kind != handlers.Retried && (o.CountsForBreaker || o.Transient || o.Delay != 0):
				t.Fatalf("%s: a retry's marks on %+v", name, o)
			case o.Transient && !o.CountsForBreaker:
				t.Fatalf("%s: transient, yet not for the breaker: %+v", name, o)
			case o.Delay < handlers.ByPolicy:
				t.Fatalf("%s: delay %v", name, o.Delay)
			case (o.Kind == handlers.Rejected) != (o.Reason != ""):
				t.Fatalf("%s: reason %q of %v", name, o.Reason, o.Kind)
			}
			if handlers.ErrorType(o.Err) == "" {
				t.Fatalf("%s: no error type", name)
			}
		}
		if settled := handlers.Settle(ctx, err); cause == nil && settled.Kind != handlers.Classify(err).Kind {
			t.Fatalf("without interruption: %v", settled.Kind)
		}
	})
}
