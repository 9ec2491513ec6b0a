// Package once_test runs handlers/once against real databases.
package once_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/integration/rig/database"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/handlers/once"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

var orders = registry.Define[string]("ORDERS", "", registry.Codec(codecs.String()))

func number(d *handlers.Delivery[string]) string { return d.Payload }

// shop is one of the databases, with the table of records and one of effects.
type shop struct {
	*database.Server
	dialect sqldb.Dialect
}

var dialects = map[string]sqldb.Dialect{"postgres": sqldb.Postgres, "mysql": sqldb.MySQL, "sqlite": sqldb.SQLite}

// Each database, one after another, with new tables for each part; the databases at once.
func TestOnce(t *testing.T) {
	t.Parallel()
	for name, start := range database.Kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := shop{start(t), dialects[name]}
			for _, part := range []struct {
				name string
				test func(t *testing.T, db shop)
			}{
				{"acts once", actsOnce},
				{"interrupted", interrupted},
				{"batches", batches},
				{"concurrent deliveries", concurrentDeliveries},
				{"purge", purge},
				{"broken database", brokenDatabase},
				{"locked", locked},
			} {
				t.Run(part.name, func(t *testing.T) {
					db.fresh(t)
					part.test(t, db)
				})
			}
		})
	}
}

// fresh makes the tables anew.
func (db shop) fresh(t *testing.T) {
	t.Helper()
	for _, table := range []string{once.DefaultTable, "effects", "wrong"} {
		db.exec(t, "DROP TABLE IF EXISTS "+table)
	}
	schema, err := once.Schema(db.dialect, "")
	if err != nil {
		t.Fatal(err)
	}
	db.exec(t, schema)
	db.exec(t, schema) // changes nothing
	db.exec(t, "CREATE TABLE effects (name VARCHAR(255) NOT NULL)")
}

func (db shop) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func (db shop) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// mark returns the nth placeholder.
func (db shop) mark(n int) string {
	if db.dialect == sqldb.Postgres {
		return fmt.Sprintf("$%d", n)
	}
	return "?"
}

