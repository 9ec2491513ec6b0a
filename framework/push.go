package framework

import (
	"context"
	"log/slog"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Push puts value at the end of the queue's ready list, to be handled at once, as Java's
// queue.add does. The message has no ID and cannot be cancelled.
//
// Push sends it once, since Redis could not tell a second one from the first. The error
// [*fault.OutcomeUnknownError] says that it may have been added; after any other error it
// was not.
func (q *Queue[T]) Push(ctx context.Context, value T) error {
	t, err := q.target()
	if err == nil {
		t, err = t.of.place(ctx, q.client, "")
	}
	if err != nil {
		return err
	}
	t.count(ctx)
	ctx, span := t.Telemetry.StartSend(ctx, 0)
	err = q.named(q.push(ctx, t, value, &span))
	t.rest.after(err)
	span.End(err)
	if log := q.client.log; err == nil && log.Enabled(ctx, slog.LevelDebug) {
		log.DebugContext(ctx, "message put on the ready list", "queue", t.Code)
	}
	return err
}

func (q *Queue[T]) push(ctx context.Context, t *target, value T, span *telemetry.Sending) error {
	payload, err := q.encode(t, value, span)
	if err == nil {
		err = q.mayOffer(ctx, t)
	}
	if err != nil {
		return err
	}
	args := delayed.PushArgs{Payload: payload, Trace: span.Creation(), NoDueTracking: !t.DueTracking}
	now, err := delayed.Push(ctx, q.client.rdb, t.Keys, args)
	if err != nil {
		return err
	}
	if span.Recording() {
		span.Message(wire.Digest(payload), "", len(payload), time.UnixMilli(now))
	}
	return nil
}
