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
// # Handle, with fx
//
//	fx.New(framework.Module, fx.Supply(cfg), fx.Provide(NewOrders),
//		framework.Handle(PaymentTimeout, NewCancelUnpaid, framework.Workers(8)),
//	).Run()
//
// [Handle] takes a constructor, whose dependencies come from the graph. [HandleFunc] takes a
// function, or a ready handler by its method: HandleFunc(queue, handler.Handle). [HandleBatch]
// and [HandleBatchFunc] take handlers of several messages at once, see [ConsumeBatch].
// [ForAll] gives options to all handlers, as the middlewares that they have in common.
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
// # Offer
//
//	timeouts := framework.Bind(client, PaymentTimeout)
//	receipt, err := timeouts.Offer(ctx, order, 30*time.Minute, framework.Key(order.No))
//
// A process that only offers needs nothing but a [Client], made by [Open]. From the first
// offer on the client transfers that queue, as every Redisson does that offers, and gives
// back what dead Go processes held there; [NoTransfer] turns that off. The first offer to
// a queue looks at what lies there: where its codec cannot read that, the offer is a
// [*fault.ForeignPayloadsError].
//
// OfferAt takes a time, OfferAll a sequence of any length, Push adds to the ready list at
// once. A [Key] lets a window of time hold one message of a name. The [ID] in the [Receipt]
// is a short text to keep beside the order: Cancel takes the message back, Reschedule gives
// it another time; CancelKey and RescheduleKey do so by the key, and RescheduleKey returns
// the ID.
//
// A message has one ID all its life: retries, reschedules, the dead store and redrives keep
// it, and logs, spans and "duequeue dead" name it. So Cancel finds a message while it waits
// for its due time or for a retry. Where it is not pending the error is a
// [*fault.NotPendingError], which says where it was found, and matches [fault.ErrGone]. A message that
// is in flight is being handled, but Cancel forbids its retry: if that attempt fails, or its
// process dies, the message ends there.
//
// # What is in a queue
//
// A [Queue] has three views, which use the same words: Pending, what is not due yet; Ready,
// what is due and waits for a consumer; Dead, the dead store. A limit of 0 is no limit.
//
//	for m, err := range timeouts.Pending().All(ctx) { … }
//
// All of these see what Java offered, and most have a method of RDelayedQueue or
// RBlockingQueue behind them. n is the number of pending messages, r of ready ones.
//
//	call                        Redisson's                  costs Redis
//	Offer, OfferAt              offer(v, delay)             O(log n), one script
//	OfferAll                    offer, n times              O(log n) each, 200 in one script
//	Push                        queue.add(v)                O(1)
//	Cancel, CancelKey           remove(v)                   O(log n), and one walk of the list up to it (not with ViewLazy, ViewOff);
//	                                                        at most 10 ms more where it is not pending
//	Reschedule, RescheduleKey   none                        O(log n)
//	Counts                      size(), queue.size()        O(log n), and what is in flight, see there
//	Pending().Page              peek() is Page(0, 1)        O(log n + limit)
//	Pending().All               readAll(), iterator()       O(n) in pages of 500
//	Pending().Get, GetKey       none                        O(log n)
//	Pending().Find, Remove      contains(v), remove(v)      O(n) in pages of 500, then as Cancel
//	Pending().Poll              poll(), poll(n)             O(log n) each, and the walk of the list
//	Pending().Clear             clear()                     O(1)
//	Ready().Page, All           queue.peek(), readAll()     O(offset + limit) in pages of 1 MiB
//	Ready().Poll                queue.poll(), poll(n)       O(1) each
//	Ready().Remove              queue.remove(v)             O(r), refused above 100,000
//	Ready().Clear               queue.clear()               O(1)
//	Dead().Page, Get            none                        O(log n) each
//	Dead().All(filter)          none                        O(n) in pages of 4 MiB at most
//	Dead().Redrive, RedriveAll  none                        O(log n) each
//	Dead().Drop                 none                        O(log n) each
//
// Redisson goes by the order of offers where these go by due times: its peek and poll of
// a delayed queue mean the message offered first. Its contains, remove and readAll walk
// the whole list in one script, 0.3 s at 50,000 pending; these read pages.
//
// Redisson answers from its list of pending messages, by default of a replica where
// there are some; these from the set that decides what is delivered, on the primary. So
// its size, readAll and peek count and show entries that are left of messages delivered
// long ago, and miss what ViewOff offered, and its retainAll takes messages out of the
// list alone: they are still delivered. Where a reply was lost its remove is sent
// again, and may take a second message with that payload; [PendingView.Remove] names each
// element by all its bytes.
//
// Messages stay in the dead store until an operator redrives or drops them; only
// [registry.DeadLimit] and [registry.DeadAge] delete, and the log names each message. A
// redriven message keeps its ID, its key and its history (handlers.Message tells how
// often, when and why it died), and its attempts begin anew.
//
// [registry.View] says how Java's view of the pending messages is kept. Package admin, and
// "duequeue doctor", look for what makes queues lose, stall or be late.
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
// # What an error costs, and outages
//
// Every call that ends in an error, a panic or a timeout is an attempt, and no message is
// called to its end more than MaxAttempts times: not by probes of the breaker, restarts
// or outages. Two things keep an outage elsewhere from using attempts up. The default
// schedule takes at least 27 hours for 20 attempts ([registry.Retries] shows it), so that
// an outage of a day kills nothing, alone in its queue or not. And errors that are marked
// handlers.Transient count as no attempt; [registry.MaxAge] bounds how long those are
// retried. Calls that a crash or a stop cut off are no attempts either, and where Redis
// goes away before it learns of a failure, that call cannot be counted.
//
// A circuit breaker spares what is down: when several different messages failed one after
// another it closes the intake of its queue, and only single probes are taken, of which
// one that was not tried yet goes first. A message that fails again proves nothing new,
// so that few bad messages never hold up good ones. One success opens the intake; retries
// that failed meanwhile come forward within a minute. A message that is alone in its
// queue waits for its next attempt, at most the longest step of its schedule.
//
// # Handlers that hang or kill
//
// A handler that runs on after its timeout and grace is given up: its message is
// retried, the log shows the goroutine's stack, and Health names the message until the
// handler returns. As many of them as the queue has workers, but at least four, close
// the intake; the process is unready until some return. The timeout begins with the
// decoding: a codec that hangs is given up as a handler is, and the breaker does not
// count it.
//
// A message that was in flight in two processes that died is a suspect: it runs alone,
// nothing else is started beside it on any queue of the process, and where that process
// dies too it goes to the dead store with [handlers.ReasonCrashLoop]. Only a suspect whose handler
// had begun is charged so, never those that were merely in hand. Suspects run one after
// the other in windows that take at most a fifth of the time of the process's other
// queues, the wait for running handlers included; while that lasts, queues whose handlers
// end within 100 ms go on. Where the next window is more than a second away a suspect is
// offered again for then, uncharged, and [health.Queue] shows how many wait. Each window
// ends at least one, so the nth of them has begun after n times five times the longest
// timeout and grace of the handlers, its own, and 10 s; where handlers without a timeout
// run on, not before they end. A kill -9 from outside,
// or a lack of memory that others caused, cannot be told from the message's own doing.
//
// # Stopping
//
// [Engine.Stop] takes nothing any more, lets handlers finish within their share of the
// budget, cancels the others and hands what is left back to the head of the queue, in
// order and uncharged. What had begun may be handled twice: the log says so and the
// metric messaging.redisson.possible_duplicate.messages counts it. A second SIGINT or
// SIGTERM in an fx application, or a cancelled context of Stop, ends the waiting at once.
// A process that is killed in the middle loses nothing: the rest comes back when its
// lease ends. Without fx:
//
//	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
//	go func() { <-secondSignal; cancel() }()
//	err := engine.Stop(ctx)
//
// # Policies
//
// What all processes agree on is declared with the queue: attempts, backoff, rules for
// some errors ([registry.On]: more attempts, another backoff, the dead store at once, not
// for the breaker), how long a message is retried ([registry.MaxAge], from the first due
// time), and how late one may be started ([registry.MaxLateness]: later
// ones go to the dead store with [handlers.ReasonExpired], or to the handler, which asks
// Delivery.TooLate). An expired message is charged nothing and can be redriven: its due
// time is then that of the redrive. A retry has a new due time, too, so that lateness is
// never that of earlier attempts: the first due time is kept beside the message for MaxAge
// alone. A message whose due time is unknown does not expire.
//
// What each process decides for itself is said where the handler is registered:
// [Workers], [Prefetch], [Breaker], and [RateLimit], which bounds how many messages this
// process takes in a second; the others stay in Redis for other processes. [Engine.Pause]
// stops taking from a queue, with a reason that health shows, until [Engine.Resume]: what
// runs finishes, what has not started goes back to the head, Java and other processes go
// on. A paused process is live and ready, and says so in Health.Degraded, as one does
// whose breaker is open (but see [BreakerUnready]) or whose rate limit is used up.
//
// # What Java sees while a retry waits
//
// A failed message is offered again through RDelayedQueue's own structures, with the delay
// of its backoff as Java would offer it. So to Java it is a pending message like any
// other, and was ready for a moment before:
//
//	size(), readAll(), contains(v), peek()   count and show it, from the failure until it is due again
//	remove(v)                                takes it out: it is not retried any more, and lies in no dead store
//	poll()                                   takes it out and returns it: it is the caller's now
//	queue.take(), poll() when it is due      may get it instead of Go; with Java it is handled at most once
//	a transfer by Java                       moves it when it is due, on Java's clock
//
// With [registry.ViewOff] Java's calls do not see it, as they see nothing that Go offers.
//
// A retry has the ID of its message, and its failures are counted by that: equal payloads do
// not share them. A transfer by Java drops the ID. A retry that Java transferred is known
// again by its payload, and goes on with its ID and its attempts; of several with equal
// payloads the one that failed most often comes first. Where Java took a retry for itself,
// Go does not learn of it: for a week the next message with an equal payload, if it comes
// without an ID, is taken for that one.
package framework
