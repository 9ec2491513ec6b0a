// Package framework runs delayed queues that Go and Java share: it offers
// messages, moves due ones, takes them under a lease and hands them to typed
// handlers, on the keys and bytes of Redisson's RDelayedQueue.
//
// # Declare
//
// A queue is declared once, with package registry, and carries its type:
//
//	var PaymentTimeout = registry.Define[Order]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel")
//
// # Offer
//
//	id, err := framework.Offer(ctx, client, PaymentTimeout, order, 30*time.Minute)
//
// A process that only offers needs nothing but a [Client], made by [Open].
//
// # Handle, with fx
//
//	fx.New(framework.Module, fx.Supply(cfg), fx.Provide(NewOrders),
//		framework.Handle(PaymentTimeout, NewCancelUnpaid, framework.Workers(8)),
//	).Run()
//
// [Handle] takes a constructor whose dependencies come from the graph,
// [HandleWith] a ready handler, [HandleFunc] a plain function.
//
// # Handle, without fx
//
//	engine, err := framework.New(client, []framework.Consumer{
//		framework.Consume(PaymentTimeout, handler, framework.Workers(8)),
//	})
//	err = engine.Start(ctx)
//	…
//	err = engine.Stop(ctx)
//
// # What happens to a message
//
// It leaves Redis when its handler returned nil, or lies in the dead store with
// its bytes and the reason. An error is retried with backoff, up to the queue's
// MaxAttempts; package handlers has the outcomes that say otherwise. Delivery is
// at least once: after a crash a message comes again, so handlers must be
// idempotent.
//
// The order of what wraps a handler, outermost first: span and metrics, panic
// recovery, the middlewares of [Use] as listed, panic recovery, the handler. Its
// context ends at the queue's timeout, at shutdown, or when the lease is lost;
// context.Cause tells which.
//
// While the dependency of a handler is down, a circuit breaker closes the
// intake of its queue: nothing is taken and no attempt counts.
package framework
