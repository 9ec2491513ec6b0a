package handlers

import "context"

// Handler handles the messages of one queue whose payloads are of type T.
//
// Handle is called by several goroutines at once, so an implementation must be
// safe for concurrent use. It returns nil when the message is done: only then
// does the message leave Redis. What other results mean is told by [Classify];
// [Retry], [RetryAfter], [Reject], [Transient] and [Permanent] say it
// explicitly.
//
// A message may come more than once (after a crash, a lost lease, a lost
// reply), so Handle should be idempotent. ctx ends at the queue's timeout, at
// shutdown and when the lease of the message is lost; [context.Cause] tells
// which ([ErrTimeout], [ErrDraining], [ErrLeaseLost]). A handler that does not
// watch ctx is not stopped, only given up on.
type Handler[T any] interface {
	Handle(ctx context.Context, d *Delivery[T]) error
}

// Func lets a plain function be a [Handler].
type Func[T any] func(ctx context.Context, d *Delivery[T]) error

// Handle calls f.
func (f Func[T]) Handle(ctx context.Context, d *Delivery[T]) error { return f(ctx, d) }
