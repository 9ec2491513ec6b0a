package outbox_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/handlers/once"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

// envRole makes this binary one of the processes that the chaos kills.
const envRole = "DUEQUEUE_TEST_OUTBOX_ROLE"

func TestMain(m *testing.M) {
	if spec := os.Getenv(envRole); spec != "" {
		if err := play(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// part is what a process is told.
type part struct {
	Role        string // shop, relay or worker
	Name        string // of the process
	Redis       string
	Driver, DSN string
	Dialect     sqldb.Dialect
}

// unpaid is the queue of the chaos; its messages are order numbers.
var unpaid = registry.Define[string]("UNPAID", "", registry.Codec(codecs.String()),
	registry.Backoff(registry.Steps(50*time.Millisecond)), registry.MaxAttempts(registry.Unlimited), registry.Timeout(20*time.Second))

const items = 20 // in stock

func play(spec string) error {
	var p part
	if err := json.Unmarshal([]byte(spec), &p); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	db, err := sql.Open(p.Driver, p.DSN)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(10)
	db.SetMaxIdleConns(10)
	box, err := outbox.New(p.Dialect)
	if err != nil {
		return err
	}
	if p.Role == "shop" {
		s := &shop{part: p, db: db, box: box}
		s.sell(ctx)
		return nil
	}
	client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: p.Redis}, Lease: 2 * time.Second})
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	if p.Role == "relay" {
		relay, err := outbox.NewRelay(client, db, box, []outbox.Queue{outbox.For(unpaid)}, outbox.Poll(20*time.Millisecond))
		if err == nil {
			err = relay.Start(ctx)
		}
		if err != nil {
			return err
		}
		<-ctx.Done()
		return relay.Stop(context.WithoutCancel(ctx))
	}
	return work(ctx, p, db, client)
}

// mark returns the nth placeholder.
func mark(d sqldb.Dialect, n int) string { return d.Marks(n, 1) }

// shop writes orders, each with its message; of some the payment comes before that is due.
type shop struct {
	part

	db  *sql.DB
	box *outbox.Box
}

func (s *shop) sell(ctx context.Context) {
	const clerks = 4
	var wg sync.WaitGroup
	for c := range clerks {
		wg.Go(func() {
			tick := time.NewTicker(25 * time.Millisecond) // as many as a small machine stands
			defer tick.Stop()
			for n := 0; ; n++ {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				number := fmt.Sprintf("%s-%d-%d", s.Name, c, n)
				if !s.try(ctx, func(tx *sql.Tx) error { return s.order(ctx, tx, number) }) {
					continue
				}
				switch rand.IntN(5) {
				case 0, 1:
					s.try(ctx, func(tx *sql.Tx) error { return s.pay(ctx, tx, number) })
				case 2:
					s.try(ctx, func(tx *sql.Tx) error { return s.wait(ctx, tx, number) })
				}
			}
		})
	}
	wg.Wait()
}

// try runs f in a transaction, and notes how the database refused it.
func (s *shop) try(ctx context.Context, f func(tx *sql.Tx) error) bool {
	var level sql.IsolationLevel
	if rand.IntN(3) == 0 {
		level = sql.LevelSerializable
	}
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: level})
	if err != nil {
		return false
	}
	defer func() { _ = tx.Rollback() }()
	if err = f(tx); err == nil {
		err = tx.Commit()
	}
	if err == nil {
		return true
	}
	for kind, texts := range map[string][]string{
		"deadlock": {"40P01", "1213"}, "serialization": {"40001"},
	} {
		for _, text := range texts {
			if strings.Contains(err.Error(), text) {
				_, _ = s.db.ExecContext(ctx, "INSERT INTO refusals (kind) VALUES ("+mark(s.Dialect, 1)+")", kind)
			}
		}
	}
	return false
}

func (s *shop) order(ctx context.Context, tx *sql.Tx, number string) error {
	delay := time.Duration(rand.IntN(3000)) * time.Millisecond
	due := time.Now().Add(delay).UnixMilli()
	if _, err := tx.ExecContext(ctx, "INSERT INTO orders (number, state, due_ms) VALUES ("+s.Dialect.Marks(1, 3)+")", number, "unpaid", due); err != nil {
		return err
	}
	if err := outbox.Offer(ctx, s.box.In(tx), unpaid, number, delay, framework.Key(number)); err != nil {
		return err
	}
	for range 2 { // in any order: transactions lock each other
		if _, err := tx.ExecContext(ctx, "UPDATE stock SET n = n - 1 WHERE item = "+mark(s.Dialect, 1), rand.IntN(items)); err != nil {
			return err
		}
	}
	return nil
}

// pay cancels the message in the transaction that records the payment.
func (s *shop) pay(ctx context.Context, tx *sql.Tx, number string) error {
	done, err := tx.ExecContext(ctx, "UPDATE orders SET state = 'paid' WHERE number = "+mark(s.Dialect, 1)+" AND state = 'unpaid'", number)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return err
	}
	return outbox.Cancel(ctx, s.box.In(tx), unpaid, number)
}

// wait gives the customer a second more.
func (s *shop) wait(ctx context.Context, tx *sql.Tx, number string) error {
	if _, err := tx.ExecContext(ctx, "UPDATE orders SET due_ms = due_ms WHERE number = "+mark(s.Dialect, 1), number); err != nil {
		return err
	}
	return outbox.Reschedule(ctx, s.box.In(tx), unpaid, number, time.Now().Add(4*time.Second))
}

// work handles messages, each with one effect.
func work(ctx context.Context, p part, db *sql.DB, client *framework.Client) error {
	inbox, err := once.In(ctx, db, p.Dialect, unpaid, func(d *handlers.Delivery[string]) string { return d.Payload })
	if err != nil {
		return err
	}
	handler := handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		started := time.Now().UnixMilli()
		done, err := once.Tx(ctx).ExecContext(ctx, "UPDATE orders SET state = 'cancelled' WHERE number = "+mark(p.Dialect, 1)+" AND state = 'unpaid'", d.Payload)
		if err != nil {
			return err
		}
		changed, err := done.RowsAffected()
		if err != nil {
			return err
		}
		_, err = once.Tx(ctx).ExecContext(ctx, "INSERT INTO effects (number, changed, started_ms) VALUES ("+p.Dialect.Marks(1, 3)+")", d.Payload, changed, started)
		if err == nil && rand.IntN(20) == 0 {
			err = errors.New("the warehouse does not answer")
		}
		return err
	})
	engine, err := framework.New(client, []framework.Consumer{framework.Consume(unpaid, handler, framework.Use(inbox.Middleware()), framework.Workers(8))})
	if err != nil {
		return err
	}
	if err := engine.Start(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return engine.Stop(context.WithoutCancel(ctx))
}
