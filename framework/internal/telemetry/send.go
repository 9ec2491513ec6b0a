package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// Sending is the span of one offer. It belongs to one goroutine.
type Sending struct {
	begun

	short bool
}

func (q *Queue) sends() *operation {
	return q.operation(&q.send, OperationSend, trace.SpanKindProducer, AttrOperationType.String(OperationSend))
}

// StartSend starts "send Q", a child of the caller's span. delay is the one
// asked for. The context carries the span.
func (q *Queue) StartSend(ctx context.Context, delay time.Duration) (context.Context, Sending) {
	ctx, b := q.start(ctx, q.sends())
	if b.span.IsRecording() {
		b.span.SetAttributes(AttrDelayMs.Int64(delay.Milliseconds()), q.codec)
	}
	return ctx, Sending{begun: b, short: q.childWithin > 0 && delay <= q.childWithin}
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
	s.identify(id, due)
}

// StartSendAll is [Queue.StartSend] for a bulk offer: one span for all its messages.
// End it by [Sending.EndAll].
func (q *Queue) StartSendAll(ctx context.Context) (context.Context, Sending) {
	ctx, b := q.start(ctx, q.sends())
	if b.span.IsRecording() {
		b.span.SetAttributes(q.codec)
	}
	return ctx, Sending{begun: b}
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
	o := s.measure(err)
	s.q.t.sent.Add(s.ctx, n, o.add...)
	s.span.End()
}

func formatDue(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
