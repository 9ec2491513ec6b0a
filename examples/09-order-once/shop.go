package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"             // the driver sqlite

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/handlers/once"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

// PaymentTimeout is the queue; its messages are order numbers.
var PaymentTimeout = registry.Define[string]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel")

// shop is the service.
type shop struct {
	db      *sql.DB
	dialect sqldb.Dialect
	box     *outbox.Box
	relay   *outbox.Relay
	payment time.Duration
	closers []func() error // the last one first
}

// open makes all parts and starts them.
func open(ctx context.Context, s settings) (_ *shop, err error) {
	shop := &shop{payment: s.payment}
	defer func() {
		if err != nil {
			err = errors.Join(err, shop.close())
		}
	}()
	if err = shop.openDatabase(ctx, s); err != nil {
		return nil, err
	}
	client, err := shop.openRedis(ctx, s.redis)
	if err != nil {
		return nil, err
	}
	shop.relay, err = outbox.NewRelay(client, shop.db, shop.box, []outbox.Queue{outbox.For(PaymentTimeout)})
	if err != nil {
		return nil, err
	}
	if err = shop.relay.Start(ctx); err != nil {
		return nil, err
	}
	shop.onClose(func() error { return stopped(ctx, shop.relay.Stop) })
	if s.relay {
		return shop, nil
	}
	inbox, err := once.In(ctx, shop.db, shop.dialect, PaymentTimeout, func(d *handlers.Delivery[string]) string { return "cancel-" + d.Payload })
	if err != nil {
		return nil, err
	}
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(PaymentTimeout, handlers.Func[string](shop.cancelUnpaid), framework.Use(inbox.Middleware())),
	})
	if err != nil {
		return nil, err
	}
	if err = engine.Start(ctx); err != nil {
		return nil, err
	}
	shop.onClose(func() error { return stopped(ctx, engine.Stop) })
	return shop, nil
}

func (s *shop) openDatabase(ctx context.Context, of settings) (err error) {
	s.dialect = sqldb.SQLite
	driver, dsn := "sqlite", "file:"+of.file+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_txlock=immediate"
	if of.pg != "" {
		s.dialect, driver, dsn = sqldb.Postgres, "pgx", of.pg
	}
	if s.db, err = sql.Open(driver, dsn); err != nil {
		return err
	}
	s.onClose(s.db.Close)
	if s.box, err = outbox.New(s.dialect); err != nil {
		return err
	}
	// A service has these in its migrations: duequeue outbox schema prints the first.
	rows, err := outbox.Schema(s.dialect, "")
	if err != nil {
		return err
	}
	records, err := once.Schema(s.dialect, "")
	if err != nil {
		return err
	}
	for _, statement := range []string{rows, records, "CREATE TABLE IF NOT EXISTS orders (number VARCHAR(40) PRIMARY KEY, state VARCHAR(20) NOT NULL, changes INTEGER NOT NULL)"} {
		if _, err := s.db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (s *shop) openRedis(ctx context.Context, url string) (*framework.Client, error) {
	var opts []framework.ClientOption
	if url == "embedded" {
		server, err := embedded.Start()
		if err != nil {
			return nil, err
		}
		s.onClose(server.Close)
		opts = append(opts, framework.WithEmbedded(server))
	}
	client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: url}}, opts...)
	if err == nil {
		s.onClose(client.Close)
	}
	return client, err
}

func (s *shop) onClose(f func() error) { s.closers = append(s.closers, f) }

func (s *shop) close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i]())
	}
	s.closers = nil
	return errors.Join(errs...)
}

// stopped stops a part within some seconds.
func stopped(ctx context.Context, stop func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return stop(bounded)
}

// routes are the pages of the service.
func (s *shop) routes() http.Handler {
	mux := http.NewServeMux()
	page := func(pattern string, work func(ctx context.Context, number string) (string, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			text, err := work(r.Context(), r.PathValue("number"))
			var refused refusal
			switch {
			case errors.As(err, &refused):
				http.Error(w, err.Error(), http.StatusConflict)
			case err != nil:
				http.Error(w, err.Error(), http.StatusInternalServerError)
			default:
				_, _ = fmt.Fprintln(w, text)
			}
		})
	}
	page("POST /orders/{number}", s.place)
	page("POST /orders/{number}/payment", s.pay)
	page("GET /orders/{number}", s.look)
	return mux
}

// refusal is an answer that is the customer's matter.
type refusal string

func (r refusal) Error() string { return string(r) }

// transact commits what work has done where it returns nil, and lets the relay look.
func (s *shop) transact(ctx context.Context, work func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after the commit
	if err := work(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.relay.Wake()
	return nil
}

// change sets the state of an order that is in another one, and reports whether it was.
func (s *shop) change(ctx context.Context, tx *sql.Tx, number, from, to string) (bool, error) {
	done, err := tx.ExecContext(ctx, "UPDATE orders SET state = '"+to+"', changes = changes + 1 WHERE state = '"+from+"' AND number = "+s.dialect.Marks(1, 1), number)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// place takes an order: it and its message are there together, or neither.
func (s *shop) place(ctx context.Context, number string) (string, error) {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "INSERT INTO orders (number, state, changes) VALUES ("+s.dialect.Marks(1, 1)+", 'unpaid', 0) ON CONFLICT (number) DO NOTHING", number)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, refusal("order "+number+" is there already"))
		}
		return outbox.Offer(ctx, s.box.In(tx), PaymentTimeout, number, s.payment, framework.Key(number))
	})
	return "order " + number + " is placed", err
}

// pay ends the timeout in the transaction that records the payment. If the timeout comes at
// the same moment, the row of the order decides.
func (s *shop) pay(ctx context.Context, number string) (string, error) {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		paid, err := s.change(ctx, tx, number, "unpaid", "paid")
		if err != nil {
			return err
		}
		if !paid {
			return refusal("order " + number + " cannot be paid: it is paid or cancelled, or there is none")
		}
		return outbox.Cancel(ctx, s.box.In(tx), PaymentTimeout, number)
	})
	return "order " + number + " is paid", err
}

func (s *shop) look(ctx context.Context, number string) (string, error) {
	var state string
	var changes int
	err := s.db.QueryRowContext(ctx, "SELECT state, changes FROM orders WHERE number = "+s.dialect.Marks(1, 1), number).Scan(&state, &changes)
	if errors.Is(err, sql.ErrNoRows) {
		err = refusal("there is no order " + number)
	}
	return fmt.Sprintf("order %s is %s, changed %d times", number, state, changes), err
}

// cancelUnpaid handles the timeout, in the transaction of package once.
func (s *shop) cancelUnpaid(ctx context.Context, d *handlers.Delivery[string]) error {
	_, err := s.change(ctx, once.Tx(ctx), d.Payload, "unpaid", "cancelled")
	return err
}
