package frameworktest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// This file is what a service's own test looks like. First, what is tested: a queue,
// its payload and its handler with a dependency.

type Order struct {
	ID string `java:"orderId"`
}

var PaymentTimeout = registry.Define[Order]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel",
	registry.MaxAttempts(3))

type CancelUnpaid struct{ orders *Orders }

func (h *CancelUnpaid) Handle(_ context.Context, d *handlers.Delivery[Order]) error {
	return h.orders.Cancel(d.Payload.ID)
}

// Orders is a fake of the service's code.
type Orders struct {
	cancelled []string
	down      bool
}

var errDown = errors.New("order database is down")

func (o *Orders) Cancel(id string) error {
	switch {
	case o.down:
		return errDown
	case id == "":
		return handlers.Reject("an order without a number")
	}
	o.cancelled = append(o.cancelled, id)
	return nil
}

// An order is cancelled after half an hour, and not before.
func TestUnpaidOrderIsCancelled(t *testing.T) {
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		orders := &Orders{}
		frameworktest.Handle(k, PaymentTimeout, &CancelUnpaid{orders}, framework.Workers(2))

		frameworktest.Offer(k, PaymentTimeout, Order{ID: "100"}, 30*time.Minute)
		k.Advance(29 * time.Minute)
		k.RequireHandled(PaymentTimeout, 0)
		k.RequirePending(PaymentTimeout, 1)

		k.Advance(time.Minute)
		k.RequireHandled(PaymentTimeout, 1)
		if len(orders.cancelled) != 1 || orders.cancelled[0] != "100" {
			t.Errorf("cancelled %v", orders.cancelled)
		}
	})
}

// While the database is down the message is kept and retried.
func TestDatabaseIsDown(t *testing.T) {
	frameworktest.Run(t, func(_ *testing.T, k *frameworktest.Kit) {
		orders := &Orders{down: true}
		frameworktest.Handle(k, PaymentTimeout, &CancelUnpaid{orders})

		frameworktest.Offer(k, PaymentTimeout, Order{ID: "100"}, time.Minute)
		k.Advance(time.Minute)
		k.RequireRetried(PaymentTimeout, 1)

		orders.down = false
		k.Advance(10 * time.Minute)
		k.RequireHandled(PaymentTimeout, 1)
		k.RequireDead(PaymentTimeout, 0)
	})
}

// What the handler rejects lies in the dead store, with the reason.
func TestOrderWithoutNumber(t *testing.T) {
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		frameworktest.Handle(k, PaymentTimeout, &CancelUnpaid{&Orders{}})

		frameworktest.Offer(k, PaymentTimeout, Order{}, time.Second)
		k.Advance(time.Second)
		k.RequireDead(PaymentTimeout, 1)
		if dead := k.Dead(PaymentTimeout)[0]; dead.Reason != handlers.ReasonRejected {
			t.Errorf("dead for %s: %s", dead.Reason, dead.Detail)
		}
	})
}
