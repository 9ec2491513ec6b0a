package outbox_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/registry"
)

// What cannot be sent waits, and holds up nothing else; it goes out when it can.
func trouble(s *stand) {
	other := registry.Define[string](rig.QueueName(s, "_OTHER"), "", registry.Codec(codecs.String()))
	rdb := s.redis.Client()
	name := "redisson_delay_queue:{" + other.Key() + "}"
	rdb.Set(s.Context(), name, "no list", 0)
	r, err := outbox.NewRelay(s.client, s.db.DB, s.box, []outbox.Queue{outbox.For(s.queue), outbox.For(other)}, outbox.Poll(5*time.Millisecond))
	if err == nil {
		err = r.Start(s.Context())
	}
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { stop(s.T, r) })
	s.must(func(tx outbox.Tx) error {
		return errors.Join(
			outbox.Offer(s.Context(), tx, other, "stuck", time.Hour, framework.Key("k")),
			outbox.Offer(s.Context(), tx, s.queue, "goes", time.Hour),
		)
	})
	lab.Wait(s, func() string {
		if got := s.pending(); got != "goes" {
			return got
		}
		return ""
	})
	lab.Wait(s, func() string {
		if n := s.count("SELECT COUNT(*) FROM duequeue_outbox"); n != 1 {
			return fmt.Sprintf("%d rows wait, want the one of the other queue", n)
		}
		return ""
	})
	rdb.Del(s.Context(), name)
	s.drained()
	// Redis is gone for a while, and the relay looks for rows when it is told to.
	stop(s.T, r)
	r = s.relay(outbox.Poll(time.Hour))
	s.redis.Kill()
	s.must(func(tx outbox.Tx) error { return outbox.Offer(s.Context(), tx, s.queue, "waits", 2*time.Hour) })
	r.Wake()
	<-time.After(100 * time.Millisecond)
	s.redis.Restart()
	s.drained()
	if got := s.pending(); !strings.HasSuffix(got, "waits") {
		s.Errorf("pending %q", got)
	}
}

// However many rows of one queue wait, those of another cost what they cost alone: counted in rows that the
// database reads, before it knows anything of the table and when it believes to know it.
func stuck(s *stand) {
	const waiting, offered = 1 << 15, 20
	other := registry.Define[string](rig.QueueName(s, "_OTHER"), "", registry.Codec(codecs.String()))
	s.redis.Client().Set(s.Context(), "redisson_delay_queue:{"+other.Key()+"}", "no list", 0)
	s.must(func(tx outbox.Tx) error { return outbox.Offer(s.Context(), tx, other, "stuck", time.Hour) })
	copied := "nonce, op, queue, message_key, policy, window_ms, payload, delay_ms, due_ms, trace, created_ms"
	for n := 1; n < waiting; n *= 2 {
		s.exec("INSERT INTO duequeue_outbox (" + copied + ") SELECT " + copied + " FROM duequeue_outbox")
	}
	for name, analyze := range map[string]map[string]string{
		"new": nil, "analyzed": {"postgres": "ANALYZE duequeue_outbox", "mysql": "ANALYZE TABLE duequeue_outbox", "sqlite": "ANALYZE"},
	} {
		if sql := analyze[s.db.Name]; sql != "" {
			s.exec(sql)
		}
		read := s.rowsReadByAll()
		own, err := sql.Open(s.db.Driver, s.db.DSN) // it is closed before the rows are counted
		if err != nil {
			s.Fatal(err)
		}
		r, err := outbox.NewRelay(s.client, own, s.box, []outbox.Queue{outbox.For(other), outbox.For(s.queue)}, outbox.Poll(5*time.Millisecond))
		if err == nil {
			err = r.Start(s.Context())
		}
		if err != nil {
			s.Fatal(err)
		}
		for i := range offered {
			s.must(func(tx outbox.Tx) error {
				return outbox.Offer(s.Context(), tx, s.queue, fmt.Sprint(name, i), time.Hour, framework.Key(fmt.Sprint(name, i)))
			})
			lab.Wait(s, func() string {
				if n := s.countOf(s.queue); n != 0 {
					return "a row of the other queue waits"
				}
				return ""
			})
		}
		stop(s.T, r)
		err = own.Close()
		if read = s.rowsReadByAll() - read; err != nil || read > waiting/4 {
			s.Errorf("%s: %d rows were read to send %d beside %d that wait; %v", name, read, offered, waiting, err)
		}
		if n := s.countOf(other); n != waiting {
			s.Errorf("%d rows of the queue that is stuck wait, want %d", n, waiting)
		}
	}
}

