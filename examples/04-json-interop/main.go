// Command 04-json-interop carries JSON as Java services have it on their queues:
// by JsonJacksonCodec, by TypedJsonJacksonCodec, as text behind StringCodec, and while
// Java moves to JSON from something else.
//
//	go run ./examples/04-json-interop
//
// The folder java holds the Java classes; shop.go is what "duequeue javadesc" made of
// them; written.go is what Java put on the queues. The program offers those bytes as
// Java would, handles them, and encodes what the handler got: the bytes are Java's
// again, so Java's remove(o) and contains(o) find what Go offers.
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
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// The queues, each with the codec that Java set.
var (
	// Unpaid: new JsonJacksonCodec(). Since is the release on the Java side: from 4.2.0 on it
	// writes and reads UUIDs in another way than before.
	Unpaid = registry.Define[Order]("ORDER_UNPAID", "unpaid for 30 minutes: cancel",
		registry.Codec(jackson.JsonJackson(jackson.Since("4.7.0"))))

	// Remind: StringCodec.INSTANCE with JSON inside, Java calls mapper.writeValueAsString itself.
	Remind = registry.Define[Notice]("REMIND", "remind the customer",
		registry.Codec(jackson.JSON()))

	// Review: new TypedJsonJacksonCodec(Order.class). No class is named, the queue's type says it.
	Review = registry.Define[Order]("ORDER_REVIEW", "no review after 7 days: praise",
		registry.Codec(jackson.TypedJsonJackson(jackson.Since("4.7.0"))))

	// Stock: Java moves from LZ4Codec(Kryo5Codec) to JsonJacksonCodec with messages pending:
	// either is read, the first is written. Put the old one first until the last
	// service that takes from the queue knows the new one.
	Stock = registry.Define[Order]("STOCK_RELEASE", "free the stock of an order",
		registry.Codec(codecs.AnyOf(jackson.JsonJackson(jackson.Since("4.7.0")), compress.LZ4(kryo5.New()))))
)

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

	orders, notices := make(chan Order, 1), make(chan Notice, 1)
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(Unpaid, into(orders)),
		framework.Consume(Remind, into(notices)),
		framework.Consume(Review, into(orders)),
		framework.Consume(Stock, into(orders)),
	})
	if err != nil {
		return err
	}
	if err = engine.Start(ctx); err != nil {
		return err
	}
	lz4, err := hex.DecodeString(lz4KryoOrder)
	if err != nil {
		return err
	}
	r := round{ctx: ctx, out: out, client: client, delay: delay}
	carry(&r, "JsonJacksonCodec", Unpaid, jsonOrder, jsonOrder, orders)
	carry(&r, "StringCodec, JSON inside", Remind, notice, notice, notices)
	carry(&r, "TypedJsonJacksonCodec", Review, typedOrder, typedOrder, orders)
	carry(&r, "LZ4Codec(Kryo5Codec), still pending", Stock, string(lz4), jsonOrder, orders)
	carry(&r, "JsonJacksonCodec, since Java moved", Stock, jsonOrder, jsonOrder, orders)
	if r.err != nil {
		return r.err
	}
	if err := engine.Stop(ctx); err != nil {
		return err
	}
	return dialects(out)
}

// into is a handler that hands its payloads to the main program, to be printed there.
func into[T any](c chan<- T) handlers.Handler[T] {
	return handlers.Func[T](func(_ context.Context, d *handlers.Delivery[T]) error {
		c <- d.Payload
		return nil
	})
}

// round is what every message of this program needs; err is the first error.
type round struct {
	ctx    context.Context
	out    io.Writer
	client *framework.Client
	delay  time.Duration
	err    error
}

// carry offers what Java wrote, takes it from the handler, encodes it again and
// compares that with what Java writes today.
func carry[T fmt.Stringer](r *round, title string, q *registry.Queue[T], wrote, writes string, handled <-chan T) {
	if r.err != nil {
		return
	}
	// The same queue as bytes: it plays the Java service.
	asJava := registry.Define[[]byte](q.Code(), "as Java offers to it", registry.Codec(codecs.ByteArray()))
	if _, r.err = framework.Bind(r.client, asJava).Offer(r.ctx, []byte(wrote), r.delay); r.err != nil {
		return
	}
	payload := <-handled
	fmt.Fprintf(r.out, "%s\n  %s\n", title, payload)
	again, err := q.Encode(payload)
	if err != nil {
		r.err = err
		return
	}
	fmt.Fprintf(r.out, "  Go writes %d bytes, those of Java: %t\n", len(again), string(again) == writes)
}

func (o Order) String() string {
	item := o.Items[0]
	return fmt.Sprintf("order %d of customer %d, %s, created %s: %d × %s at %s, parcels %v",
		o.ID, *o.CustomerID, o.Status, o.Created.UTC().Format(time.DateTime), item.Quantity, item.SKU, item.Price, o.Parcels)
}

func (n Notice) String() string {
	return fmt.Sprintf("remind customer %d of order %s by %v", n.CustomerID, n.OrderNo, n.Channels)
}

// dialects writes the order for services before and since Redisson 4.2.0, which
// reject each other's UUIDs. Go reads both, whatever it is told.
func dialects(out io.Writer) error {
	typed, err := codecs.For[Order](jackson.JsonJackson(), codecs.BindOptions{})
	if err != nil {
		return err
	}
	order, err := typed.Decode([]byte(jsonOrder))
	if err != nil {
		return err
	}
	for _, release := range []struct{ since, written string }{{"4.1.0", jsonOrder41}, {"4.7.0", jsonOrder}} {
		payload, err := jackson.JsonJackson(jackson.Since(release.since)).Encode(order)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "Since(%q): the bytes of that release: %t\n", release.since, string(payload) == release.written)
	}
	return nil
}
