package framework

import (
	"context"
	"log/slog"
	"time"

	"github.com/duequeue/duequeue/framework/internal/redisson"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/registry"
)

// Push puts value at the end of the queue's ready list, to be handled at once: what
// Java's queue.add does, without the delayed part. It has no ID, and cannot be
// cancelled.
//
// It is sent once, since a second one could not be told from the first. Errors:
// [*OutcomeUnknownError] when it may or may not have been added; else it was not.
func Push[T any](ctx context.Context, c *Client, q *registry.Queue[T], value T) error {
	if q == nil {
		return errNilQueue
	}
	t, err := c.target(q)
	if err != nil {
		return err
	}
	ctx, span := t.tel.StartSend(ctx, 0)
	err = push(ctx, c, q, t, value, &span)
	span.End(err)
	if err == nil && c.log.Enabled(ctx, slog.LevelDebug) {
		c.log.DebugContext(ctx, "message put on the ready list", "queue", q.Code())
	}
	return err
}

func push[T any](ctx context.Context, c *Client, q *registry.Queue[T], t *target, value T, span *telemetry.Sending) error {
	payload, err := encode(q, t, value, span)
	if err == nil {
		err = checkForeign(ctx, c, q, t)
	}
	if err != nil {
		return err
	}
	args := redisson.PushArgs{Payload: payload, Trace: span.Creation(), NoDueTracking: !q.Policy().DueTracking}
	now, err := redisson.Push(ctx, c.rdb, t.keys, args)
	if err != nil {
		return &QueueError{Queue: q.Code(), Err: err}
	}
	if span.Recording() {
		span.Message(redisson.Digest(payload), "", len(payload), time.UnixMilli(now))
	}
	return nil
}