// However many rows of one key wait for the first one, which waits for another try, rows of other keys in
// the queue cost what they cost alone: the rows that wait are read now and then, not for each of the others.
func stuckKey(s *stand) {
	const waiting, offered = 1 << 15, 60
	s.must(func(tx outbox.Tx) error {
		return outbox.Offer(s.Context(), tx, s.queue, "stuck", time.Hour, framework.Key("stuck").Within(time.Millisecond))
	})
	copied := "op, queue, message_key, policy, window_ms, payload, delay_ms, due_ms, trace, created_ms"
	for n := 1; n < waiting; n *= 2 {
		s.exec("INSERT INTO duequeue_outbox (nonce, " + copied + ") SELECT id, " + copied + " FROM duequeue_outbox")
	}
	first := s.count("SELECT MIN(id) FROM duequeue_outbox")
	s.exec(fmt.Sprintf("UPDATE duequeue_outbox SET retry_ms = %d WHERE id = %d", time.Now().Add(time.Hour).UnixMilli(), first))
	read, began := s.rowsReadByAll(), time.Now()
	own, err := sql.Open(s.db.Driver, s.db.DSN) // it is closed before the rows are counted
	if err != nil {
		s.Fatal(err)
	}
	r, err := outbox.NewRelay(s.client, own, s.box, []outbox.Queue{outbox.For(s.queue)}, outbox.Poll(5*time.Millisecond))
	if err == nil {
		err = r.Start(s.Context())
	}
	if err != nil {
		s.Fatal(err)
	}
	for i := range offered {
		s.must(func(tx outbox.Tx) error {
			return outbox.Offer(s.Context(), tx, s.queue, fmt.Sprint("other ", i), time.Hour, framework.Key(fmt.Sprint(i)))
		})
		lab.Wait(s, func() string { // by Redis: who asks the database for its rows reads them
			if c := rig.Counts(s, s.client, s.queue); c.Delayed != int64(i+1) {
				return fmt.Sprintf("%d of %d rows of other keys are sent", c.Delayed, i+1)
			}
			return ""
		})
	}
	stop(s.T, r)
	err = own.Close()
	looks := offered/2 + 3*int(time.Since(began)/time.Second) // the rows that wait are read each second
	if read = s.rowsReadByAll() - read; err != nil || read > looks*waiting {
		s.Errorf("%d rows were read to send %d beside %d that wait; %v", read, offered, waiting, err)
	}
	s.Logf("%d rows were read to send %d beside %d that wait", read, offered, waiting)
	if n := s.countOf(s.queue); n != waiting {
		s.Errorf("%d rows of the key wait, want %d", n, waiting)
	}

	s.exec(fmt.Sprintf("DELETE FROM duequeue_outbox WHERE id > %d", first+1500))
	s.relay()
	lab.Wait(s, func() string { // it passes over them, until the first one is tried again
		if n := s.countOf(s.queue); n < 100 {
			return fmt.Sprintf("%d rows wait", n)
		}
		return ""
	})
	s.exec("UPDATE duequeue_outbox SET retry_ms = 0")
	s.drained()
}

