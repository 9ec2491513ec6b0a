// Command 08-upgrade handles a queue whose messages span two generations of Java:
// what Redisson 3.13 to 3.18 wrote by its default codec, JBoss Marshalling, and
// what 3.19 and later write by theirs, Kryo 5. See README.md for the whole upgrade.
//
//	go run ./examples/08-upgrade                                    # embedded Redis, offers one of each
//	go run ./examples/08-upgrade -redis redis://localhost:6379      # drains a real queue; Ctrl-C stops
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Order is the Java class shop.Order: the same struct for both codecs.
type Order struct {
	OrderNo string    `java:"orderNo"`
	Cents   int64     `java:"cents"`
	Created time.Time `java:"created"`
}

// JavaClass declares shop.Order; River asks for no serialVersionUID.
func (Order) JavaClass() string { return "shop.Order serial 1" }

const code = "ORDER_PAYMENT_TIMEOUT"

// Both is the queue during the upgrade. What is offered through it is Kryo 5, the
// first codec; what is read may be either.
var Both = registry.Define[Order](code, "unpaid for 30 minutes: cancel",
	registry.Codec(codecs.AnyOf(kryo5.New(), marshalling.New())))

// Old is the queue as Java up to 3.18 knows it; here it only plays Java.
var Old = registry.Define[Order](code, "unpaid for 30 minutes: cancel", registry.Codec(marshalling.New()))

func main() {
	url := flag.String("redis", "embedded", "Redis URL; \"embedded\" needs no server")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := drain
	if *url == "embedded" {
		run = demo
	}
	if err := run(ctx, os.Stdout, *url); err != nil {
		log.Fatal(err)
	}
}

// drain handles what is on a real queue until ctx ends.
func drain(ctx context.Context, out io.Writer, url string) error {
	client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: url}})
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	engine, err := start(ctx, client, func(o Order) { fmt.Fprintf(out, "handled %s\n", o.OrderNo) })
	if err != nil {
		return err
	}
	<-ctx.Done()
	return engine.Stop(context.WithoutCancel(ctx))
}

// demo offers one message as each generation of Java would and handles both.
func demo(ctx context.Context, out io.Writer, _ string) error {
	server, err := embedded.Start()
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: "embedded"}}, framework.WithEmbedded(server))
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()

	at := time.UnixMilli(1700000000123).UTC()
	if _, err = framework.Bind(client, Old).Offer(ctx, Order{"A-1", 129900, at}, 50*time.Millisecond); err != nil {
		return err
	}
	if _, err = framework.Bind(client, Both).Offer(ctx, Order{"B-2", 250, at}, 150*time.Millisecond); err != nil {
		return err
	}
	handled := make(chan Order, 2)
	engine, err := start(ctx, client, func(o Order) { handled <- o })
	if err != nil {
		return err
	}
	for _, from := range []string{"3.18 (River)", "4.x (Kryo 5)"} {
		o := <-handled
		fmt.Fprintf(out, "from Java %s: order %s of %d cents\n", from, o.OrderNo, o.Cents)
	}
	return engine.Stop(ctx)
}

func start(ctx context.Context, client *framework.Client, handle func(Order)) (*framework.Engine, error) {
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(Both, handlers.Func[Order](func(_ context.Context, d *handlers.Delivery[Order]) error {
			handle(d.Payload)
			return nil
		}), framework.Workers(1)),
	})
	if err != nil {
		return nil, err
	}
	return engine, engine.Start(ctx)
}
