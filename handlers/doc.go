// Package handlers is what a service writes against: a handler gets a typed
// delivery and returns an error that says what becomes of the message. It knows
// neither Redis nor fx, so handlers are tested by calling them.
//
// # Writing a handler
//
// A handler is a struct with its own dependencies, or a plain function turned
// into one by [Func]:
//
//	type CancelUnpaid struct{ orders *Orders }
//
//	func (h *CancelUnpaid) Handle(ctx context.Context, d *handlers.Delivery[Order]) error {
//		return h.orders.CancelIfUnpaid(ctx, d.Payload.ID)
//	}
//
// The [Delivery] also tells which attempt it is, when the message was due and how late it
// comes. A message may come more than once, so handlers should be idempotent;
// [Delivery.Redelivered] says when it is not the first time, and package once makes a handler
// act once.
//
// # Saying what becomes of the message
//
//	return nil                                    // done: it leaves Redis
//	return err                                    // failed: again after the queue's backoff
//	return handlers.RetryAfter(time.Minute, err)  // failed: again in a minute
//	return handlers.Retry(nil)                    // not yet: nothing is broken
//	return handlers.Reject("no such order")       // never: to the dead store, with the reason
//	return handlers.Transient(err)                // a dependency is down: again, and tell the breaker
//	return handlers.Permanent(err)                // hopeless: to the dead store
//
// Errors that have a method Transient() bool or Permanent() bool are understood
// as well, however deep they are wrapped, so that the package that knows a
// failure can mark it. [Classify] has the whole table, and is what a test asks:
//
//	handlers.Classify(h.Handle(ctx, d)).Kind == handlers.Rejected
//
// # Attempts and interruptions
//
// Only failures count as attempts. When the process stops ([ErrDraining]) or loses its
// lease ([ErrLeaseLost]), the context of the handler ends with that cause. What the handler
// then returns is not charged to the message, which goes back to the head of the queue.
// [Settle] is this rule. When the handler's time is used up, the cause is [ErrTimeout], and
// that is a failure.
//
// # Batches
//
// A [BatchHandler] gets several messages at once and answers for each by [PerItem]:
//
//	errs := make([]error, len(ds))           // one for each of ds, nil is done
//	errs[3] = handlers.Reject("no such order")
//	return handlers.PerItem(errs)
//
// nil means that all are done. [Retry], [RetryAfter], [Reject] and [Transient] of the batch
// hold for all. Any other error, a panic or a handler that hangs may be the fault of one
// message: no message is charged, and each is handled again at once in a batch of one.
// [SettleBatch] has the table, and tests call it. A batch handler's chain is made of
// [BatchMiddleware], which wraps the batch as a whole.
//
// # The chain
//
// A chain of [Middleware] wraps the handler. Each sees a [Message], the delivery without
// its type. The framework builds it so, from the outside in:
//
//	telemetry    the span, the metrics, the log
//	recover      a panic in a middleware hurts its own message only
//	yours        as listed, the first outermost
//	recover      so that yours see a panic as an error
//	handler
//
// The engine itself ends the context at the queue's timeout; [Timeout] is for a shorter
// one of your own.
//
// # Costs
//
// On the way to a handler [Bind] allocates once per message, the Delivery; a
// payload that is no pointer costs one more, where the engine puts it into
// Message.Value. [Recover] allocates nothing, [Timeout] one small context; its
// timer exists only when the handler waits on the context or derives from it.
// BenchmarkChain and BenchmarkClassify measure it.
package handlers
