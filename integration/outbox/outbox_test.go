// Package outbox_test runs framework/outbox against real databases and a real Redis.
package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/integration/rig/database"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

var dialects = map[string]sqldb.Dialect{"postgres": sqldb.Postgres, "mysql": sqldb.MySQL, "sqlite": sqldb.SQLite}

// stand is one database with the table, a Redis and a queue of its own.
type stand struct {
	*testing.T
	db     *database.Server
	redis  *lab.Server
	client *framework.Client
	box    *outbox.Box
	queue  *registry.Queue[string]
}

// Each database, one part after another, with a new table for each; the databases at once.
func TestOutbox(t *testing.T) {
	t.Parallel()
	for name, start := range database.Kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, redis := start(t), lab.StartRedis(t)
			for _, part := range []struct {
				name string
				test func(s *stand)
			}{
				{"commit and rollback", commitAndRollback},
				{"due times", dueTimes},
				{"order of a key", orderOfAKey},
				{"offered and cancelled", offeredAndCancelled},
				{"sent again", sentAgain},
				{"set aside", setAside},
				{"trouble", trouble},
				{"stuck", stuck},
				{"stuck key", stuckKey},
				{"log and meter that panic", brokenTelemetry},
				{"broken table", brokenTable},
				{"bad input", badInput},
				{"many rows and relays", manyRows},
				{"full", full},
				{"locked", locked},
				{"deadlocks", deadlocks},
			} {
				t.Run(part.name, func(t *testing.T) { part.test(newStand(t, db, redis, "duequeue_outbox")) })
			}
		})
	}
}

func newStand(t *testing.T, db *database.Server, redis *lab.Server, table string, opts ...outbox.BoxOption) *stand {
	t.Helper()
	s := &stand{T: t, db: db, redis: redis, client: rig.Open(t, redis.URL())}
	s.queue = registry.Define[string](rig.QueueName(t, ""), "", registry.Codec(codecs.String()))
	box, err := outbox.New(dialects[db.Name], append(opts, outbox.Table(table))...)
	if err != nil {
		t.Fatal(err)
	}
	s.box = box
	s.exec("DROP TABLE IF EXISTS " + table)
	schema, err := outbox.Schema(dialects[db.Name], table)
	if err != nil {
		t.Fatal(err)
	}
	s.exec(schema)
	s.exec(schema) // changes nothing
	return s
}

func (s *stand) exec(query string, args ...any) {
	s.Helper()
	if _, err := s.db.ExecContext(s.Context(), query, args...); err != nil {
		s.Fatalf("%s: %v", query, err)
	}
}

func (s *stand) count(query string) (n int) {
	s.Helper()
	if err := s.db.QueryRowContext(s.Context(), query).Scan(&n); err != nil {
		s.Fatalf("%s: %v", query, err)
	}
	return n
}

// in runs f in a transaction that is committed where it returns nil.
func (s *stand) in(f func(tx outbox.Tx) error) error {
	s.Helper()
	tx, err := s.db.BeginTx(s.Context(), nil)
	if err != nil {
		s.Fatal(err)
	}
	if err := f(s.box.In(tx)); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (s *stand) must(f func(tx outbox.Tx) error) {
	s.Helper()
	if err := s.in(f); err != nil {
		s.Fatal(err)
	}
}

// relay starts a relay that stops with the test.
func (s *stand) relay(opts ...outbox.Option) *outbox.Relay {
	s.Helper()
	r, err := outbox.NewRelay(s.client, s.db.DB, s.box, []outbox.Queue{outbox.For(s.queue)}, append([]outbox.Option{outbox.Poll(5 * time.Millisecond)}, opts...)...)
	if err != nil {
		s.Fatal(err)
	}
	if err := r.Start(s.Context()); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { stop(s.T, r) })
	return r
}

