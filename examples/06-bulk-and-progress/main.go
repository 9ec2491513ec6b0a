// Command 06-bulk-and-progress offers very many messages at once: a campaign's
// reminders, spread over time, from a sequence that is never in memory as a whole.
//
//	go run ./examples/06-bulk-and-progress
//	go run ./examples/06-bulk-and-progress -n 1000000 -redis redis://localhost:6379
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/registry"
)

// Reminder is one message.
type Reminder struct {
	User int64  `java:"user"`
	Text string `java:"text"`
}

// JavaClass is what Java services have for it.
func (Reminder) JavaClass() string { return "com.example.Reminder" }

// Reminders may hold very many at a time.
var Reminders = registry.Define[Reminder]("CAMPAIGN_REMINDER", "remind of the campaign")

func main() {
	n := flag.Int("n", 20_000, "how many messages")
	redis := flag.String("redis", "embedded", "Redis URL; \"embedded\" needs no server")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *redis, *n); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, redis string, n int) error {
	client, closeAll, err := open(ctx, redis)
	if err != nil {
		return err
	}
	defer closeAll()
	queue := framework.Bind(client, Reminders)
	bulk, err := queue.OfferAll(ctx, reminders(n),
		framework.OnProgress(time.Second, func(b framework.Bulk) {
			fmt.Fprintf(out, "%d of %d offered\n", b.Added, n)
		}),
		framework.OnResult(func(i int, _ framework.Receipt, err error) {
			// Here a real program notes the Receipt's ID in the user's row, or what failed.
			if err != nil {
				fmt.Fprintf(out, "message %d: %v\n", i, err)
			}
		}))
	var some *framework.BulkError
	if errors.As(err, &some) {
		fmt.Fprintf(out, "%d failed; the others are in\n", bulk.Failed)
		err = nil
	}
	if err != nil {
		return err // Redis is gone, or Ctrl-C: bulk counts what was done
	}
	counts, err := queue.Counts(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "pending: %d\n", counts.Delayed)
	if redis != "embedded" {
		return nil
	}
	dropped, err := queue.Pending().Clear(ctx)
	fmt.Fprintf(out, "the campaign is called off: %d taken back\n", dropped)
	return err
}

func open(ctx context.Context, redis string) (client *framework.Client, closeAll func(), err error) {
	cfg := framework.Config{Redis: framework.RedisConfig{URL: redis}}
	if redis != "embedded" {
		client, err = framework.Open(ctx, cfg)
		return client, func() { _ = client.Close() }, err
	}
	server, err := embedded.Start()
	if err != nil {
		return nil, nil, err
	}
	client, err = framework.Open(ctx, cfg, framework.WithEmbedded(server))
	return client, func() { _, _ = client.Close(), server.Close() }, err
}

// reminders reads users as a database cursor would, one by one, and spreads their
// reminders over a day.
func reminders(n int) iter.Seq[framework.Item[Reminder]] {
	return func(yield func(framework.Item[Reminder]) bool) {
		for user := range n {
			m := framework.Item[Reminder]{
				Value: Reminder{User: int64(user), Text: "the campaign ends tomorrow"},
				Delay: time.Hour + time.Duration(user%86_400)*time.Second,
			}
			if user == 13 {
				m.Delay = -time.Second // a mistake in one row stops no other
			}
			if !yield(m) {
				return
			}
		}
	}
}
