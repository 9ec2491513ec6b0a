package outbox_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/integration/rig/database"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/handlers/once"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

// benchQueue is that of all benchmarks.
var benchQueue = registry.Define[string]("BENCH", "", registry.Codec(codecs.String()))

// cancelArgs are river's message.
type cancelArgs struct {
	Number string `json:"number"`
}

func (cancelArgs) Kind() string { return "cancel" }

// benchDB is a PostgreSQL with a table of orders and one of rows.
func benchDB(b *testing.B) (*database.Server, *pgxpool.Pool, *outbox.Box) {
	b.Helper()
	db := database.Postgres(b)
	schema, err := outbox.Schema(sqldb.Postgres, "")
	if err != nil {
		b.Fatal(err)
	}
	for _, query := range []string{schema, "CREATE TABLE orders (number VARCHAR(64) NOT NULL PRIMARY KEY, state VARCHAR(16) NOT NULL)"} {
		if _, err = db.ExecContext(b.Context(), query); err != nil {
			b.Fatal(err)
		}
	}
	pool, err := pgxpool.New(b.Context(), db.DSN+"&pool_max_conns=16")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	box, err := outbox.New(sqldb.Postgres)
	if err != nil {
		b.Fatal(err)
	}
	return db, pool, box
}

// BenchmarkOffer saves an order in a transaction: alone, with its message in the outbox (and
// with a notification, and with a relay that sends it), and with a job of river that is due in
// half an hour, too. 16 transactions at once, one PostgreSQL.
func BenchmarkOffer(b *testing.B) {
	db, pool, box := benchDB(b)
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err = migrator.Migrate(b.Context(), rivermigrate.DirectionUp, nil); err != nil {
		b.Fatal(err)
	}
	jobs, err := river.NewClient(riverpgxv5.New(pool), &river.Config{})
	if err != nil {
		b.Fatal(err)
	}
	notifying, err := outbox.New(sqldb.Postgres, outbox.Notify("rows"))
	if err != nil {
		b.Fatal(err)
	}
	var numbers atomic.Int64
	offer := func(box *outbox.Box) func(ctx context.Context, tx pgx.Tx, number string) error {
		return func(ctx context.Context, tx pgx.Tx, number string) error {
			return outbox.Offer(ctx, box.In(outbox.Pgx(tx)), benchQueue, number, 30*time.Minute)
		}
	}
	for _, c := range []struct {
		name  string
		also  func(ctx context.Context, tx pgx.Tx, number string) error
		relay bool
	}{
		{"order", func(context.Context, pgx.Tx, string) error { return nil }, false},
		{"order+outbox", offer(box), false},
		{"order+outbox+notify", offer(notifying), false},
		{"order+outbox+relay", offer(box), true},
		{"order+river", func(ctx context.Context, tx pgx.Tx, number string) error {
			_, err := jobs.InsertTx(ctx, tx, cancelArgs{number}, &river.InsertOpts{ScheduledAt: time.Now().Add(30 * time.Minute)})
			return err
		}, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			if c.relay {
				startBenchRelay(b, db.DB, box)
			}
			b.SetParallelism(8) // of two processors
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					number := fmt.Sprint(numbers.Add(1))
					if err := pgx.BeginFunc(b.Context(), pool, func(tx pgx.Tx) error {
						if _, err := tx.Exec(b.Context(), "INSERT INTO orders (number, state) VALUES ($1, 'unpaid')", number); err != nil {
							return err
						}
						return c.also(b.Context(), tx, number)
					}); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "orders/s")
			b.StopTimer()
			if _, err := db.ExecContext(b.Context(), "TRUNCATE duequeue_outbox"); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func startBenchRelay(b *testing.B, db *sql.DB, box *outbox.Box, opts ...outbox.Option) *lab.Server {
	b.Helper()
	redis := lab.StartRedis(b)
	relay, err := outbox.NewRelay(rig.Open(b, redis.URL()), db, box, []outbox.Queue{outbox.For(benchQueue)}, opts...)
	if err == nil {
		err = relay.Start(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := relay.Stop(context.WithoutCancel(b.Context())); err != nil {
			b.Error(err)
		}
	})
	return redis
}

// BenchmarkDrain sends a backlog: rows a second of one relay.
func BenchmarkDrain(b *testing.B) {
	db, _, box := benchDB(b)
	query := "INSERT INTO duequeue_outbox (nonce, op, queue, policy, window_ms, payload, delay_ms, trace, created_ms)" +
		" SELECT 'n' || i, 'offer', 'BENCH', 'keep', 0, 'order', 1800000, '', (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint FROM generate_series(1, $1::int) i"
	if _, err := db.ExecContext(b.Context(), query, b.N); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	startBenchRelay(b, db.DB, box)
	lab.Wait(b, func() string {
		state, err := box.State(b.Context(), db.DB)
		if err != nil || state.Waiting > 0 {
			return fmt.Sprint(state, err)
		}
		return ""
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkCommitToPending measures from the end of a commit until the message is pending in
// Redis, by notification.
func BenchmarkCommitToPending(b *testing.B) {
	db, pool, _ := benchDB(b)
	box, err := outbox.New(sqldb.Postgres, outbox.Notify("rows"))
	if err != nil {
		b.Fatal(err)
	}
	listening := make(chan struct{}, 1)
	redis := startBenchRelay(b, db.DB, box, outbox.Poll(time.Hour), listen(db, listening))
	<-listening
	rdb := redis.Client()
	var took []time.Duration
	for i := range b.N {
		if err := pgx.BeginFunc(b.Context(), pool, func(tx pgx.Tx) error {
			return outbox.Offer(b.Context(), box.In(outbox.Pgx(tx)), benchQueue, "x", time.Hour)
		}); err != nil {
			b.Fatal(err)
		}
		committed := time.Now()
		pending := func() bool { return rdb.ZCard(b.Context(), "redisson_delay_queue_timeout:{BENCH}").Val() > int64(i) }
		for there := pending(); !there; there = pending() {
			if b.Context().Err() != nil {
				b.Fatal("not pending")
			}
		}
		took = append(took, time.Since(committed))
	}
	slices.Sort(took)
	ms := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(ms(0.5), "p50-ms")
	b.ReportMetric(ms(0.99), "p99-ms")
}

// BenchmarkHandle runs a handler that writes a row in a transaction: one of its own, and that of
// once. 16 at once.
func BenchmarkHandle(b *testing.B) {
	db, _, _ := benchDB(b)
	schema, err := once.Schema(sqldb.Postgres, "")
	if err != nil {
		b.Fatal(err)
	}
	if _, err = db.ExecContext(b.Context(), schema); err != nil {
		b.Fatal(err)
	}
	inbox, err := once.In(b.Context(), db.DB, sqldb.Postgres, benchQueue, func(d *handlers.Delivery[string]) string { return d.Payload })
	if err != nil {
		b.Fatal(err)
	}
	effect := func(ctx context.Context, tx *sql.Tx, m *handlers.Message) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO orders (number, state) VALUES ($1, 'cancelled')", m.Value)
		return err
	}
	var numbers atomic.Int64
	for _, c := range []struct {
		name   string
		handle handlers.Next
	}{
		{"own transaction", func(ctx context.Context, m *handlers.Message) error {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			defer func() { _ = tx.Rollback() }()
			if err := effect(ctx, tx, m); err != nil {
				return err
			}
			return tx.Commit()
		}},
		{"once", inbox.Middleware()(func(ctx context.Context, m *handlers.Message) error { return effect(ctx, once.Tx(ctx), m) })},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := c.handle(b.Context(), &handlers.Message{Code: "BENCH", Value: fmt.Sprint(numbers.Add(1))}); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