func stop(t *testing.T, r *outbox.Relay) {
	t.Helper()
	if err := r.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// drained waits until no row waits.
func (s *stand) drained() {
	s.Helper()
	lab.Wait(s, func() string {
		state, err := s.box.State(s.Context(), s.db.DB)
		if err != nil || state.Waiting > 0 {
			return fmt.Sprintf("%+v, %v", state, err)
		}
		return ""
	})
}

// pending returns the payloads of the queue in the order of their due times.
func (s *stand) pending() string {
	s.Helper()
	var out []string
	for m, err := range framework.Bind(s.client, s.queue).Pending().All(s.Context()) {
		if err != nil {
			s.Fatal(err)
		}
		out = append(out, m.Payload)
	}
	return strings.Join(out, " ")
}

func commitAndRollback(s *stand) {
	s.relay()
	refused := errors.New("no stock")
	if err := s.in(func(tx outbox.Tx) error {
		if err := outbox.Offer(s.Context(), tx, s.queue, "never", time.Hour); err != nil {
			return err
		}
		return refused
	}); !errors.Is(err, refused) {
		s.Fatal(err)
	}
	s.must(func(tx outbox.Tx) error {
		return errors.Join(
			outbox.Offer(s.Context(), tx, s.queue, "later", 2*time.Hour),
			outbox.Offer(s.Context(), tx, s.queue, "sooner", time.Hour, framework.Key("k")),
			outbox.OfferAt(s.Context(), tx, s.queue, "at", time.Now().Add(90*time.Minute), framework.Key("k\x00\xff").Replace().Within(time.Minute)),
			outbox.Offer(s.Context(), tx, s.queue, "", 3*time.Hour),
		)
	})
	s.drained()
	if got := s.pending(); got != "sooner at later " {
		s.Errorf("pending %q", got)
	}
}

// A delay counts from the call, whatever the relay takes; nothing is early.
func dueTimes(s *stand) {
	began, written := time.Now(), time.Time{}
	s.must(func(tx outbox.Tx) error {
		err := errors.Join(
			outbox.Offer(s.Context(), tx, s.queue, "now", 0),
			outbox.Offer(s.Context(), tx, s.queue, "soon", 300*time.Millisecond),
			outbox.Offer(s.Context(), tx, s.queue, "hour", time.Hour),
		)
		written = time.Now()
		<-time.After(400 * time.Millisecond)
		return err
	})
	<-time.After(200 * time.Millisecond)
	started := time.Now()
	s.relay()
	s.drained()
	took := written.Sub(began) + time.Since(started) // of the call, and of the relay's
	dues := map[string]time.Duration{}
	for m, err := range framework.Bind(s.client, s.queue).Pending().All(s.Context()) {
		if err != nil {
			s.Fatal(err)
		}
		dues[m.Payload] = m.Due.Sub(began)
	}
	// The database and Redis have one clock here, and round to ms.
	if d := dues["hour"]; d < time.Hour-time.Millisecond || d > time.Hour+took+2*time.Millisecond {
		s.Errorf("due %v behind the offer, want an hour", d)
	}
	if dues["soon"] < 300*time.Millisecond-time.Millisecond || dues["soon"] > time.Hour/2 || dues["now"] > time.Hour/2 {
		s.Errorf("due %v", dues)
	}
}

// What is written for a key takes place in that order, in one transaction and in many, with
// several relays.
func orderOfAKey(s *stand) {
	for range 3 {
		s.relay(outbox.Batch(7))
	}
	const keys = 30
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			key := fmt.Sprintf("order-%02d", i)
			steps := []func(tx outbox.Tx) error{
				func(tx outbox.Tx) error {
					return outbox.Offer(s.Context(), tx, s.queue, key+"-first", time.Hour, framework.Key(key))
				},
				func(tx outbox.Tx) error { return outbox.Cancel(s.Context(), tx, s.queue, key) },
				func(tx outbox.Tx) error {
					return outbox.Offer(s.Context(), tx, s.queue, key+"-second", time.Hour, framework.Key(key))
				},
				func(tx outbox.Tx) error {
					return outbox.Offer(s.Context(), tx, s.queue, key, 2*time.Hour, framework.Key(key).Replace())
				},
				func(tx outbox.Tx) error {
					return outbox.Reschedule(s.Context(), tx, s.queue, key, time.Now().Add(time.Duration(i+3)*time.Hour))
				},
			}
			if i%3 == 0 {
				steps = append(steps, func(tx outbox.Tx) error { return outbox.Cancel(s.Context(), tx, s.queue, key) })
			}
			if i%2 == 0 {
				s.must(func(tx outbox.Tx) error {
					for _, step := range steps {
						if err := step(tx); err != nil {
							return err
						}
					}
					return nil
				})
				return
			}
			for _, step := range steps {
				s.must(step)
			}
		})
	}
	wg.Wait()
	s.drained()
	var want []string
	for i := range keys {
		if i%3 != 0 {
			want = append(want, fmt.Sprintf("order-%02d", i))
		}
	}
	if got := s.pending(); got != strings.Join(want, " ") {
		s.Errorf("pending %s\nwant    %s", got, strings.Join(want, " "))
	}
}

