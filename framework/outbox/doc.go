// Package outbox offers messages inside a database transaction: they are committed together
// with what they are about, or not at all.
//
// [Offer], [OfferAt], [Cancel] and [Reschedule] write a row into a table of the same
// database, in the caller's transaction. A [Relay], in any process that has a client and the
// database, sends committed rows to Redis and deletes them:
//
//	box, err := outbox.New(sqldb.Postgres)
//	…
//	tx, err := db.BeginTx(ctx, nil)
//	_, err = tx.ExecContext(ctx, "INSERT INTO orders …")
//	err = outbox.Offer(ctx, box.In(tx), PaymentTimeout, order, 30*time.Minute, framework.Key(order.ID))
//	err = tx.Commit()
//
// # When a message is due
//
// A delay counts from the call of [Offer], by the clock of the database, however long the
// transaction or the relay takes; a message is never early. [OfferAt] gives a time by Redis's
// clock. The window of a key counts from when the relay sends the row.
//
// # Order
//
// Rows of a queue with the same key are sent in the order in which they were written, one
// after the other. So a cancellation finds the message that was offered before it. Of
// transactions that overlap, the order is that of their writes, which is the order of their
// commits where they lock the same order's row first. Rows without a key, and of different
// keys, have no order.
//
// # At least once, and once
//
// Each row has a nonce, which Redis remembers for the time of [Remember]. If a relay dies
// after it has sent a row and before it has deleted it, the row is sent again, and adds
// nothing. Beyond that time the message may be there twice; package handlers/once makes it
// one effect.
//
// # What cannot be sent
//
// A row that Redis or the queue refuses for good, such as a due time beyond what the wire
// carries, is set aside in the table with its error: [Box.Aside] lists those rows, [Box.Retry]
// lets them be sent again, [Box.Drop] deletes them. All other failures are tried again until
// they work.
package outbox
