package rlock_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/rlock"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

var timeouts = registry.Define[string]("ORDER_PAYMENT_TIMEOUT", "unpaid: cancel", registry.Codec(codecs.String()))

// A handler that holds the lock of its order, as Java services do with
// redisson.getLock("order:" + number).
func ExampleAround() {
	ctx := context.Background()
	server, err := embedded.Start()
	if err != nil {
		panic(err)
	}
	defer func() { _ = server.Close() }()
	client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL}},
		framework.WithEmbedded(server), framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		panic(err)
	}
	defer func() { _ = client.Close() }()

	locker, err := rlock.New(client)
	if err != nil {
		panic(err)
	}
	defer locker.Close()
	around, err := rlock.Around(locker, func(d *handlers.Delivery[string]) string { return "order:" + d.Payload })
	if err != nil {
		panic(err)
	}
	done := make(chan struct{})
	cancelUnpaid := handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		fmt.Println(d.Payload, "is handled under", rlock.Held(ctx).Name())
		close(done)
		return nil
	})
	engine, err := framework.New(client, []framework.Consumer{framework.Consume(timeouts, cancelUnpaid, framework.Use(around))})
	if err != nil {
		panic(err)
	}
	if err := engine.Start(ctx); err != nil {
		panic(err)
	}
	if _, err := framework.Bind(client, timeouts).Offer(ctx, "4711", 0); err != nil {
		panic(err)
	}
	<-done
	if err := engine.Stop(ctx); err != nil {
		panic(err)
	}
	// Output: 4711 is handled under order:4711
}