// What is committed while relays look is seen whole or not at all: no cancellation overtakes the
// offer that was written before it.
func offeredAndCancelled(s *stand) {
	const writers, each = 8, 60
	for range 4 {
		s.relay(outbox.Poll(time.Millisecond))
	}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				s.must(func(tx outbox.Tx) error {
					for k := range 5 {
						key := fmt.Sprintf("%d-%d-%d", w, i, k)
						if err := errors.Join(
							outbox.Offer(s.Context(), tx, s.queue, key, time.Hour, framework.Key(key)),
							outbox.Cancel(s.Context(), tx, s.queue, key),
						); err != nil {
							return err
						}
					}
					return nil
				})
			}
		})
	}
	wg.Wait()
	s.drained()
	if got := s.pending(); got != "" {
		s.Errorf("pending %q", got)
	}
}

// A relay that dies between Redis and its commit leaves the row as it was: it is sent again,
// and adds nothing, whatever became of the message and its key.
func sentAgain(s *stand) {
	var mu sync.Mutex
	handled := map[string]int{}
	rig.Run(s, s.client, framework.Consume(s.queue, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		mu.Lock()
		defer mu.Unlock()
		handled[d.Payload]++
		return nil
	})))
	s.must(func(tx outbox.Tx) error {
		return errors.Join(
			outbox.Offer(s.Context(), tx, s.queue, "now", 0),
			outbox.Offer(s.Context(), tx, s.queue, "kept", 0, framework.Key("kept")),
			outbox.Offer(s.Context(), tx, s.queue, "replaced", 0, framework.Key("replaced").Replace()),
			outbox.Offer(s.Context(), tx, s.queue, "extended", 0, framework.Key("extended").Extend()),
			outbox.Offer(s.Context(), tx, s.queue, "pending", time.Hour),
		)
	})
	s.exec("DROP TABLE IF EXISTS copied")
	s.exec("CREATE TABLE copied AS SELECT * FROM duequeue_outbox")
	s.relay()
	for range 3 {
		s.drained()
		lab.Wait(s, func() string {
			mu.Lock()
			defer mu.Unlock()
			if c := rig.Counts(s, s.client, s.queue); len(handled) < 4 || c.Delayed != 1 || c.Ready+c.InFlight > 0 {
				return fmt.Sprintf("handled %v, %+v", handled, c)
			}
			return ""
		})
		s.exec("INSERT INTO duequeue_outbox SELECT * FROM copied")
	}
	s.drained()
	mu.Lock()
	defer mu.Unlock()
	for name, n := range handled {
		if n != 1 {
			s.Errorf("%s was handled %d times", name, n)
		}
	}
}