func (db shop) inbox(t *testing.T, opts ...once.Option) *once.Inbox[string] {
	t.Helper()
	in, err := once.In(t.Context(), db.DB, db.dialect, orders, number, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// effect is a handler's change: a row with its name.
func (db shop) effect(ctx context.Context, name string) error {
	_, err := once.Tx(ctx).ExecContext(ctx, "INSERT INTO effects (name) VALUES ("+db.mark(1)+")", name)
	return err
}

func message(payload string) *handlers.Message {
	return &handlers.Message{Code: "ORDERS", Value: payload}
}

// A second delivery is acknowledged without a call; a failed one leaves nothing behind.
func actsOnce(t *testing.T, db shop) {
	calls, fail := 0, errors.New("the stock is empty")
	var result error
	next := db.inbox(t).Middleware()(func(ctx context.Context, m *handlers.Message) error {
		calls++
		if err := db.effect(ctx, m.Value.(string)); err != nil {
			return err
		}
		return result
	})
	for i, step := range []struct {
		payload, name string
		result        error
		calls         int
		effects       int
	}{
		{"A", "fails", fail, 1, 0},
		{"A", "is rejected", handlers.Reject("no such order"), 2, 0},
		{"A", "is done", nil, 3, 1},
		{"A", "is known", fail, 3, 1},
		{"a", "has another key by its case", nil, 4, 2},
		{"A ", "has another key by a space", nil, 5, 3},
		{"Ä🦆", "is no ASCII", nil, 6, 4},
	} {
		result = step.result
		err := next(t.Context(), message(step.payload))
		if calls != step.calls || err != nil && !errors.Is(err, step.result) || err == nil && step.result != nil && step.name != "is known" {
			t.Errorf("%d %s: %d calls, %v", i, step.name, calls, err)
		}
		if n := db.count(t, "SELECT COUNT(*) FROM effects"); n != step.effects {
			t.Errorf("%d %s: %d effects, want %d", i, step.name, n, step.effects)
		}
	}
}

// A panic rolls back and goes on; the end of the context rolls back.
func interrupted(t *testing.T, db shop) {
	in := db.inbox(t)
	panics := in.Middleware()(func(ctx context.Context, _ *handlers.Message) error {
		_ = db.effect(ctx, "panic")
		panic("oh")
	})
	if err := handlers.Recover()(panics)(t.Context(), message("P")); handlers.PanicOf(err) == nil {
		t.Errorf("the panic became %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	ends := in.Middleware()(func(ctx context.Context, _ *handlers.Message) error {
		err := db.effect(ctx, "late")
		cancel(handlers.ErrLeaseLost)
		return err
	})
	err := ends(ctx, message("L"))
	if handlers.Settle(ctx, err).Kind != handlers.Released {
		t.Errorf("a lost lease: %v", err)
	}
	own := in.Middleware()(func(ctx context.Context, _ *handlers.Message) error { return once.Tx(ctx).Rollback() })
	if err := own(t.Context(), message("R")); !errors.As(err, new(*once.EndedError)) {
		t.Errorf("a handler that rolls back by itself: %v", err)
	}
	if n := db.count(t, "SELECT (SELECT COUNT(*) FROM effects) + (SELECT COUNT(*) FROM duequeue_once)"); n != 0 {
		t.Errorf("%d rows are left of what was rolled back", n)
	}
}

// Each message of a batch has its record; those that fail lose it.
func batches(t *testing.T, db shop) {
	refused := handlers.Reject("no such order")
	var got []string
	outcome := func([]*handlers.Message) error { return nil }
	next := db.inbox(t).BatchMiddleware()(func(ctx context.Context, ms []*handlers.Message) error {
		got = nil
		for _, m := range ms {
			got = append(got, m.Value.(string))
			if err := db.effect(ctx, m.Value.(string)); err != nil {
				return err
			}
		}
		return outcome(ms)
	})
	batch := func(names ...string) []*handlers.Message {
		var ms []*handlers.Message
		for _, name := range names {
			ms = append(ms, message(name))
		}
		return ms
	}
	perItem := func(errs ...error) func([]*handlers.Message) error {
		return func([]*handlers.Message) error { return handlers.PerItem(errs) }
	}
	for i, step := range []struct {
		ms      []string
		outcome func([]*handlers.Message) error
		handed  string // what the handler gets
		results string // d: done, R: rejected, r: retried
		records int
	}{
		{[]string{"C", "A", "B"}, func([]*handlers.Message) error { return errors.New("the database is full") }, "[C A B]", "alone", 0},
		{[]string{"C", "A", "B"}, perItem(nil, refused, nil), "[C A B]", "dRd", 2},
		{[]string{"B", "A", "D", "A"}, perItem(nil, nil), "[A D]", "dddd", 4},
		{[]string{"A", "B"}, nil, "[]", "dd", 4},
		{[]string{"F", "", "E", "F"}, perItem(refused, refused), "[F E]", "RRRR", 4},
		{[]string{"F", "A", "E"}, func([]*handlers.Message) error { return handlers.RetryAfter(time.Second, nil) }, "[F E]", "rdr", 4},
		{[]string{"", ""}, nil, "[]", "RR", 4},
		{[]string{"E", "F", ""}, func([]*handlers.Message) error { return nil }, "[E F]", "ddR", 6},
	} {
		got, outcome = nil, step.outcome
		errs, alone := handlers.SettleBatch(t.Context(), next(t.Context(), batch(step.ms...)), len(step.ms))
		results := "alone"
		if !alone {
			kinds := make([]string, len(errs))
			for j, err := range errs {
				kinds[j] = map[handlers.Kind]string{handlers.Done: "d", handlers.Rejected: "R", handlers.Retried: "r"}[handlers.Classify(err).Kind]
			}
			results = strings.Join(kinds, "")
		}
		if fmt.Sprint(got) != step.handed || results != step.results {
			t.Errorf("%d %v: the handler got %v, results %s; want %s, %s", i, step.ms, got, results, step.handed, step.results)
		}
		if n := db.count(t, "SELECT COUNT(*) FROM duequeue_once"); n != step.records {
			t.Errorf("%d %v: %d records, want %d", i, step.ms, n, step.records)
		}
	}
}

// However many deliveries of the same messages run at once, single or in batches, also where
// some fail: each has one effect.
func concurrentDeliveries(t *testing.T, db shop) {
	const names, workers = 40, 8
	in := db.inbox(t)
	single := in.Middleware()(func(ctx context.Context, m *handlers.Message) error {
		if err := db.effect(ctx, m.Value.(string)); err != nil || rand.IntN(4) > 0 {
			return err
		}
		return errors.New("a failure")
	})
	batch := in.BatchMiddleware()(func(ctx context.Context, ms []*handlers.Message) error {
		for _, m := range ms {
			if err := db.effect(ctx, m.Value.(string)); err != nil {
				return err
			}
		}
		if rand.IntN(3) == 0 {
			return errors.New("a failure")
		}
		return nil
	})
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			left := map[string]bool{}
			for i := range names {
				left[fmt.Sprintf("order-%02d", i)] = true
			}
			for len(left) > 0 && t.Context().Err() == nil {
				var ms []*handlers.Message
				for name := range left { // in any order
					if ms = append(ms, message(name)); len(ms) == 5 {
						break
					}
				}
				if rand.IntN(2) == 0 {
					ms = ms[:1]
					if single(t.Context(), ms[0]) == nil {
						delete(left, ms[0].Value.(string))
					}
					continue
				}
				if batch(t.Context(), ms) == nil {
					for _, m := range ms {
						delete(left, m.Value.(string))
					}
				}
			}
		})
	}
	wg.Wait()
	if all, different := db.count(t, "SELECT COUNT(*) FROM effects"), db.count(t, "SELECT COUNT(DISTINCT name) FROM effects"); all != names || different != names {
		t.Errorf("%d effects of %d messages, want %d of each", all, different, names)
	}
}

