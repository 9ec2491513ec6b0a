package telemetry

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/handlers"
)

// operation holds what is the same for all sends, cancellations or reschedulings of a queue.
type operation struct {
	outcomes

	name  string
	start []trace.SpanStartOption
}

// operation returns what is in the place, made where it is empty. more are attributes of its
// spans alone.
func (q *Queue) operation(place *atomic.Pointer[operation], name string, kind trace.SpanKind, more ...attribute.KeyValue) *operation {
	if o := place.Load(); o != nil {
		return o
	}
	base := q.t.opSet(q.code, name)
	o := &operation{name: name + " " + q.code, start: []trace.SpanStartOption{
		trace.WithSpanKind(kind), trace.WithAttributes(append(base.ToSlice(), more...)...),
	}}
	o.init(base)
	place.CompareAndSwap(nil, o)
	return place.Load()
}

// Changing is the span of one cancellation or rescheduling. It belongs to one goroutine.
type Changing struct {
	q     *Queue
	of    *operation
	ctx   context.Context // of the span: exemplars need it, and it ends with the change
	span  span
	start time.Time
}

// StartCancel starts "cancel Q", a child of the caller's span. The context carries it.
func (q *Queue) StartCancel(ctx context.Context) (context.Context, Changing) {
	return q.startChange(ctx, q.operation(&q.cancel, OperationCancel, trace.SpanKindClient))
}

// StartReschedule is StartCancel for "reschedule Q".
func (q *Queue) StartReschedule(ctx context.Context) (context.Context, Changing) {
	return q.startChange(ctx, q.operation(&q.reschedule, OperationReschedule, trace.SpanKindClient))
}

func (q *Queue) startChange(ctx context.Context, of *operation) (context.Context, Changing) {
	ctx, begun := q.t.tracer.Start(ctx, of.name, of.start...)
	return ctx, Changing{q: q, of: of, ctx: ctx, span: begun, start: time.Now()}
}

// End ends the span and measures the change. id is the message's, "" where unknown; due
// its new due time, zero for none. Call it exactly once.
func (c *Changing) End(id string, due time.Time, err error) {
	errorType := ""
	if err != nil {
		errorType = handlers.ErrorType(err)
	}
	if c.span.IsRecording() {
		if id != "" {
			c.span.SetAttributes(AttrMessageID.String(id))
		}
		if !due.IsZero() {
			c.span.SetAttributes(AttrDueTime.String(formatDue(due)))
		}
		if err != nil {
			c.span.SetAttributes(AttrErrorType.String(errorType))
			c.span.SetStatus(codes.Error, errtext.Of(err, maxStatus))
		}
	}
	c.q.t.operationDuration.Record(c.ctx, time.Since(c.start).Seconds(), c.of.of(errorType).record...)
	c.span.End()
}
