package frameworktest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// What main gives to fx.New beside framework.Module and its configuration.

var (
	Module = fx.Module("shop",
		fx.Provide(NewOrders, NewReminders),
		framework.ForAll(framework.Use(inUpperCase)),
		framework.Handle(PaymentTimeout, NewCancelUnpaid, framework.Workers(2)),
		framework.HandleBatch(Reminder, NewReminders, framework.BatchSize(10)),
	)
	Reminder = registry.Define[string]("REMINDER", "the campaign ends tomorrow")
)

func NewOrders() *Orders { return &Orders{} }

func NewCancelUnpaid(o *Orders) *CancelUnpaid { return &CancelUnpaid{o} }

type Reminders struct{ sent []string }

func NewReminders() *Reminders { return &Reminders{} }

func (r *Reminders) HandleBatch(_ context.Context, ds []*handlers.Delivery[string]) error {
	for _, d := range ds {
		r.sent = append(r.sent, d.Payload)
	}
	return nil
}

// inUpperCase is a middleware of all handlers.
func inUpperCase(next handlers.Next) handlers.Next {
	return func(ctx context.Context, m *handlers.Message) error {
		if o, ok := m.Value.(Order); ok {
			m.Value = Order{ID: strings.ToUpper(o.ID)}
		}
		return next(ctx, m)
	}
}

// The wiring of the service is what is tested: module, constructors, middlewares.
func TestWiringOfTheService(t *testing.T) {
	var orders *Orders
	frameworktest.RunModule(t, fx.Options(Module, fx.Populate(&orders)), func(t *testing.T, k *frameworktest.Kit) {
		frameworktest.Offer(k, PaymentTimeout, Order{ID: "a-1"}, 30*time.Minute)
		frameworktest.Offer(k, Reminder, "ends tomorrow", time.Hour)
		k.Advance(time.Hour)
		k.RequireHandled(PaymentTimeout, 1)
		k.RequireHandled(Reminder, 1)
		if len(orders.cancelled) != 1 || orders.cancelled[0] != "A-1" {
			t.Errorf("cancelled %q, want A-1", orders.cancelled)
		}
	})
}

// What reaches outside is replaced, and an outage is played.
func TestWiringWithAFake(t *testing.T) {
	down := &Orders{down: true}
	frameworktest.RunModule(t, fx.Options(Module, fx.Replace(down)), func(_ *testing.T, k *frameworktest.Kit) {
		frameworktest.Offer(k, PaymentTimeout, Order{ID: "a-1"}, time.Minute)
		k.Advance(time.Minute)
		k.RequireRetried(PaymentTimeout, 1)
		down.down = false
		k.Advance(24 * time.Hour)
		k.RequireHandled(PaymentTimeout, 1)
	})
}