// Records that have expired go, behind messages that are handled.
func purge(t *testing.T, db shop) {
	in := db.inbox(t)
	past := time.Now().Add(-time.Hour).UnixMilli()
	for from := 0; from < 2500; from += 500 {
		query := "INSERT INTO duequeue_once (queue, message_key, token, handled_at, expires_at) VALUES "
		for i := range 500 {
			if i > 0 {
				query += ", "
			}
			query += fmt.Sprintf("('ORDERS', 'old-%d', 'x', 0, %d)", from+i, past)
		}
		db.exec(t, query)
	}
	next := in.Middleware()(func(context.Context, *handlers.Message) error { return nil })
	for i, want := range []int{1501, 502, 3, 4} { // a thousand at a time, then not again for a minute
		if i == 3 {
			db.exec(t, fmt.Sprintf("UPDATE duequeue_once SET expires_at = %d WHERE message_key = 'new-0'", past))
		}
		if err := next(t.Context(), message(fmt.Sprintf("new-%d", i))); err != nil {
			t.Fatal(err)
		}
		if n := db.count(t, "SELECT COUNT(*) FROM duequeue_once"); n != want {
			t.Errorf("after message %d: %d records, want %d", i, n, want)
		}
	}
	if n, err := in.Purge(t.Context()); n != 1 || err != nil {
		t.Errorf("Purge: %d, %v", n, err)
	}
}

// What is wrong with the database is said at the start; what breaks later costs no attempt.
func brokenDatabase(t *testing.T, db shop) {
	pool, err := sql.Open(db.Driver, db.DSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	in, err := once.In(t.Context(), pool, db.dialect, orders, number)
	if err != nil {
		t.Fatal(err)
	}
	start := func(opts ...once.Option) error {
		_, err := once.In(t.Context(), pool, db.dialect, orders, number, opts...)
		return err
	}
	db.exec(t, "CREATE TABLE wrong (queue VARCHAR(10), message_key VARCHAR(10))")
	var wrong *once.SchemaError
	if err := start(once.Table("wrong")); !errors.As(err, &wrong) || wrong.Table != "wrong" {
		t.Errorf("wrong columns: %v", err)
	}
	if err := start(once.Table("missing")); !errors.As(err, &wrong) {
		t.Errorf("missing table: %v", err)
	}
	next := in.Middleware()(func(context.Context, *handlers.Message) error {
		t.Error("the handler was called")
		return nil
	})
	check := func(name, step string) {
		err := next(t.Context(), message("X"))
		var broken *once.DatabaseError
		if out := handlers.Classify(err); !errors.As(err, &broken) || broken.Step != step || !out.Transient {
			t.Errorf("%s: %v", name, err)
		}
	}
	db.exec(t, "DROP TABLE duequeue_once")
	check("dropped later", "record")
	_ = pool.Close()
	check("gone later", "begin")
	if err := start(); !errors.As(err, &wrong) {
		t.Errorf("gone at the start: %v", err)
	}
}

// A database that another connection has locked is waited for, at the start and by a message,
// until the context ends.
func locked(t *testing.T, db shop) {
	pool, err := sql.Open(db.Driver, strings.ReplaceAll(db.DSN, "busy_timeout(60000)", "busy_timeout(1)"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	inbox := func(ctx context.Context) (*once.Inbox[string], error) {
		return once.In(ctx, pool, db.dialect, orders, number)
	}
	before, err := inbox(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	next := before.Middleware()(func(ctx context.Context, m *handlers.Message) error {
		calls++
		return db.effect(ctx, m.Value.(string))
	})
	lock := map[sqldb.Dialect][2]string{
		sqldb.SQLite:   {"BEGIN IMMEDIATE", "ROLLBACK"},
		sqldb.Postgres: {"BEGIN; LOCK TABLE duequeue_once IN ACCESS EXCLUSIVE MODE", "ROLLBACK"},
		sqldb.MySQL:    {"LOCK TABLES duequeue_once WRITE", "UNLOCK TABLES"},
	}[db.dialect]
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(t.Context(), lock[0]); err != nil {
		t.Fatal(err)
	}
	if db.dialect == sqldb.SQLite {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := inbox(ctx); !errors.As(err, new(*sqldb.BusyError)) {
			t.Errorf("In until the context ended: %v", err)
		}
	}
	done := make(chan error, 2)
	go func() {
		_, err := inbox(t.Context())
		done <- err
	}()
	go func() { done <- next(t.Context(), message("waits")) }()
	select {
	case err := <-done:
		t.Fatalf("something was done while the table was locked: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	if _, err := conn.ExecContext(t.Context(), lock[1]); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if calls != 1 {
		t.Errorf("the handler was called %d times", calls)
	}
	if db.dialect == sqldb.SQLite {
		hasty, err := sql.Open(db.Driver, strings.ReplaceAll(db.DSN, "_pragma=busy_timeout(60000)&", ""))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = hasty.Close() }()
		if _, err := once.In(t.Context(), hasty, db.dialect, orders, number); !errors.As(err, new(*sqldb.BusyTimeoutError)) {
			t.Errorf("a pool that does not wait: %v", err)
		}
	}
}
