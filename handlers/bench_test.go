package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/handlers"
)

type benchOrder struct {
	ID     string
	Amount int64
}

func BenchmarkChain(b *testing.B) {
	inner := handlers.Bind(handlers.Func[*benchOrder](func(context.Context, *handlers.Delivery[*benchOrder]) error { return nil }))
	std := func(next handlers.Next) handlers.Next {
		return func(ctx context.Context, m *handlers.Message) error {
			ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, handlers.ErrTimeout)
			defer cancel()
			return next(ctx, m)
		}
	}
	chains := []struct {
		name string
		next handlers.Next
	}{
		{"bind", inner},
		{"bind+recover", handlers.Chain(inner, handlers.Recover())},
		{"bind+recover+timeout", handlers.Chain(inner, handlers.Timeout(time.Minute), handlers.Recover())},
		{"bind+recover+standard context", handlers.Chain(inner, std, handlers.Recover())},
	}
	for _, c := range chains {
		b.Run(c.name, func(b *testing.B) {
			// A parent that can end, as every engine has.
			ctx, cancel := context.WithCancelCause(b.Context())
			defer cancel(nil)
			m := &handlers.Message{Code: "ORDER", Value: &benchOrder{ID: "100"}}
			b.ReportAllocs()
			for b.Loop() {
				if err := c.next(ctx, m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkClassify(b *testing.B) {
	cause := errors.New("connection refused")
	errs := []struct {
		name string
		err  error
	}{
		{"nil", nil},
		{"plain", cause},
		{"wrapped", fmt.Errorf("load order: %w", fmt.Errorf("query: %w", cause))},
		{"transient", handlers.Transient(cause)},
		{"reject", handlers.Reject("no such order")},
	}
	for _, e := range errs {
		b.Run(e.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				handlers.Settle(b.Context(), e.err)
			}
		})
	}
}
