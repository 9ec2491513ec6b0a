// Package registry describes queues: which queue carries which Go type, by
// which codec, under which policy. It is like the Java enum of queue codes
// that Java services keep. It knows neither Redis nor fx.
//
// # Declaring queues
//
// A service declares its queues once, as variables of a package that producers
// and consumers share:
//
//	var (
//		PaymentTimeout = registry.Define[Order]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel")
//
//		NotEvaluated = registry.Define[Order]("ORDER_TIMEOUT_NOT_EVALUATED", "not reviewed: default good review",
//			registry.MaxAttempts(10),
//			registry.Backoff(registry.Steps(time.Minute, time.Hour)))
//	)
//
// The code is also the name of the Redisson queue, so that Java's
// getBlockingQueue("ORDER_PAYMENT_TIMEOUT") is the same queue; [Key] says otherwise. The
// variable carries the type: code that offers another type to the queue, or registers a
// handler of another type, does not compile.
//
// # The codec
//
// The codec must be the one that the Java side uses. Redisson's default differs
// between its releases; kryo5, the default here, is that of 3.19 and later.
// The codec is bound to the type by [Define]: a type that it cannot carry is
// a mistake of the declaration, not of the first message. Java classes are named
// by a method JavaClass() string on the Go type, or by [JavaClass].
//
// # The policy
//
// Options set the [Policy] of the queue, on which all processes that share it must agree.
// Defaults are in its documentation. A policy is fixed when Define returns.
//
// [On] overrides attempts or backoff for some errors, or sends their messages to the dead
// store. [MaxLateness] bounds how late a message may be started, [MaxAge] how long it is
// retried:
//
//	registry.On(registry.ErrorIs(sms.ErrNoSuchNumber), registry.DeadLetter("wrong number")),
//	registry.On(registry.ErrorAs[*sms.BusyError](), registry.Attempts(50), registry.BackoffOf(registry.Steps(time.Minute))),
//	registry.MaxLateness(time.Hour, registry.Expire),
//	registry.MaxAge(3*24*time.Hour),
//
// # What people see
//
// Tools show payloads with their values hidden. [Visible] names the fields that everyone may
// see who may look at the queue, [SearchField] those by which messages are found:
//
//	registry.Visible("orderId", "customer.id"),
//	registry.SearchField("orderId"),
//
// [Journal] keeps for a while what became of messages, with the values of the named fields:
//
//	registry.Journal(30*24*time.Hour, "orderId"),
//
// # Mistakes
//
// Define never panics, because variables of a package are made before main. Mistakes wait
// in the queue, with file and line of the declaration, until [Validate] or [New] reports
// those of all queues together. Between queues these look for the same code, the same key,
// and the keys q and {q}, whose delayed messages Redisson cannot keep apart. The framework
// checks whether a name works in a Redis Cluster, because it knows where it runs.
//
//	queue "ORDER" is declared twice, first at /src/queues.go:12 (declared at /src/more.go:7)
//	queue "REFUND": option Timeout(30ns): must be at least 1ms: every handler has a limit (declared at /src/more.go:9)
//
// If a service wraps Define in a function, for common options, the function passes
// [CallerSkip](1), so that the place is that of its caller.
package registry
