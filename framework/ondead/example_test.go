package ondead_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/ondead"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// A chat or a ticket system hears of each dead letter.
func ExampleWebhook() {
	heard := make(chan string)
	chat := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		heard <- r.Header.Get("Content-Type")
	}))
	defer chat.Close()
	hook, err := ondead.Webhook(ondead.Hook{URL: chat.URL, Secret: []byte("shared with the chat")})
	if err != nil {
		fmt.Println(err)
		return
	}

	orders := registry.Define[string]("ORDERS", "", registry.Codec(codecs.String()))
	refuse := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		return handlers.Reject("no such order")
	})
	server, err := embedded.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Close() }()
	ctx := context.Background()
	client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: "embedded"}},
		framework.WithEmbedded(server), framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = client.Close() }()
	engine, err := framework.New(client, []framework.Consumer{framework.Consume(orders, refuse, framework.OnDead(hook))})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := engine.Start(ctx); err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = engine.Stop(ctx) }()
	if _, err := framework.Bind(client, orders).Offer(ctx, "4711", 0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(<-heard)
	// Output: application/json
}
