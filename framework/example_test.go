package framework_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// The Go twin of the Java enum: code, title and payload type of each queue. Without
// an option the codec is Kryo 5, Redisson's default since 3.19.
var (
	paymentTimeout = registry.Define[map[string]any]("ORDER_PAYMENT_TIMEOUT", "unpaid: cancel the order")
	deliveryLate   = registry.Define[string]("DELIVERY_LATE", "delivery late: send a text message", registry.Codec(codecs.String()))
)

// openEmbedded connects to a Redis inside this process; a service says
// redis.url: redis://… and needs no server of its own.
func openEmbedded() (*framework.Client, func()) {
	srv, err := embedded.Start()
	if err != nil {
		panic(err)
	}
	cfg := framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL}}
	client, err := framework.Open(context.Background(), cfg, framework.WithEmbedded(srv),
		framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		panic(err)
	}
	return client, func() { _, _ = client.Close(), srv.Close() }
}

// A message is offered with a delay; the receipt has its ID and due time.
func ExampleQueue_Offer() {
	client, done := openEmbedded()
	defer done()
	ctx := context.Background()

	timeouts := framework.Bind(client, paymentTimeout)
	receipt, err := timeouts.Offer(ctx, map[string]any{"orderId": "100"}, 30*time.Minute)
	if err != nil {
		panic(err)
	}
	fmt.Println(receipt.Outcome, "due in", time.Until(receipt.Due).Round(time.Minute))

	n, err := timeouts.Counts(ctx)
	fmt.Println(n.Delayed, "delayed,", n.Ready, "ready", err)
	// Output:
	// added due in 30m0s
	// 1 delayed, 0 ready <nil>
}

// Handlers get the payload in its type, and what is known about its delivery.
func ExampleConsume() {
	client, done := openEmbedded()
	defer done()
	ctx := context.Background()

	handled := make(chan struct{})
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(paymentTimeout, handlers.Func[map[string]any](func(_ context.Context, d *handlers.Delivery[map[string]any]) error {
			fmt.Println(d.Title(), d.Payload["orderId"], "attempt", d.Attempt())
			close(handled)
			return nil
		}), framework.Workers(4)),
	})
	if err != nil {
		panic(err)
	}
	if err := engine.Start(ctx); err != nil {
		panic(err)
	}
	if _, err := framework.Bind(client, paymentTimeout).Offer(ctx, map[string]any{"orderId": "100"}, 10*time.Millisecond); err != nil {
		panic(err)
	}
	<-handled
	fmt.Println(engine.Stop(ctx))
	// Output:
	// unpaid: cancel the order 100 attempt 1
	// <nil>
}

// What a handler rejects lies in the dead store with its bytes and the reason.
func ExampleDeadView_Page() {
	client, done := openEmbedded()
	defer done()
	ctx := context.Background()

	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(deliveryLate, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
			return handlers.Reject("no such order", errors.New("order 100 was deleted"))
		})),
	})
	if err != nil {
		panic(err)
	}
	if err := engine.Start(ctx); err != nil {
		panic(err)
	}
	if _, err := framework.Bind(client, deliveryLate).Offer(ctx, "order 100", 0); err != nil {
		panic(err)
	}
	var dead []framework.DeadMessage
	for len(dead) == 0 {
		if dead, err = framework.Bind(client, deliveryLate).Dead().Page(ctx, "", 10); err != nil {
			panic(err)
		}
	}
	fmt.Printf("%s: %s (%s)\n", dead[0].Reason, dead[0].Body, dead[0].Detail)
	_ = engine.Stop(ctx)
	// Output:
	// rejected: order 100 (no such order)
}

type orders struct{ cancelled chan string }

func newOrders() *orders { return &orders{cancelled: make(chan string, 1)} }

// cancelUnpaid is a handler with a dependency of its own.
type cancelUnpaid struct{ orders *orders }

func newCancelUnpaid(o *orders) *cancelUnpaid { return &cancelUnpaid{o} }

func (h *cancelUnpaid) Handle(_ context.Context, d *handlers.Delivery[map[string]any]) error {
	h.orders.cancelled <- fmt.Sprint(d.Payload["orderId"])
	return nil
}

// With fx the constructor's dependencies come from the graph, and Start and Stop
// from the application.
func ExampleHandle() {
	var client *framework.Client
	var o *orders
	app := fx.New(fx.NopLogger, framework.Module, embedded.Module,
		fx.Supply(framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL}}),
		fx.Provide(newOrders, func() *slog.Logger { return slog.New(slog.DiscardHandler) }),
		framework.Handle(paymentTimeout, newCancelUnpaid, framework.Workers(8)),
		framework.HandleFunc(deliveryLate, func(context.Context, *handlers.Delivery[string]) error { return nil }),
		fx.Populate(&client, &o),
	)
	ctx := context.Background()
	if err := app.Start(ctx); err != nil {
		panic(err)
	}
	if _, err := framework.Bind(client, paymentTimeout).Offer(ctx, map[string]any{"orderId": "100"}, 10*time.Millisecond); err != nil {
		panic(err)
	}
	fmt.Println("cancelled order", <-o.cancelled)
	fmt.Println(app.Stop(ctx))
	// Output:
	// cancelled order 100
	// <nil>
}
