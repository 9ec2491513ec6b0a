package handlers_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/duequeue/duequeue/handlers"
)

// limited calls f behind Timeout(d).
func limited(ctx context.Context, d time.Duration, f func(ctx context.Context) error) error {
	next := handlers.Chain(func(ctx context.Context, _ *handlers.Message) error { return f(ctx) }, handlers.Timeout(d))
	return next(ctx, &handlers.Message{})
}

func TestTimeoutEndsTheContext(t *testing.T) {
	t.Parallel()
	waits := map[string]func(ctx context.Context) error{
		"by its channel": func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		},
		"by a child": func(ctx context.Context) error {
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			<-child.Done()
			if !errors.Is(context.Cause(child), handlers.ErrTimeout) {
				return io.ErrNoProgress
			}
			return child.Err()
		},
		"by asking now and then": func(ctx context.Context) error {
			for ctx.Err() == nil {
				<-time.After(time.Second)
			}
			return ctx.Err()
		},
		"by AfterFunc": func(ctx context.Context) error {
			over := make(chan struct{})
			context.AfterFunc(ctx, func() { close(over) })
			<-over
			return ctx.Err()
		},
		"by its cause": func(ctx context.Context) error {
			<-ctx.Done()
			return context.Cause(ctx)
		},
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var inside context.Context
				err := limited(t.Context(), time.Minute, func(ctx context.Context) error {
					inside = ctx //nolint:fatcontext // looked at after the call
					return wait(ctx)
				})
				if took := time.Since(start); took != time.Minute {
					t.Errorf("ended after %v", took)
				}
				var te *handlers.TimeoutError
				if !errors.As(err, &te) || te.After != time.Minute || !te.Timeout() {
					t.Fatalf("got %v, want a timeout after a minute", err)
				}
				if !errors.Is(err, handlers.ErrTimeout) {
					t.Error("errors.Is does not find ErrTimeout")
				}
				if !errors.Is(context.Cause(inside), handlers.ErrTimeout) || !errors.Is(inside.Err(), context.DeadlineExceeded) {
					t.Errorf("cause %v, error %v", context.Cause(inside), inside.Err())
				}
				o := handlers.Classify(err)
				if o.Kind != handlers.Retried || !o.CountsForBreaker || handlers.ErrorType(err) != "timeout" {
					t.Errorf("classified %+v, type %s", o, handlers.ErrorType(err))
				}
			})
		})
	}
}

func TestTimeoutJudgesLateResults(t *testing.T) {
	t.Parallel()
	late := func(err error) func(context.Context) error {
		return func(context.Context) error {
			<-time.After(2 * time.Minute)
			return err
		}
	}
	for name, c := range map[string]struct {
		handler   func(context.Context) error
		isTimeout bool
		kind      handlers.Kind
	}{
		"success":                    {late(nil), false, handlers.Done},
		"a driver's own error":       {late(io.ErrClosedPipe), true, handlers.Retried},
		"transient":                  {late(handlers.Transient(io.ErrClosedPipe)), true, handlers.Retried},
		"a decision":                 {late(handlers.Reject("no such order")), false, handlers.Rejected},
		"a decision on the deadline": {late(handlers.RetryAfter(time.Hour, context.DeadlineExceeded)), true, handlers.Retried},
		"in time": {func(context.Context) error {
			<-time.After(59 * time.Second)
			return io.EOF
		}, false, handlers.Retried},
		"somebody else's deadline": {func(context.Context) error { return context.DeadlineExceeded }, false, handlers.Retried},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				err := limited(t.Context(), time.Minute, c.handler)
				if got := errors.Is(err, handlers.ErrTimeout); got != c.isTimeout {
					t.Errorf("%v: timeout %v, want %v", err, got, c.isTimeout)
				}
				if got := handlers.Classify(err).Kind; got != c.kind {
					t.Errorf("%v, want %v", got, c.kind)
				}
			})
		})
	}
}

func TestTimeoutKeepsTheParent(t *testing.T) {
	t.Parallel()
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "value"))
		time.AfterFunc(time.Second, func() { cancel(handlers.ErrDraining) })
		err := limited(parent, time.Minute, func(ctx context.Context) error {
			if ctx.Value(key{}) != "value" {
				t.Error("the value is gone")
			}
			if at, ok := ctx.Deadline(); !ok || time.Until(at) != time.Minute {
				t.Errorf("deadline %v, %v", at, ok)
			}
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), handlers.ErrDraining) {
				t.Errorf("cause %v", context.Cause(ctx))
			}
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) || errors.Is(err, handlers.ErrTimeout) {
			t.Errorf("got %v, want that it was cancelled", err)
		}
		if o := handlers.Settle(parent, err); o.Kind != handlers.Released {
			t.Errorf("settled %+v", o)
		}
	})
}

func TestTimeoutSeesACancelledParentWithoutAChannel(t *testing.T) {
	t.Parallel()
	parent, cancel := context.WithCancelCause(t.Context())
	_ = limited(parent, time.Minute, func(ctx context.Context) error {
		if ctx.Err() != nil {
			t.Error("ended too early")
		}
		cancel(handlers.ErrLeaseLost)
		if !errors.Is(ctx.Err(), context.Canceled) || !errors.Is(context.Cause(ctx), handlers.ErrLeaseLost) {
			t.Errorf("error %v, cause %v", ctx.Err(), context.Cause(ctx))
		}
		return nil
	})
}

func TestTimeoutEndsTheContextAfterTheCall(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(context.Context){
		"waited on": func(ctx context.Context) { ctx.Done() },
		"untouched": func(context.Context) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var kept context.Context
			_ = limited(t.Context(), time.Minute, func(ctx context.Context) error {
				kept = ctx //nolint:fatcontext // looked at after the call
				use(ctx)
				return nil
			})
			<-kept.Done()
			if !errors.Is(kept.Err(), context.Canceled) {
				t.Errorf("error %v", kept.Err())
			}
		})
	}
}

func TestTimeoutLeavesEarlierDeadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		err := limited(t.Context(), time.Second, func(ctx context.Context) error {
			return limited(ctx, time.Minute, func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			})
		})
		var te *handlers.TimeoutError
		if !errors.As(err, &te) || te.After != time.Second {
			t.Errorf("got %v, want a timeout after a second", err)
		}
		var inner *handlers.TimeoutError
		if errors.As(te.Err, &inner) {
			t.Error("wrapped twice")
		}
	})
}

func TestNoTimeout(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, -time.Second} {
		_ = limited(t.Context(), d, func(ctx context.Context) error {
			if ctx != t.Context() {
				t.Errorf("%v: the context was changed", d)
			}
			return nil
		})
	}
}

// A child of the limited context must be attached to it directly: package
// context starts a goroutine for children of parents it does not know.
func TestTimeoutChildrenCostNoGoroutine(t *testing.T) {
	const children = 100
	_ = limited(t.Context(), time.Minute, func(ctx context.Context) error {
		before := runtime.NumGoroutine()
		for range children {
			_, cancel := context.WithCancel(ctx)
			defer cancel()
		}
		if more := runtime.NumGoroutine() - before; more > children/2 {
			t.Errorf("%d children started %d goroutines", children, more)
		}
		return nil
	})
}