func setAside(s *stand) {
	var log bytes.Buffer
	s.must(func(tx outbox.Tx) error {
		return errors.Join(
			outbox.Offer(s.Context(), tx, s.queue, "spoiled", time.Hour, framework.Key("s")),
			outbox.Offer(s.Context(), tx, s.queue, "behind it", time.Hour, framework.Key("s")),
			outbox.Offer(s.Context(), tx, s.queue, "beside it", 2*time.Hour),
		)
	})
	s.exec("UPDATE duequeue_outbox SET policy = 'odd' WHERE id = (SELECT * FROM (SELECT MIN(id) FROM duequeue_outbox) first)")
	r := s.relay(outbox.Logger(slog.New(slog.NewTextHandler(&log, nil))))
	s.drained()
	if got := s.pending(); got != "behind it beside it" {
		s.Errorf("pending %q", got)
	}
	rows, err := s.box.Aside(s.Context(), s.db.DB, 0, 10)
	if err != nil || len(rows) != 1 || string(rows[0].Payload) != "spoiled" || rows[0].Key != "s" || !strings.Contains(rows[0].Error, "policy") || rows[0].Aside.Before(rows[0].Created) {
		s.Fatalf("%+v, %v", rows, err)
	}
	s.exec("UPDATE duequeue_outbox SET policy = 'replace'")
	if n, err := s.box.Retry(s.Context(), s.db.DB, rows[0].ID, 77); n != 1 || err != nil {
		s.Errorf("Retry: %d, %v", n, err)
	}
	s.drained()
	if got := s.pending(); got != "spoiled beside it" {
		s.Errorf("pending %q", got)
	}
	if err := r.Start(s.Context()); !errors.Is(err, outbox.ErrStarted) {
		s.Errorf("a second start: %v", err)
	}
	stop(s.T, r)
	if !strings.Contains(log.String(), "set aside") || !strings.Contains(log.String(), "key=s") {
		s.Errorf("the log says %s", log.String())
	}
	s.exec("INSERT INTO duequeue_outbox (nonce, op, queue, policy, window_ms, payload, trace, created_ms, aside_ms) VALUES ('n', 'offer', 'q', 'keep', 0, '', '', 0, 1)")
	if state, err := s.box.State(s.Context(), s.db.DB); err != nil || state != (outbox.State{Aside: 1}) {
		s.Errorf("%+v, %v", state, err)
	}
	if n, err := s.box.Drop(s.Context(), s.db.DB, 1, 2, 3, 4, 5, 6); n != 1 || err != nil {
		s.Errorf("Drop: %d, %v", n, err)
	}
	for _, aside := range []int64{1, time.Now().Add(2 * time.Hour).UnixMilli()} {
		s.exec(fmt.Sprintf("INSERT INTO duequeue_outbox (nonce, op, queue, policy, window_ms, payload, trace, created_ms, aside_ms) VALUES ('n', 'offer', 'q', 'keep', 0, '', '', 0, %d)", aside))
	}
	s.relay(outbox.KeepAside(time.Hour))
	lab.Wait(s, func() string {
		if state, err := s.box.State(s.Context(), s.db.DB); err != nil || state.Aside != 1 {
			return fmt.Sprintf("%+v, %v", state, err)
		}
		return ""
	})
}

// A table that has filled while no relay ran, and that the database knows nothing of, is sent as
// fast as one that is nearly empty: no claim looks at all of it.
func full(s *stand) {
	rows := 4_000
	if lab.LongForm() {
		rows = 15_000
	}
	number := "CAST(i AS CHAR(10))"
	for name, key := range map[string]string{"without keys": "NULL", "with keys": s.asBytes(number)} {
		nonce := map[bool]string{true: number, false: "CAST(-i AS CHAR(10))"}[key == "NULL"]
		numbers := map[string]string{
			"mysql":    "(SELECT seq AS i FROM seq_1_to_%d) numbers",
			"postgres": "generate_series(1, %d) i",
			"sqlite":   "(WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < %d) SELECT i FROM numbers)",
		}[s.db.Name]
		s.exec("INSERT INTO duequeue_outbox (nonce, op, queue, message_key, policy, window_ms, payload, delay_ms, trace, created_ms)" +
			" SELECT " + nonce + ", 'offer', '" + s.queue.Code() + "', " + key + ", 'keep', 0, 'order', 3600000, '', " + strconv.FormatInt(time.Now().UnixMilli(), 10) +
			" FROM " + fmt.Sprintf(numbers, rows))
		read := s.rowsRead()
		r := s.relay(outbox.Remember(time.Second))
		lab.Wait(s, func() string { // by Redis: who asks the database for its rows reads them
			if c := rig.Counts(s, s.client, s.queue); c.Delayed != int64(rows) {
				return fmt.Sprintf("%s: %d of %d rows are sent", name, c.Delayed, rows)
			}
			return ""
		})
		stop(s.T, r)
		const most = 10 // reads of each row: it takes 4, and many more where each claim looks at all
		if read = s.rowsRead() - read; read > most*rows {
			s.Errorf("%s: %d rows were read to send %d", name, read, rows)
		}
		s.drained()
		if _, err := framework.Bind(s.client, s.queue).Pending().Clear(s.Context()); err != nil {
			s.Fatal(err)
		}
	}
}

// rowsRead is how many rows MySQL has read so far. The others do not tell at once.
func (s *stand) rowsRead() int {
	s.Helper()
	if s.db.Name != "mysql" {
		return 0
	}
	return s.count("SELECT CAST(SUM(variable_value) AS SIGNED) FROM information_schema.global_status WHERE variable_name IN ('HANDLER_READ_NEXT', 'HANDLER_READ_RND_NEXT')")
}

// asBytes turns text into what the column of keys takes.
func (s *stand) asBytes(text string) string {
	if s.db.Name == "postgres" {
		return "CAST(" + text + " AS BYTEA)"
	}
	return text
}
