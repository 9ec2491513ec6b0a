package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/handlers"
)

// Sending is the span of one offer. It belongs to one goroutine.
type Sending struct {
	q     *Queue
	of    *operation
	ctx   context.Context // of the span: exemplars need it, and it ends with the offer
	span  span
	start time.Time
	short bool
}

func (q *Queue) sends() *operation {
	return q.operation(&q.send, OperationSend, trace.SpanKindProducer, AttrOperationType.String(OperationSend))
}

// StartSend starts "send Q", a child of the caller's span. delay is the one
// asked for. The context carries the span.
func (q *Queue) StartSend(ctx context.Context, delay time.Duration) (context.Context, Sending) {
	of := q.sends()
	ctx, span := q.t.tracer.Start(ctx, of.name, of.start...)
	if span.IsRecording() {
		span.SetAttributes(AttrDelayMs.Int64(delay.Milliseconds()), q.codec)
	}
	return ctx, Sending{
		q: q, of: of, ctx: ctx, span: span, start: time.Now(),
		short: q.childWithin > 0 && delay <= q.childWithin,
	}
}

// Creation returns the 25 bytes to store beside the payload, nil where the span is
// not sampled.
func (s *Sending) Creation() []byte {
	return Creation{Context: s.span.SpanContext(), Short: s.short}.Encode()
}

// Traceparent returns the W3C text to put into the payload, where the queue asks
// for that; "" where there is no tracer.
func (s *Sending) Traceparent() string { return FormatTraceparent(s.span.SpanContext()) }

// Recording reports whether Message will be kept: ask before computing a digest
// only for it.
func (s *Sending) Recording() bool { return s.span.IsRecording() }

// Message adds what is known once the payload is encoded and stored. Empty
// values are left out.
func (s *Sending) Message(digest, id string, size int, due time.Time) {
	if !s.span.IsRecording() {
		return
	}
	s.span.SetAttributes(AttrBodySize.Int(size))
	if digest != "" {
		s.span.SetAttributes(AttrDigest.String(digest))
	}
	if id != "" {
		s.span.SetAttributes(AttrMessageID.String(id))
	}
	if !due.IsZero() {
		s.span.SetAttributes(AttrDueTime.String(formatDue(due)))
	}
}

// StartSendAll is [Queue.StartSend] for a bulk offer: one span for all its messages.
// End it by [Sending.EndAll].
func (q *Queue) StartSendAll(ctx context.Context) (context.Context, Sending) {
	of := q.sends()
	ctx, span := q.t.tracer.Start(ctx, of.name, of.start...)
	if span.IsRecording() {
		span.SetAttributes(q.codec)
	}
	return ctx, Sending{q: q, of: of, ctx: ctx, span: span, start: time.Now()}
}

// EndAll ends the span of a bulk offer, of which n messages were added. Call it
// exactly once.
func (s *Sending) EndAll(n int, err error) {
	if s.span.IsRecording() {
		s.span.SetAttributes(AttrBatchCount.Int(n))
	}
	s.end(err, int64(n))
}

// End ends the span and counts the offer. Call it exactly once.
func (s *Sending) End(err error) { s.end(err, 1) }

func (s *Sending) end(err error, n int64) {
	errorType := ""
	if err != nil {
		errorType = handlers.ErrorType(err)
		if s.span.IsRecording() {
			s.span.SetAttributes(AttrErrorType.String(errorType))
			s.span.SetStatus(codes.Error, errtext.Of(err, maxStatus))
		}
	}
	o := s.of.of(errorType)
	s.q.t.operationDuration.Record(s.ctx, time.Since(s.start).Seconds(), o.record...)
	s.q.t.sent.Add(s.ctx, n, o.add...)
	s.span.End()
}

func formatDue(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// maxStatus bounds the text of an error in a span's status.
const maxStatus = 256
