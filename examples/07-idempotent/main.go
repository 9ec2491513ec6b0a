// Command 07-idempotent shows handlers that may be called twice: delivery is at least
// once, so a message comes again after a crash between the work and its
// acknowledgement, a lost lease, a lost reply.
//
//	go run ./examples/07-idempotent
//
// Three ways, the simplest first. Ask the state: change it only from the state it
// should be in. Keep what was done beside what it did, in one transaction. Give a
// service that you call a key that is the same each time.
//
// Which key? One of the business, such as the order number and what is done to it. Not
// the message's ID: a retry has a new one. [handlers.Delivery.Digest] stays the same,
// but equal payloads share it: two reminders of one text are one then.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// PaymentTimeout is the queue; its messages are order numbers.
var PaymentTimeout = registry.Define[string]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel",
	registry.Backoff(registry.Steps(10*time.Millisecond)))

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// errCrash plays a crash after the work: the message is not acknowledged.
var errCrash = errors.New("the process died before it could say that it was done")

// cancelUnpaid does three things to an order that was not paid in time, each once.
type cancelUnpaid struct {
	db       *database
	payments *paymentService
	crashes  map[string]int // how often a delivery of the order is to fail behind its work
	done     chan string
	mu       sync.Mutex
}

// Handle is called at least once for each message.
func (h *cancelUnpaid) Handle(_ context.Context, d *handlers.Delivery[string]) error {
	number := d.Payload
	// 1. Ask the state. UPDATE orders SET state = 'cancelled' WHERE number = ? AND state
	// = 'unpaid' changes one row or none; an order that was paid meanwhile stays paid. One
	// that is cancelled already may be so by a call that crashed behind this: it goes on.
	switch state, changed := h.db.cancelIfUnpaid(number); {
	case changed:
		h.db.note("%s: cancelled", number)
	case state != "cancelled":
		h.db.note("%s: was %s, nothing to do", number, state)
		h.done <- told(d)
		return nil
	}
	// 2. What cannot be asked is kept beside what it did: INSERT INTO done (key) …, which
	// a second one violates, and the change, in one transaction.
	h.db.once(number+": stock given back", func() { h.db.stock++ })
	// 3. Others keep the key for us.
	h.payments.refund("refund-"+number, 5)

	h.mu.Lock()
	defer h.mu.Unlock()
	if h.crashes[number] > 0 {
		h.crashes[number]--
		return errCrash
	}
	h.done <- told(d)
	return nil
}

func told(d *handlers.Delivery[string]) string {
	return fmt.Sprintf("%s handled, attempt %d, redelivered: %v", d.Payload, d.Attempt(), d.Redelivered())
}

func run(ctx context.Context, out io.Writer) error {
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
	h := &cancelUnpaid{
		db:       &database{state: map[string]string{"A-1": "unpaid", "A-2": "unpaid", "A-3": "paid"}, done: map[string]bool{}},
		payments: &paymentService{known: map[string]bool{}},
		crashes:  map[string]int{"A-1": 2},
		done:     make(chan string, 3),
	}
	engine, err := framework.New(client, []framework.Consumer{framework.Consume(PaymentTimeout, h)})
	if err != nil {
		return err
	}
	if err := engine.Start(ctx); err != nil {
		return err
	}
	for _, number := range []string{"A-1", "A-2", "A-3"} {
		if _, err := framework.Bind(client, PaymentTimeout).Offer(ctx, number, 10*time.Millisecond); err != nil {
			return err
		}
		fmt.Fprintln(out, <-h.done)
	}
	if err := engine.Stop(ctx); err != nil {
		return err
	}
	h.db.report(out)
	fmt.Fprintf(out, "asked for %d refunds, paid out %d\n", h.payments.asked, h.payments.paid)
	return nil
}

// database plays one with transactions: the lock is the transaction.
type database struct {
	mu    sync.Mutex
	state map[string]string // of orders
	done  map[string]bool
	stock int
	log   []string
}

// cancelIfUnpaid returns the state of the order now, and whether this call changed it.
func (db *database) cancelIfUnpaid(number string) (state string, changed bool) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if changed = db.state[number] == "unpaid"; changed {
		db.state[number] = "cancelled"
	}
	return db.state[number], changed
}

// once runs change unless it was run under this key before, both or neither.
func (db *database) once(key string, change func()) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.done[key] {
		return
	}
	db.done[key] = true
	change()
}

func (db *database) note(format string, args ...any) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.log = append(db.log, fmt.Sprintf(format, args...))
}

func (db *database) report(out io.Writer) {
	for _, line := range db.log {
		fmt.Fprintln(out, line)
	}
	fmt.Fprintf(out, "pieces back in stock: %d\n", db.stock)
}

// paymentService plays one that honours idempotency keys.
type paymentService struct {
	mu          sync.Mutex
	known       map[string]bool
	asked, paid int
}

func (p *paymentService) refund(key string, _ int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if !p.known[key] {
		p.known[key] = true
		p.paid++
	}
}
