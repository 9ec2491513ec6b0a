// Command 05-cancel-on-payment takes a timeout back: an order that is paid is not
// cancelled, one that is changed gets more time, and a second click makes no second
// timeout.
//
//	go run ./examples/05-cancel-on-payment
//
// Two ways to name a pending message: by the ID that Offer returned, kept in the
// order's row; or by a key of your own, such as the order number, so that nothing is
// kept. Both find it while a retry waits, too: it has one ID all its life.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// PaymentTimeout is the queue; its messages are order numbers.
var PaymentTimeout = registry.Define[string]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel")

func main() {
	if err := run(context.Background(), os.Stdout, time.Second); err != nil {
		log.Fatal(err)
	}
}

// order is a row of the shop's database.
type order struct {
	number  string
	timeout framework.ID // of the pending message
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
	cancelled, failed := make(chan string, 10), make(chan string, 10)
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(PaymentTimeout, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
			if d.Payload == "C-1" {
				failed <- d.Payload
				return handlers.RetryAfter(time.Hour, errors.New("the stock service is down"))
			}
			cancelled <- d.Payload
			return nil
		})),
	})
	if err != nil {
		return err
	}
	if err = engine.Start(ctx); err != nil {
		return err
	}
	timeouts := framework.Bind(client, PaymentTimeout)
	if err = byID(ctx, out, timeouts, delay); err != nil {
		return err
	}
	if err = byKey(ctx, out, timeouts, delay); err != nil {
		return err
	}
	if err = whileRetryWaits(ctx, out, timeouts, failed); err != nil {
		return err
	}
	for range 2 {
		fmt.Fprintf(out, "not paid in time, cancelled: %s\n", <-cancelled)
	}
	return engine.Stop(ctx)
}

// byID keeps the ID of the timeout in the order's row.
func byID(ctx context.Context, out io.Writer, timeouts *framework.Queue[string], delay time.Duration) error {
	var rows []order
	for _, number := range []string{"A-1", "A-2", "A-3"} {
		receipt, err := timeouts.Offer(ctx, number, delay)
		if err != nil {
			return err
		}
		rows = append(rows, order{number, receipt.ID})
	}

	// A-1 is paid.
	if err := timeouts.Cancel(ctx, rows[0].timeout); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is paid: its timeout is taken back\n", rows[0].number)
	// The payment service reports it once more. "Gone" says that the message is no
	// longer pending; whether the order was paid or cancelled says its row.
	if err := timeouts.Cancel(ctx, rows[0].timeout); !errors.Is(err, fault.ErrGone) {
		return fmt.Errorf("cancelled twice: %w", err)
	}

	// A-2 gets more time, and keeps its ID.
	if err := timeouts.Reschedule(ctx, rows[1].timeout, time.Now().Add(2*delay)); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s gets twice the time\n", rows[1].number)
	return nil
}

// byKey names the timeout by the order number instead.
func byKey(ctx context.Context, out io.Writer, timeouts *framework.Queue[string], delay time.Duration) error {
	offer := func() (framework.Receipt, error) {
		return timeouts.Offer(ctx, "B-1", delay, framework.Key("B-1"))
	}
	first, err := offer()
	if err != nil {
		return err
	}
	second, err := offer() // a double click
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "B-1 was ordered twice, and has one timeout: %v\n", first.ID == second.ID && second.Outcome == framework.OutcomeKept)
	if err := timeouts.CancelKey(ctx, "B-1"); err != nil {
		return err
	}
	fmt.Fprintln(out, "B-1 is paid: its timeout is taken back by its key")
	return nil
}

// whileRetryWaits pays an order whose timeout was handled, without success.
func whileRetryWaits(ctx context.Context, out io.Writer, timeouts *framework.Queue[string], failed <-chan string) error {
	receipt, err := timeouts.Offer(ctx, "C-1", 0)
	if err != nil {
		return err
	}
	<-failed
	err = timeouts.Cancel(ctx, receipt.ID)
	// Where the handler has not quite returned, the message is not pending yet. Its
	// retry is forbidden then, which comes to the same.
	var running *fault.NotPendingError
	if errors.As(err, &running) && running.Forbidden {
		err = nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "C-1 is paid while its timeout waits for a retry: that is taken back, too")
	return nil
}
