// Package once lets a handler act once for each message, although a message may come more
// than once: after a crash, a lost lease, a lost reply.
//
// [In] keeps a record of what was done in the database where it was done, in the same
// transaction. Both are committed or neither, so a second delivery finds the record, and is
// acknowledged without a call of the handler:
//
//	inbox, err := once.In(ctx, db, sqldb.Postgres, PaymentTimeout,
//		func(d *handlers.Delivery[Order]) string { return "cancel-" + d.Payload.ID })
//	…
//	framework.Handle(PaymentTimeout, func(…) …, framework.Use(inbox.Middleware()))
//
// The handler makes its changes by the transaction that it gets by [Tx]:
//
//	func (h *CancelUnpaid) Handle(ctx context.Context, d *handlers.Delivery[Order]) error {
//		_, err := once.Tx(ctx).ExecContext(ctx, "UPDATE orders SET state = 'cancelled' WHERE …")
//		return err
//	}
//
// nil commits; an error or a panic rolls back, and the message is retried as its error says.
// Neither commits or rolls back by itself.
//
// # The key
//
// The key names the effect, not the message: an order's number and what is done to it. The
// message's ID will do where each offer is an effect of its own. [handlers.Delivery.Digest]
// will not where payloads may be equal. Keys of different queues do not meet.
//
// # Batches
//
// [Inbox.BatchMiddleware] does the same for a batch handler: one transaction, with a record
// for each message. The handler gets the messages that have no record yet. Messages that
// fail by [handlers.PerItem] lose their records, the others are committed. So a batch
// handler must find out that a message fails before it writes for it, or undo that by a
// savepoint.
//
// # The table
//
// Records lie in the table duequeue_once, which [Schema] creates. They are kept for 35 days
// (see [Keep]), which is longer than any message waits for its retry. A message that comes
// again after that, such as a dead letter that is redriven late, acts again.
//
// # Without a database
//
// [Lease] marks in Redis what is being done and what was done, for handlers that call
// another service. It keeps two deliveries from acting at the same time, and a second one
// from acting after the first has succeeded. It cannot know what became of a call whose
// process died: that one is made again. Give the service the same key, and it can tell.
package once
