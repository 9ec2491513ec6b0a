package outbox_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

var orders = registry.Define[string]("ORDERS", "", registry.Codec(codecs.String()))

// The files of the folder schema are what Schema returns.
func TestSchemaFiles(t *testing.T) {
	t.Parallel()
	for _, d := range []sqldb.Dialect{sqldb.Postgres, sqldb.MySQL, sqldb.SQLite} {
		want, err := outbox.Schema(d, "")
		if err != nil {
			t.Fatal(err)
		}
		path := "schema/" + d.String() + ".sql"
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s (%v) is not what outbox.Schema returns; go run ./framework/cmd/duequeue outbox schema -dialect %s > framework/outbox/%s", path, err, d, path)
		}
	}
}

func TestSchemaNames(t *testing.T) {
	t.Parallel()
	for d, want := range map[sqldb.Dialect][]string{
		sqldb.Postgres: {`CREATE TABLE IF NOT EXISTS "shop"."out" (`, `CREATE INDEX IF NOT EXISTS "out_next" ON "shop"."out" (aside_ms, id)`},
		sqldb.MySQL:    {"CREATE TABLE IF NOT EXISTS `shop`.`out` (", "INDEX `out_keys` (message_key, queue, id)"},
		sqldb.SQLite:   {`CREATE TABLE IF NOT EXISTS "shop"."out" (`, `CREATE INDEX IF NOT EXISTS "shop"."out_next" ON "out" (aside_ms, id)`},
	} {
		got, err := outbox.Schema(d, "shop.out")
		for _, part := range want {
			if err != nil || !strings.Contains(got, part) {
				t.Errorf("%s: %v, lacks %s:\n%s", d, err, part, got)
			}
		}
	}
	if _, err := outbox.Schema(sqldb.SQLite, `x"`); !errors.As(err, new(*sqldb.TableError)) {
		t.Errorf("a bad name: %v", err)
	}
	if _, err := outbox.Schema(9, ""); err == nil {
		t.Error("dialect 9 is known")
	}
}

// All mistakes come together, and nobody is asked.
func TestMistakesComeTogether(t *testing.T) {
	t.Parallel()
	_, err := outbox.New(sqldb.SQLite, outbox.Table("a.b.c"), outbox.Notify("rows"), nil)
	says(t, err, `table "a.b.c"`, "sqlite has no channels", "option 2 is nil")
	if _, err = outbox.New(0); err == nil {
		t.Error("dialect 0 is known")
	}
	_, err = outbox.NewRelay(nil, nil, nil, nil, outbox.Poll(0), outbox.Batch(0), outbox.Remember(0), outbox.Listen(nil), outbox.Logger(nil), outbox.Meters(nil), nil)
	says(t, err, "client is nil", "db is nil", "box is nil", "there is no queue", "Poll(0s)", "Batch(0)", "Remember(0s)", "Listen: the function", "Logger: the logger", "Meters: the provider", "option 6 is nil")
	_, err = outbox.NewRelay(nil, nil, nil, []outbox.Queue{{}, outbox.For[string](nil), outbox.For(orders), outbox.For(orders)})
	says(t, err, "queue 0 is nil", "queue 1 is nil")
}

func says(t *testing.T, err error, want ...string) {
	t.Helper()
	for _, part := range want {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error does not say %q:\n%v", part, err)
		}
	}
}

// tx keeps what was written.
type tx struct {
	query string
	args  []any
	err   error
}

func (x *tx) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	x.query, x.args = query, args
	return nil, x.err
}

// A row has the trace of the caller, which the message carries too where the queue asks for it.
func TestOfferCarriesTheTrace(t *testing.T) {
	t.Parallel()
	box, err := outbox.New(sqldb.Postgres, outbox.Notify("rows"))
	if err != nil {
		t.Fatal(err)
	}
	const traceparent = "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01"
	ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, SpanID: trace.SpanID{1, 2, 3, 4, 5, 6, 7, 8}, TraceFlags: trace.FlagsSampled,
	}))
	q := registry.Define[map[string]any]("ORDERS", "", registry.Codec(jackson.JSON()), registry.TraceInBand())
	var x tx
	if err := outbox.Offer(ctx, box.In(&x), q, map[string]any{"number": "A-1"}, 1500*time.Microsecond, framework.Key("k").Within(time.Hour).Extend()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(x.query, "pg_notify($11, '')") || len(x.args) != 11 || x.args[10] != "rows" {
		t.Errorf("%s %q", x.query, x.args)
	}
	if payload := string(x.args[6].([]byte)); x.args[9] != traceparent || !strings.Contains(payload, traceparent) {
		t.Errorf("trace %v, payload %s", x.args[9], payload)
	}
	if delay := x.args[7].(sql.NullInt64); !delay.Valid || delay.Int64 != 2 || x.args[4] != "extend" || x.args[5] != int64(3_600_000) {
		t.Errorf("%v", x.args)
	}
}

// What a driver says becomes an error that says what to do.
func TestWriteErrors(t *testing.T) {
	t.Parallel()
	box, err := outbox.New(sqldb.MySQL)
	if err != nil {
		t.Fatal(err)
	}
	var refused *outbox.WriteError
	gone := errors.New("the server has gone away")
	if err := outbox.Offer(t.Context(), box.In(&tx{err: gone}), orders, "x", 0); !errors.As(err, &refused) || !errors.Is(err, gone) || refused.Queue != "ORDERS" {
		t.Error(err)
	}
	var ended *outbox.EndedError
	if err := outbox.Cancel(t.Context(), box.In(&tx{err: sql.ErrTxDone}), orders, "k"); !errors.As(err, &ended) || ended.ErrorType() != "outbox_ended" {
		t.Error(err)
	}
}
