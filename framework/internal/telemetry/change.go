package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// Changing is the span of one cancellation or rescheduling. It belongs to one goroutine.
type Changing struct{ begun }

// StartCancel starts "cancel Q", a child of the caller's span. The context carries it.
func (q *Queue) StartCancel(ctx context.Context) (context.Context, Changing) {
	ctx, b := q.start(ctx, q.operation(&q.cancel, OperationCancel, trace.SpanKindClient))
	return ctx, Changing{b}
}

// StartReschedule is StartCancel for "reschedule Q".
func (q *Queue) StartReschedule(ctx context.Context) (context.Context, Changing) {
	ctx, b := q.start(ctx, q.operation(&q.reschedule, OperationReschedule, trace.SpanKindClient))
	return ctx, Changing{b}
}

// End ends the span and measures the change. id is the message's, "" where unknown; due
// its new due time, zero for none. Call it exactly once.
func (c *Changing) End(id string, due time.Time, err error) {
	if c.span.IsRecording() {
		c.identify(id, due)
	}
	c.measure(err)
	c.span.End()
}
