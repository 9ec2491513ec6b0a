package once_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/handlers/once"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

var orders = registry.Define[string]("ORDERS", "", registry.Codec(codecs.String()))

func number(d *handlers.Delivery[string]) string { return d.Payload }

// All mistakes come together, and no database is asked.
func TestMistakesComeTogether(t *testing.T) {
	t.Parallel()
	_, err := once.In[string](t.Context(), nil, 0, orders, nil, once.Table(`x"; DROP`), once.Keep(time.Hour), nil)
	for _, want := range []string{"key is nil", "db is nil", "dialect(0)", `table "x\"; DROP"`, "kept for 1h", "option 2 is nil"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q:\n%v", want, err)
		}
	}
	if _, err := once.Lease[string](nil, nil, nil); err == nil || !strings.Contains(err.Error(), "queue is nil") || !strings.Contains(err.Error(), "client is nil") {
		t.Errorf("Lease: %v", err)
	}
}

// Records outlive the longest wait for a retry, whatever the schedule says.
func TestKeepFitsThePolicy(t *testing.T) {
	t.Parallel()
	client := redis.NewClient(&redis.Options{Addr: "localhost:0"})
	t.Cleanup(func() { _ = client.Close() })
	for name, c := range map[string]struct {
		q    *registry.Queue[string]
		keep time.Duration
		ok   bool
	}{
		"default":                   {orders, once.DefaultKeep, true},
		"longest schedule, default": {registry.Define[string]("A", "", registry.Codec(codecs.String()), registry.Backoff(registry.Steps(handlers.MaxRetryDelay))), once.DefaultKeep, true},
		"a day, default schedule":   {orders, 26 * time.Hour, true},
		"shorter than the schedule": {orders, 12 * time.Hour, false},
		"zero":                      {orders, 0, false},
		"short retries":             {registry.Define[string]("B", "", registry.Codec(codecs.String()), registry.Backoff(registry.Steps(time.Second))), 2 * time.Hour, true},
	} {
		_, err := once.Lease(client, c.q, number, once.Keep(c.keep))
		var wrong *once.KeepError
		if errors.As(err, &wrong) == c.ok || c.ok != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	for d, want := range map[sqldb.Dialect]string{
		sqldb.Postgres: `CREATE TABLE IF NOT EXISTS "shop"."done" (
  queue       VARCHAR(255) COLLATE "C" NOT NULL,
  message_key VARCHAR(255) COLLATE "C" NOT NULL,
  token       VARCHAR(32) NOT NULL,
  handled_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  PRIMARY KEY (queue, message_key)
);
CREATE INDEX IF NOT EXISTS "done_expires" ON "shop"."done" (expires_at);
`,
		sqldb.MySQL: "CREATE TABLE IF NOT EXISTS `shop`.`done` (" + `
  queue       VARBINARY(255) NOT NULL,
  message_key VARBINARY(255) NOT NULL,
  token       VARCHAR(32) NOT NULL,
  handled_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  PRIMARY KEY (queue, message_key),
  INDEX ` + "`done_expires`" + ` (expires_at)
) ENGINE=InnoDB;
`,
		sqldb.SQLite: `CREATE TABLE IF NOT EXISTS "shop"."done" (
  queue       VARCHAR(255) NOT NULL,
  message_key VARCHAR(255) NOT NULL,
  token       VARCHAR(32) NOT NULL,
  handled_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  PRIMARY KEY (queue, message_key)
);
CREATE INDEX IF NOT EXISTS "shop"."done_expires" ON "done" (expires_at);
`,
	} {
		if got, err := once.Schema(d, "shop.done"); err != nil || got != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", d, err, got, want)
		}
	}
	for _, table := range []string{"a.b.c", "a b", "1a", ".", "a.", "ä", `a"b`, "a`b", strings.Repeat("a", 64)} {
		if _, err := once.Schema(sqldb.Postgres, table); !errors.As(err, new(*sqldb.TableError)) {
			t.Errorf("table %q: %v", table, err)
		}
	}
	if _, err := once.Schema(9, ""); err == nil {
		t.Error("an unknown dialect has a schema")
	}
}

// Messages with a key that no database keeps go to the dead store; the handler is not called.
func TestKeysAreChecked(t *testing.T) {
	t.Parallel()
	client := redis.NewClient(&redis.Options{Addr: "localhost:0"})
	t.Cleanup(func() { _ = client.Close() })
	mw, err := once.Lease(client, orders, number)
	if err != nil {
		t.Fatal(err)
	}
	next := mw(func(context.Context, *handlers.Message) error {
		t.Error("the handler was called")
		return nil
	})
	for _, key := range []string{"", strings.Repeat("k", once.MaxKey+1), "a\x00b", "\xff"} {
		err := next(t.Context(), &handlers.Message{Value: key})
		if !errors.As(err, new(*once.KeyError)) || handlers.Classify(err).Kind != handlers.Rejected {
			t.Errorf("key %.20q: %v", key, err)
		}
	}
	if err := next(t.Context(), &handlers.Message{Value: 7}); !errors.As(err, new(*handlers.ValueError)) {
		t.Errorf("a value of another type: %v", err)
	}
}

func TestTxWithoutInbox(t *testing.T) {
	t.Parallel()
	if once.Tx(t.Context()) != nil {
		t.Error("a context has a transaction that nobody began")
	}
}
