package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/handlers"
)

type Order struct{ ID string }

// Orders is what the handler depends on.
type Orders struct{ paid map[string]bool }

func (o *Orders) Cancel(_ context.Context, id string) error {
	if _, ok := o.paid[id]; !ok {
		return handlers.Reject("no such order", fmt.Errorf("order %s", id))
	}
	return nil
}

// CancelUnpaid is a handler struct with its own dependency.
type CancelUnpaid struct{ orders *Orders }

func (h *CancelUnpaid) Handle(ctx context.Context, d *handlers.Delivery[Order]) error {
	return h.orders.Cancel(ctx, d.Payload.ID)
}

// A handler is tested by calling it.
func Example() {
	h := &CancelUnpaid{orders: &Orders{paid: map[string]bool{"100": false}}}

	for _, id := range []string{"100", "404"} {
		err := h.Handle(context.Background(), handlers.NewDelivery(Order{ID: id}, nil))
		outcome := handlers.Classify(err)
		fmt.Printf("order %s: %v %q\n", id, outcome.Kind, outcome.Reason)
	}
	// Output:
	// order 100: done ""
	// order 404: rejected "no such order"
}

func ExampleFunc() {
	var h handlers.Handler[Order] = handlers.Func[Order](func(_ context.Context, d *handlers.Delivery[Order]) error {
		fmt.Println("cancel", d.Payload.ID)
		return nil
	})
	fmt.Println(h.Handle(context.Background(), &handlers.Delivery[Order]{Payload: Order{ID: "100"}}))
	// Output:
	// cancel 100
	// <nil>
}

func ExampleDelivery() {
	due := time.Date(2026, 5, 1, 12, 30, 0, 0, time.UTC)
	d := handlers.NewDelivery(Order{ID: "100"}, &handlers.Message{
		Code: "ORDER_PAYMENT_TIMEOUT", MaxAttempts: 3, Failed: 2, Delivered: 2,
		DueTime: due, StartedAt: due.Add(3 * time.Millisecond),
	})
	fmt.Println(d.Code(), d.Payload.ID)
	fmt.Println("attempt", d.Attempt(), "last:", d.LastAttempt(), "again:", d.Redelivered())
	if late, known := d.Lateness(); known {
		fmt.Println("late by", late)
	}
	// Output:
	// ORDER_PAYMENT_TIMEOUT 100
	// attempt 3 last: true again: true
	// late by 3ms
}

func ExampleClassify() {
	refused := errors.New("connection refused")
	for _, err := range []error{
		nil,
		refused,
		handlers.Retry(nil),
		handlers.RetryAfter(time.Minute, refused),
		fmt.Errorf("load order: %w", handlers.Transient(refused)),
		handlers.Reject("no such order"),
		handlers.Permanent(errors.New("amount is negative")),
	} {
		o := handlers.Classify(err)
		fmt.Printf("%-32v %-9v counts for the breaker: %v\n", err, o.Kind, o.CountsForBreaker)
	}
	// Output:
	// <nil>                            done      counts for the breaker: false
	// connection refused               retried   counts for the breaker: true
	// retry                            retried   counts for the breaker: false
	// retry after 1m0s: connection refused retried   counts for the breaker: true
	// load order: connection refused   retried   counts for the breaker: true
	// rejected: no such order          rejected  counts for the breaker: false
	// amount is negative               rejected  counts for the breaker: false
}

// A process that stops interrupts its handlers; that is no failure of theirs.
func ExampleSettle() {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(handlers.ErrDraining)

	err := fmt.Errorf("query: %w", ctx.Err()) // what the handler returned
	fmt.Println(handlers.Classify(err).Kind)
	fmt.Println(handlers.Settle(ctx, err).Kind)
	// Output:
	// retried
	// released
}

func ExampleChain() {
	log := func(next handlers.Next) handlers.Next {
		return func(ctx context.Context, m *handlers.Message) error {
			err := next(ctx, m)
			fmt.Println(m.Code, "attempt", m.Attempt(), "->", err)
			return err
		}
	}
	h := handlers.Func[Order](func(context.Context, *handlers.Delivery[Order]) error {
		panic("out of ideas")
	})
	next := handlers.Chain(handlers.Bind(h), log, handlers.Timeout(time.Minute), handlers.Recover())

	_ = next(context.Background(), &handlers.Message{Code: "ORDER", Value: Order{ID: "100"}})
	// Output:
	// ORDER attempt 1 -> panic: out of ideas
}

func ExampleErrorType() {
	fmt.Println(handlers.ErrorType(fmt.Errorf("charge: %w", context.DeadlineExceeded)))
	fmt.Println(handlers.ErrorType(handlers.Reject("no such order")))
	fmt.Println(handlers.ErrorType(errors.New("order 4711 is locked")))
	// Output:
	// timeout
	// rejected
	// _OTHER
}
