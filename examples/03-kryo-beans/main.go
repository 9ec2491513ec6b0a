// Command 03-kryo-beans carries Java's own classes: a queue of shop.Event<shop.Order>
// beans, which Java services put there and take from there by Redisson's default
// codec, Kryo 5.
//
//	go run ./examples/03-kryo-beans
//
// The folder java holds the Java classes; shop.go is what "duequeue javadesc" made
// of them. The program handles one message that Java wrote, offers one of its own,
// and prints the bytes of that, which Java's codec writes for the equal object: so
// Java's remove(o) and contains(o) find it.
package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// PaymentTimeout is the queue; kryo5 is the default codec, named here for show.
var PaymentTimeout = registry.Define[Event[Order]]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel",
	registry.Codec(kryo5.New()))

func main() {
	if err := run(context.Background(), os.Stdout, time.Second); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, delay time.Duration) error {
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

	handled := make(chan Event[Order], 1)
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(PaymentTimeout, handlers.Func[Event[Order]](func(_ context.Context, d *handlers.Delivery[Event[Order]]) error {
			handled <- d.Payload
			return nil
		})),
	})
	if err != nil {
		return err
	}
	if err = engine.Start(ctx); err != nil {
		return err
	}

	event, err := fromJava()
	if err != nil {
		return err
	}
	if _, err := framework.Bind(client, PaymentTimeout).Offer(ctx, event, delay); err != nil {
		return err
	}
	show(out, <-handled)
	if err := engine.Stop(ctx); err != nil {
		return err
	}
	return sameBytes(out, event)
}

// fromJava reads the message that a Java service wrote: see java/shop/Write.java.
func fromJava() (Event[Order], error) {
	payload, err := hex.DecodeString(written)
	if err != nil {
		return Event[Order]{}, err
	}
	typed, err := codecs.For[Event[Order]](kryo5.New(), codecs.BindOptions{})
	if err != nil {
		return Event[Order]{}, err
	}
	return typed.Decode(payload)
}

func show(out io.Writer, e Event[Order]) {
	o := e.Data
	fmt.Fprintf(out, "%s: order %s (%s, id %d, created %s) is to be paid before %s\n",
		e.Type, o.OrderNo, o.Status, *o.ID, o.CreatedAt.UTC().Format(time.DateTime), o.PayBefore)
	for _, item := range o.Items {
		fmt.Fprintf(out, "  %d × %s at %s\n", item.Quantity, item.SKU, item.Price)
	}
}

// sameBytes builds the same event in Go and compares its bytes with Java's.
func sameBytes(out io.Writer, event Event[Order]) error {
	typed, err := codecs.For[Event[Order]](kryo5.New(), codecs.BindOptions{})
	if err != nil {
		return err
	}
	id := int64(42)
	price := java.BigDecimal{Unscaled: event.Data.Items[0].Price.Unscaled, Scale: 2}
	built := Event[Order]{Type: "UNPAID", Data: Order{
		BaseEntity: BaseEntity{ID: &id, CreatedAt: time.UnixMilli(1700000000123)},
		OrderNo:    "A-100", Status: StatusNew, Gift: true,
		PayBefore:  event.Data.PayBefore,
		Items:      []*Item{{SKU: "tea", Quantity: 2, Price: &price}},
		Attributes: map[string]string{"channel": "app"},
	}}
	payload, err := typed.Encode(built)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Go writes %d bytes; the same as Java: %t\n", len(payload), hex.EncodeToString(payload) == written)
	return nil
}
