package fault_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/registry"
)

var timeouts = registry.Define[string]("ORDER_PAYMENT_TIMEOUT", "unpaid: cancel", registry.Codec(codecs.String()))

func open() (*framework.Queue[string], func()) {
	server, err := embedded.Start()
	if err != nil {
		panic(err)
	}
	cfg := framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL}, NoTransfer: true}
	client, err := framework.Open(context.Background(), cfg, framework.WithEmbedded(server), framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		panic(err)
	}
	return framework.Bind(client, timeouts), func() { _, _ = client.Close(), server.Close() }
}

// The payment comes a moment too late: the error says where the message is.
func ExampleNotPendingError() {
	queue, done := open()
	defer done()
	ctx := context.Background()
	receipt, err := queue.Offer(ctx, "A-1", time.Hour, framework.Key("A-1"))
	if err != nil {
		panic(err)
	}
	if err := queue.Cancel(ctx, receipt.ID); err != nil {
		panic(err)
	}

	err = queue.CancelKey(ctx, "A-1")
	var gone *fault.NotPendingError
	fmt.Println(errors.Is(err, fault.ErrGone), errors.As(err, &gone))
	fmt.Println(gone.Key, gone.Where == fault.WhereUnknown)
	// Output:
	// true true
	// A-1 true
}

// A mistake of the caller has its own type, and nothing was sent.
func ExampleDelayError() {
	queue, done := open()
	defer done()
	_, err := queue.Offer(context.Background(), "A-1", -time.Second)
	var delay *fault.DelayError
	fmt.Println(errors.As(err, &delay), delay.Delay)
	// Output:
	// true -1s
}
