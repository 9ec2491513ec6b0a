package outbox_test

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

var paymentTimeout = registry.Define[string]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel", registry.Codec(codecs.String()))

// The order and its message are committed together.
func ExampleOffer() {
	box, err := outbox.New(sqldb.Postgres)
	if err != nil {
		panic(err)
	}
	place := func(ctx context.Context, db *sql.DB, number string) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // does nothing after the commit
		if _, err := tx.ExecContext(ctx, "INSERT INTO orders (number, state) VALUES ($1, 'unpaid')", number); err != nil {
			return err
		}
		if err := outbox.Offer(ctx, box.In(tx), paymentTimeout, number, 30*time.Minute, framework.Key(number)); err != nil {
			return err
		}
		return tx.Commit()
	}
	_ = place
	// Output:
}

// The table is made by a migration.
func ExampleSchema() {
	text, err := outbox.Schema(sqldb.SQLite, "shop_outbox")
	fmt.Println(text, err)
	// Output:
	// CREATE TABLE IF NOT EXISTS "shop_outbox" (
	//   id          INTEGER PRIMARY KEY AUTOINCREMENT,
	//   nonce       VARCHAR(64) NOT NULL,
	//   op          VARCHAR(16) NOT NULL,
	//   queue       VARCHAR(255) NOT NULL,
	//   message_key BLOB,
	//   policy      VARCHAR(16) NOT NULL,
	//   window_ms   BIGINT NOT NULL,
	//   payload     BLOB NOT NULL,
	//   delay_ms    BIGINT,
	//   due_ms      BIGINT,
	//   trace       VARCHAR(64) NOT NULL,
	//   created_ms  BIGINT NOT NULL,
	//   attempts    BIGINT NOT NULL DEFAULT 0,
	//   retry_ms    BIGINT NOT NULL DEFAULT 0,
	//   aside_ms    BIGINT NOT NULL DEFAULT 0,
	//   error       TEXT
	// );
	// CREATE INDEX IF NOT EXISTS "shop_outbox_claim" ON "shop_outbox" (queue, aside_ms, id);
	// CREATE INDEX IF NOT EXISTS "shop_outbox_next" ON "shop_outbox" (aside_ms, id);
	// CREATE INDEX IF NOT EXISTS "shop_outbox_keys" ON "shop_outbox" (message_key, queue, id);
	//  <nil>
}
