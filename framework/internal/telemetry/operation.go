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

// begun is the span of one operation. It belongs to one goroutine.
type begun struct {
	q     *Queue
	of    *operation
	ctx   context.Context // of the span: exemplars need it, and it ends with the operation
	span  span
	start time.Time
}

// start starts the span, a child of the caller's. The context carries it.
func (q *Queue) start(ctx context.Context, of *operation) (context.Context, begun) {
	ctx, started := q.t.tracer.Start(ctx, of.name, of.start...)
	return ctx, begun{q: q, of: of, ctx: ctx, span: started, start: time.Now()}
}

// identify adds the message's id and due time to a span that is recording. Empty values are
// left out.
func (b *begun) identify(id string, due time.Time) {
	if id != "" {
		b.span.SetAttributes(AttrMessageID.String(id))
	}
	if !due.IsZero() {
		b.span.SetAttributes(AttrDueTime.String(formatDue(due)))
	}
}

// measure adds err to the span and records the duration. It returns the options of what counts
// operations that end so.
func (b *begun) measure(err error) *options {
	errorType := ""
	if err != nil {
		errorType = handlers.ErrorType(err)
		if b.span.IsRecording() {
			b.span.SetAttributes(AttrErrorType.String(errorType))
			b.span.SetStatus(codes.Error, errtext.Of(err, maxStatus))
		}
	}
	o := b.of.of(errorType)
	b.q.t.operationDuration.Record(b.ctx, time.Since(b.start).Seconds(), o.record...)
	return o
}

// maxStatus bounds the text of an error in a span's status.
const maxStatus = 256
