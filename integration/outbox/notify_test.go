package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/integration/rig/database"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers"
)

// listen waits for notifications of the channel rows, and tells of each, and that it listens.
func listen(db *database.Server, told chan<- struct{}) outbox.Option {
	return outbox.Listen(func(ctx context.Context, wake func()) error {
		conn, err := pgx.Connect(ctx, db.DSN)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		_, err = conn.Exec(ctx, `LISTEN "rows"`)
		for err == nil {
			wake()
			select {
			case told <- struct{}{}:
			default:
			}
			_, err = conn.WaitForNotification(ctx)
		}
		return err
	})
}

// With pgx, and notified by PostgreSQL, a row does not wait for a look.
func TestNotifiedByPostgres(t *testing.T) {
	t.Parallel()
	db, redis := database.Postgres(t), lab.StartRedis(t)
	s := newStand(t, db, redis, "box", outbox.Notify("rows"))
	listening := make(chan struct{}, 100)
	s.relay(outbox.Poll(time.Hour), listen(db, listening))
	<-listening
	conn, err := pgx.Connect(t.Context(), db.DSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	for i := range 3 {
		tx, err := conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := outbox.Offer(t.Context(), s.box.In(outbox.Pgx(tx)), s.queue, fmt.Sprint(i), time.Duration(i+1)*time.Hour, framework.Key(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := outbox.Offer(t.Context(), s.box.In(outbox.Pgx(tx)), s.queue, "late", 0); !errors.As(err, new(*outbox.EndedError)) {
			t.Errorf("a transaction of pgx that has ended: %v", err)
		}
		s.drained()
	}
	if got := s.pending(); got != "0 1 2" {
		t.Errorf("pending %q", got)
	}
	// The server goes, and comes back: the relay listens again.
	db.Restart()
	lab.Wait(t, func() string {
		select {
		case <-listening:
			return ""
		default:
			return "nobody listens"
		}
	})
	s.must(func(tx outbox.Tx) error { return outbox.Offer(t.Context(), tx, s.queue, "after", 9*time.Hour) })
	s.drained()
}

// GORM's transaction is one of database/sql behind its ConnPool. The table lies in a schema.
func TestWithGORM(t *testing.T) {
	t.Parallel()
	server := database.Postgres(t)
	if _, err := server.ExecContext(t.Context(), "CREATE SCHEMA shop"); err != nil {
		t.Fatal(err)
	}
	s := newStand(t, server, lab.StartRedis(t), "shop.box")
	db, err := gorm.Open(postgres.New(postgres.Config{Conn: s.db.DB}), &gorm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	offer := func(payload string, result error) error {
		return db.Transaction(func(tx *gorm.DB) error {
			return errors.Join(outbox.Offer(t.Context(), s.box.In(tx.Statement.ConnPool), s.queue, payload, time.Hour), result)
		})
	}
	refused := errors.New("no stock")
	if err := offer("never", refused); !errors.Is(err, refused) {
		t.Error(err)
	}
	if err := offer("gorm", nil); err != nil {
		t.Error(err)
	}
	s.relay()
	s.drained()
	if got := s.pending(); got != "gorm" {
		t.Errorf("pending %q", got)
	}
}

// The trace goes on from the transaction that offers: the relay's span is its child, and the
// message carries it to its handler.
func TestTraceGoesOn(t *testing.T) {
	t.Parallel()
	s := newStand(t, database.SQLite(t), lab.StartRedis(t), "duequeue_outbox")
	spans := tracetest.NewSpanRecorder()
	provider := trace.NewTracerProvider(trace.WithSpanProcessor(spans))
	s.client = rig.Open(t, s.redis.URL(), framework.WithTracerProvider(provider))
	handled := make(chan struct{})
	rig.Run(t, s.client, framework.Consume(s.queue, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		close(handled)
		return nil
	})))
	ctx, request := provider.Tracer("shop").Start(t.Context(), "POST /orders")
	s.must(func(tx outbox.Tx) error { return outbox.Offer(ctx, tx, s.queue, "x", 10*time.Millisecond) })
	request.End()
	s.relay()
	<-handled
	lab.Wait(t, func() string {
		sent, linked := false, false
		for _, span := range spans.Ended() {
			sent = sent || span.SpanKind() == oteltrace.SpanKindProducer && span.Parent().SpanID() == request.SpanContext().SpanID()
			for _, link := range span.Links() {
				linked = linked || span.SpanKind() == oteltrace.SpanKindConsumer && link.SpanContext.TraceID() == request.SpanContext().TraceID()
			}
		}
		if !sent || !linked {
			return fmt.Sprintf("sent by a child: %v, the handler's span linked: %v", sent, linked)
		}
		return ""
	})
}
