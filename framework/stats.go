package framework

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/registry"
)

// Counts says how many messages of a queue are where, at one moment.
type Counts struct {
	Ready    int64 // in the ready list: due, and waiting for a consumer
	Delayed  int64 // pending, whoever offered them
	Overdue  int64 // of those, due already: nobody transfers, or not fast enough
	Dead     int64 // in the dead store
	Sessions int64 // Go consumers, dead ones included until they are reaped

	// NextDue is when the next pending message is due; the zero time for none.
	NextDue time.Time
}

// CountsOf counts the messages of a queue, Java's included, in one script of
// constant cost. Messages in flight are not among them.
func CountsOf(ctx context.Context, c *Client, q registry.Descriptor) (Counts, error) {
	t, err := c.target(q)
	if err != nil {
		return Counts{}, err
	}
	n, err := redisson.Counts(ctx, c.rdb, t.keys)
	if err != nil {
		return Counts{}, err
	}
	out := Counts{Ready: n.Ready, Delayed: n.Delayed, Overdue: n.Overdue, Dead: n.Dead, Sessions: n.Sessions}
	if n.NextDueMs >= 0 {
		out.NextDue = time.UnixMilli(n.NextDueMs)
	}
	return out, nil
}

// PendingMessage is one message that is not due yet, or not transferred yet.
type PendingMessage[T any] struct {
	ID      ID        // "" for elements whose id is not 8 bytes long
	Due     time.Time // zero for never
	Payload T         // valid only when Err is nil
	Body    []byte    // the payload's bytes; nil where the element is malformed
	Err     error     // why the element or its payload cannot be read
}

// Pending lists up to limit pending messages in the order in which they fall
// due, from offset on, whoever offered them. It changes nothing; its cost grows
// with offset only logarithmically.
func Pending[T any](ctx context.Context, c *Client, q *registry.Queue[T], offset, limit int64) ([]PendingMessage[T], error) {
	t, err := queueTarget(c, q)
	if err != nil {
		return nil, err
	}
	found, err := redisson.Pending(ctx, c.rdb, t.keys, offset, limit, q.Policy().Codec.WritesEmpty())
	if err != nil {
		return nil, err
	}
	out := make([]PendingMessage[T], len(found))
	for i, f := range found {
		out[i] = pendingMessage(q, f)
	}
	return out, nil
}
