// Package framework runs delayed queues that Go and Java share. It offers messages, moves
// due ones, takes them under a lease and hands them to typed handlers, on the keys and
// bytes of Redisson's RDelayedQueue.
//
// A queue is declared once, with package registry, and carries its type:
//
//	var PaymentTimeout = registry.Define[Order]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel")
//
// # Handle
//
// With fx, [Module] provides the [*Client] and the [*Engine], and starts and stops both:
//
//	fx.New(framework.Module, fx.Supply(cfg), fx.Provide(NewOrders),
//		framework.Handle(PaymentTimeout, NewCancelUnpaid, framework.Workers(8)),
//	).Run()
//
// Without fx:
//
//	client, err := framework.Open(ctx, cfg)
//	engine, err := framework.New(client, []framework.Consumer{
//		framework.Consume(PaymentTimeout, handler, framework.Workers(8)),
//	})
//	err = engine.Start(ctx)
//	…
//	err = engine.Stop(ctx)
//
// A message leaves Redis when its handler returned nil; a message that is given up goes to
// the dead store with its bytes and the reason. A message whose handler returned an error is
// retried with backoff, up to the queue's MaxAttempts; package handlers has errors that ask
// for something else. Delivery is at least once: after a crash a message comes again, so
// handlers must be idempotent.
//
// The context of a handler ends at the queue's timeout, at shutdown, or when the lease is
// lost; context.Cause tells which. See [Use] for what wraps a handler, [ConsumeBatch] for
// handlers of several messages at once, [Engine.Stop] for stopping in order, and
// [Engine.Health] for the state of a process.
//
// # Offer
//
// A process that only offers needs a Client alone:
//
//	timeouts := framework.Bind(client, PaymentTimeout)
//	receipt, err := timeouts.Offer(ctx, order, 30*time.Minute, framework.Key(order.No))
//	err = timeouts.Cancel(ctx, receipt.ID)
//
// The [ID] in the receipt is a short text to keep with the order. A message keeps it for
// life: Cancel and Reschedule find the message while it waits for its due time or for a
// retry, and logs, spans and the dead store name it.
//
// A [Queue] shows its messages in three views with the same methods: Pending, not due yet;
// Ready, due and not taken yet; Dead, the dead letters. They include what Java offered.
//
//	for m, err := range timeouts.Pending().All(ctx) { … }
//
// # More
//
// Errors that carry data are in package fault, to be found with errors.As. Package admin
// holds what operators' tools need, frameworktest runs a service's handlers in virtual time,
// and embedded is a Redis in memory for demos.
//
// GUIDE.md, in this folder, goes by task. It has the cost of each call and Redisson's name for
// it, and says what an outage costs, what happens to handlers that hang or kill the process, and
// what Java sees.
package framework