// rowsReadByAll is rowsRead, of PostgreSQL too, which tells when connections are closed.
func (s *stand) rowsReadByAll() (n int) {
	s.Helper()
	if s.db.Name != "postgres" {
		return s.rowsRead()
	}
	const idle = 10
	s.db.SetMaxIdleConns(0)
	defer s.db.SetMaxIdleConns(idle)
	for before := -1; n != before; {
		before = n
		<-time.After(300 * time.Millisecond)
		n = s.count("SELECT SUM(idx_tup_read) + (SELECT SUM(seq_tup_read) FROM pg_stat_user_tables) FROM pg_stat_user_indexes")
	}
	return n
}

// countOf returns how many rows of a queue wait. It reads no others.
func (s *stand) countOf(q *registry.Queue[string]) int {
	return s.count("SELECT COUNT(*) FROM duequeue_outbox WHERE queue = '" + q.Code() + "' AND aside_ms = 0")
}

// badLog and badMeters panic whatever they are asked.
type (
	badLog     struct{ slog.Handler }
	badMeters  struct{ noop.MeterProvider }
	badMeter   struct{ noop.Meter }
	badCounter struct{ noop.Int64Counter }
)

func (badLog) Enabled(context.Context, slog.Level) bool            { panic("Enabled") }
func (badLog) Handle(context.Context, slog.Record) error           { panic("Handle") }
func (badMeters) Meter(string, ...metric.MeterOption) metric.Meter { return badMeter{} }
func (badCounter) Add(context.Context, int64, ...metric.AddOption) { panic("Add") }
func (badMeter) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return badCounter{}, nil
}

func (badMeter) RegisterCallback(metric.Callback, ...metric.Observable) (metric.Registration, error) {
	panic("RegisterCallback")
}

// A relay survives a log and a meter that panic: it sends, and sets aside.
func brokenTelemetry(s *stand) {
	s.must(func(tx outbox.Tx) error { return outbox.Offer(s.Context(), tx, s.queue, "wrong", time.Hour) })
	s.exec("UPDATE duequeue_outbox SET op = 'nothing'")
	s.must(func(tx outbox.Tx) error { return outbox.Offer(s.Context(), tx, s.queue, "right", time.Hour) })
	r := s.relay(outbox.Logger(slog.New(badLog{})), outbox.Meters(badMeters{}))
	lab.Wait(s, func() string {
		if aside, err := s.box.Aside(s.Context(), s.db.DB, 0, 10); err != nil || len(aside) != 1 || s.pending() != "right" {
			return fmt.Sprint(aside, err, s.pending())
		}
		return ""
	})
	stop(s.T, r)
}

func brokenTable(s *stand) {
	relay := func(table string) (*outbox.Relay, *outbox.Box) {
		box, err := outbox.New(dialects[s.db.Name], outbox.Table(table))
		if err != nil {
			s.Fatal(err)
		}
		r, err := outbox.NewRelay(s.client, s.db.DB, box, []outbox.Queue{outbox.For(s.queue)})
		if err != nil {
			s.Fatal(err)
		}
		return r, box
	}
	s.exec("DROP TABLE IF EXISTS wrong")
	s.exec("CREATE TABLE wrong (id BIGINT, queue VARCHAR(10))")
	for _, table := range []string{"missing", "wrong"} {
		r, box := relay(table)
		var schema *outbox.SchemaError
		if err := r.Start(s.Context()); !errors.As(err, &schema) || schema.Table != table {
			s.Errorf("%s: %v", table, err)
		}
		tx, err := s.db.BeginTx(s.Context(), nil)
		if err != nil {
			s.Fatal(err)
		}
		var refused *outbox.WriteError
		if err := outbox.Offer(s.Context(), box.In(tx), s.queue, "x", 0); !errors.As(err, &refused) {
			s.Errorf("%s: %v", table, err)
		}
		_ = tx.Rollback()
	}
	// Gone later: the relay goes on when it is there again.
	s.relay()
	s.exec("ALTER TABLE duequeue_outbox RENAME TO away")
	<-time.After(300 * time.Millisecond)
	s.exec("ALTER TABLE away RENAME TO duequeue_outbox")
	s.must(func(tx outbox.Tx) error { return outbox.Offer(s.Context(), tx, s.queue, "after", time.Hour) })
	s.drained()
	if got := s.pending(); got != "after" {
		s.Errorf("pending %q", got)
	}
	// Gone at the start.
	gone, err := sql.Open(s.db.Driver, s.db.DSN)
	if err != nil {
		s.Fatal(err)
	}
	_ = gone.Close()
	if err := s.box.Check(s.Context(), gone); !errors.As(err, new(*outbox.SchemaError)) {
		s.Errorf("a closed database: %v", err)
	}
}

