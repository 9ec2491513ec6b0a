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
// [OfferAt] takes a time, [OfferMessage] a key that keeps doubles out, [OfferAll] a
// sequence of any length, [Push] adds to the ready list at once. The [ID] of a message
// is a short text to keep beside the order: [Cancel] takes the message back,
// [Reschedule] gives it another time; [CancelKey] and [RescheduleKey] do so by the key.
//
// # What is in a queue
//
// All of these see what Java offered, and most have a method of RDelayedQueue or
// RBlockingQueue behind them. n is the number of pending messages, r of ready ones.
//
//	call                          Redisson's                  costs Redis
//	Offer, OfferAt, OfferMessage  offer(v, delay)             O(log n), one script
//	OfferAll                      offer, n times              O(log n) each, 200 in one script
//	Push                          queue.add(v)                O(1)
//	Cancel, CancelKey             remove(v)                   O(log n), and one walk of the list up to it (not with ViewLazy, ViewOff)
//	Reschedule, RescheduleKey     none                        O(log n)
//	CountsOf                      size(), queue.size()        O(log n)
//	Pending(offset, limit)        peek() is Pending(0, 1)     O(log n + limit)
//	PendingAll                    readAll(), iterator()       O(n) in pages of 500
//	FindPending, RemovePending    contains(v), remove(v)      O(n) in pages of 500, then as Cancel
//	PollPending                   poll(), poll(n)             O(log n) each, and the walk of the list
//	ClearPending                  clear()                     O(1)
//	Ready(offset, limit)          queue.peek(), readAll()     O(offset + limit)
//	PollReady                     queue.poll(), poll(n)       O(1) each
//	RemoveReady                   queue.remove(v)             O(r), refused above 100,000
//	DeadMessages, FindDead        none                        O(log n) each
//	WalkDead(filter)              none                        O(n) in pages of 4 MB at most
//	Redrive, RedriveAll, DropDead none                        O(log n) each
//
// Redisson goes by the order of offers where these go by due times: its peek and poll of
// a delayed queue mean the message offered first. Its contains, remove and readAll walk
// the whole list in one script, 0.3 s at 50,000 pending; these read pages.
//
// Redisson answers from its list of pending messages, by default of a replica where
// there are some; these from the set that decides what is delivered, on the primary. So
// its size, readAll and peek count and show entries that are left of messages delivered
// long ago, and miss what ViewOff offered, and its retainAll takes messages out of the
// list alone: they are delivered all the same. Where a reply was lost its remove is sent
// again, and may take a second message with that payload; RemovePending names each
// element by all its bytes.
//
// What lies in a dead store stays there until somebody redrives or drops it; only
// [registry.DeadLimit] and [registry.DeadAge] delete, and the log names each message. A
// redriven message has no attempts behind it, but its history: handlers.Message tells
// how often, when and why it died.
//
// How Java's view of the pending messages is kept says [registry.View]. [Diagnose], and
// "duequeue doctor", look for what makes queues lose, stall or be late.
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
// [HandleBatch], [HandleBatchWith] and [HandleBatchFunc] take handlers of several
// messages at once; see [ConsumeBatch].
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
// dies too it goes to the dead store with [ReasonCrashLoop]. Only a suspect whose handler
// had begun is charged so, never those that were merely in hand. A kill -9 from outside,
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
// for the breaker), and how late a message may be started ([registry.MaxLateness]: later
// ones go to the dead store with [ReasonExpired], or to the handler, which asks
// Delivery.TooLate). An expired message is charged nothing and can be redriven: its due
// time is then that of the redrive. A retry has a new due time, too, so that lateness is
// never that of earlier attempts: the first due time is not carried along, because equal
// payloads share what is kept beside them, and one must not expire by the age of another.
// A message whose due time nobody knows does not expire.
//
// What each process decides for itself is said where the handler is registered:
// [Workers], [Prefetch], [Breaker], and [RateLimit], which bounds how many messages this
// process takes in a second; the others stay in Redis for whoever may. [Engine.Pause]
// stops taking from a queue, with a reason that health shows, until [Engine.Resume]: what
// runs finishes, what has not started goes back to the head, Java and other processes go
// on. A paused process is live and ready, and says so in Health.Degraded.
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
// A retry has an ID of its own: [Cancel] with that of the offer answers [ErrGone]. Its
// failures are counted beside the queue by its payload; where Java, or Cancel, took the
// retry out, they stay, and the next message with an equal payload begins with them.
package framework
