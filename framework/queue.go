package framework

import (
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/registry"
)

// Queue is a queue bound to a client: it offers, changes, counts and shows messages. Make it
// with [Bind]. It holds nothing that must be closed, and is safe for concurrent use.
type Queue[T any] struct {
	client *Client
	queue  *registry.Queue[T]
}

// Bind binds a queue to a client. It asks Redis nothing; mistakes in the declaration of the
// queue are errors of the methods.
func Bind[T any](c *Client, q *registry.Queue[T]) *Queue[T] { return &Queue[T]{client: c, queue: q} }

// Offerer is what a service needs that offers messages, for a fake in its tests. A
// [*Queue] is one.
type Offerer[T any] interface {
	Offer(ctx context.Context, value T, delay time.Duration, opts ...OfferOption) (Receipt, error)
	OfferAt(ctx context.Context, value T, at time.Time, opts ...OfferOption) (Receipt, error)
}

// Changer is what a service needs that cancels and reschedules messages. A [*Queue] is one.
type Changer interface {
	Cancel(ctx context.Context, id ID) error
	CancelKey(ctx context.Context, key string) error
	Reschedule(ctx context.Context, id ID, at time.Time) error
	RescheduleKey(ctx context.Context, key string, at time.Time) (ID, error)
}

var (
	errNilQueue  = errors.New("duequeue: the queue is nil")
	errNilClient = errors.New("duequeue: the client is nil: framework.Open makes one")
)

// target returns what the client keeps of the queue.
func (q *Queue[T]) target() (*target, error) {
	switch {
	case q == nil || q.queue == nil:
		return nil, errNilQueue
	case q.client == nil:
		return nil, errNilClient
	}
	return q.client.target(q.queue)
}