func badInput(s *stand) {
	tx, err := s.db.BeginTx(s.Context(), nil)
	if err != nil {
		s.Fatal(err)
	}
	in := s.box.In(tx)
	ctx := s.Context()
	small := registry.Define[string]("SMALL", "", registry.Codec(codecs.String()), registry.MaxPayload(3))
	for name, c := range map[string]struct {
		err  error
		want any
	}{
		"negative delay": {outbox.Offer(ctx, in, s.queue, "x", -1), new(*fault.DelayError)},
		"long delay":     {outbox.Offer(ctx, in, s.queue, "x", 1<<63-1), new(*fault.DelayError)},
		"no due time":    {outbox.OfferAt(ctx, in, s.queue, "x", time.Time{}), new(*fault.DelayError)},
		"before 1970":    {outbox.Reschedule(ctx, in, s.queue, "k", time.UnixMilli(-1)), new(*fault.DelayError)},
		"empty key":      {outbox.Offer(ctx, in, s.queue, "x", 0, framework.Key("")), new(*fault.DedupError)},
		"long key":       {outbox.Offer(ctx, in, s.queue, "x", 0, framework.Key(strings.Repeat("k", 513))), new(*fault.DedupError)},
		"cancel nothing": {outbox.Cancel(ctx, in, s.queue, ""), new(*fault.DedupError)},
		"cancel long":    {outbox.Cancel(ctx, in, s.queue, strings.Repeat("k", 513)), new(*fault.DedupError)},
		"large":          {outbox.Offer(ctx, in, small, "four", 0), new(*registry.SizeError)},
	} {
		if !errors.As(c.err, c.want) {
			s.Errorf("%s: %v", name, c.err)
		}
	}
	for name, err := range map[string]error{
		"no transaction": outbox.Offer(ctx, outbox.Tx{}, s.queue, "x", 0),
		"nil queue":      outbox.Offer[string](ctx, in, nil, "x", 0),
		"replicas":       outbox.Offer(ctx, in, s.queue, "x", 0, framework.AwaitReplicas(1, time.Second)),
	} {
		if err == nil {
			s.Errorf("%s: no error", name)
		}
	}
	if err := tx.Commit(); err != nil {
		s.Fatal(err)
	}
	if n := s.count("SELECT COUNT(*) FROM duequeue_outbox"); n != 0 {
		s.Errorf("%d rows were written", n)
	}
	if err := outbox.Offer(ctx, in, s.queue, "x", 0); !errors.As(err, new(*outbox.EndedError)) {
		s.Errorf("a transaction that has ended: %v", err)
	}
}

// Thousands of rows, by several writers, through several relays: each message once.
func manyRows(s *stand) {
	const writers, each = 8, 250
	for range 3 {
		s.relay()
	}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				s.must(func(tx outbox.Tx) error {
					return outbox.Offer(s.Context(), tx, s.queue, fmt.Sprintf("%d-%d", w, i), time.Hour)
				})
			}
		})
	}
	wg.Wait()
	s.drained()
	seen := map[string]int{}
	for _, name := range strings.Fields(s.pending()) {
		seen[name]++
	}
	if c := rig.Counts(s, s.client, s.queue); c.Delayed != writers*each || len(seen) != writers*each {
		s.Errorf("%d pending, %d different; want %d", c.Delayed, len(seen), writers*each)
	}
}
