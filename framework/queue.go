package framework

import (
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/registry"
)

// Queue is a queue bound to a client: it offers, changes, counts and shows messages. Make it
// with [Bind]. It need not be closed, and is safe for concurrent use.
type Queue[T any] struct {
	client *Client
	queue  *registry.Queue[T]
}

// Bind binds a queue to a client. It does not ask Redis; the methods return mistakes in the
// declaration of the queue.
func Bind[T any](c *Client, q *registry.Queue[T]) *Queue[T] { return &Queue[T]{client: c, queue: q} }

// Offerer is the part of a [*Queue] that offers. A service that depends on it can use a fake
// in its tests.
type Offerer[T any] interface {
	Offer(ctx context.Context, value T, delay time.Duration, opts ...OfferOption) (Receipt, error)
	OfferAt(ctx context.Context, value T, at time.Time, opts ...OfferOption) (Receipt, error)
}

// Changer is the part of a [*Queue] that cancels and reschedules, see [Offerer].
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
