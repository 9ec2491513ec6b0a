// Command 11-console has the console in its own mux: what waits, what is wrong and what to do,
// what falls due when, dead letters by their causes, one order's message.
//
//	go run ./examples/11-console                                  # embedded Redis, with messages to look at
//	go run ./examples/11-console -redis redis://localhost:6379    # your own queues, too
//
// Then open http://127.0.0.1:8080/ops/queues/. Search for the order 4711, pause a queue, put
// back what is dead.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/web"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Order is what Java reads as a HashMap.
type Order struct {
	OrderID  string `java:"orderId"`
	Customer string `java:"customer"`
}

// The queues. People who look may see the order's number and find messages by it; what else is
// in a payload takes the role support, and a reason.
var (
	PaymentTimeout = registry.Define[Order]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel",
		registry.Visible("orderId"), registry.SearchField("orderId"))
	NotEvaluated = registry.Define[Order]("ORDER_TIMEOUT_NOT_EVALUATED", "not reviewed: default good review",
		registry.Visible("orderId"), registry.SearchField("orderId"), registry.MaxAttempts(1))
)

func main() {
	redis := flag.String("redis", "embedded", "Redis URL; \"embedded\" needs no server")
	addr := flag.String("addr", "127.0.0.1:8080", "address of the service")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *redis, *addr); err != nil {
		log.Fatal(err)
	}
}

// authorize says who sends a request: here a service asks its own login. This one is a demo on
// loopback, where whoever comes may do everything.
func authorize(*http.Request) (web.User, error) {
	return web.User{Name: "demo", Role: web.RoleAdmin}, nil
}

func run(ctx context.Context, out io.Writer, redis, addr string) error {
	client, closeClient, err := open(ctx, redis)
	if err != nil {
		return err
	}
	defer closeClient()
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(PaymentTimeout, handlers.Func[Order](func(context.Context, *handlers.Delivery[Order]) error { return nil })),
		framework.Consume(NotEvaluated, handlers.Func[Order](func(_ context.Context, d *handlers.Delivery[Order]) error {
			return handlers.Reject("no such customer: " + d.Payload.Customer)
		})),
	})
	if err != nil {
		return err
	}
	if err = engine.Start(ctx); err != nil {
		return err
	}
	defer func() { _ = engine.Stop(context.WithoutCancel(ctx)) }()
	budget := web.DefaultBudget
	if redis == framework.EmbeddedURL {
		if err = fill(ctx, client); err != nil {
			return err
		}
		budget = 1 // nobody else works with this Redis
	}

	console, err := web.New(client, web.Options{ //nolint:contextcheck // it lives until it is closed
		BasePath:  "/ops/queues",
		Queues:    []registry.Descriptor{PaymentTimeout, NotEvaluated},
		Authorize: authorize,
		Writable:  true,
		Budget:    budget,
	})
	if err != nil {
		return err
	}
	defer func() { _ = console.Close() }()
	mux := http.NewServeMux()
	mux.Handle("/ops/queues/", console)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	fmt.Fprintf(out, "http://%s/ops/queues/\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// open connects to a server, or to one in this process.
func open(ctx context.Context, redis string) (*framework.Client, func(), error) {
	cfg := framework.Config{Redis: framework.RedisConfig{URL: redis}}
	if redis != framework.EmbeddedURL {
		client, err := framework.Open(ctx, cfg)
		return client, func() { _ = client.Close() }, err
	}
	server, err := embedded.Start()
	if err != nil {
		return nil, nil, err
	}
	client, err := framework.Open(ctx, cfg, framework.WithEmbedded(server))
	return client, func() { _ = client.Close(); _ = server.Close() }, err
}

// fill offers messages to look at: orders that fall due within hours, and some that die.
func fill(ctx context.Context, client *framework.Client) error {
	payments, reviews := framework.Bind(client, PaymentTimeout), framework.Bind(client, NotEvaluated)
	for i := range 400 {
		number := strconv.Itoa(4400 + i)
		if _, err := payments.Offer(ctx, Order{number, "Grete"}, time.Minute+time.Duration(i*i)*100*time.Millisecond, framework.Key(number)); err != nil {
			return err
		}
	}
	for i := range 12 {
		if _, err := reviews.Offer(ctx, Order{strconv.Itoa(9000 + i), strconv.Itoa(i)}, 0); err != nil {
			return err
		}
	}
	return nil
}
