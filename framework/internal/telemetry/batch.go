package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/handlers"
)

// StartBatch starts one "process Q" for messages that are handled together, and
// records the lateness of each. As the conventions have it for batches, the span is a
// root with a link to each message's creation, and what concerns one message stands
// at its link. An SDK keeps 128 links of a span unless it is told otherwise
// (OTEL_SPAN_LINK_COUNT_LIMIT), and counts the rest. from has one origin for each
// message. The result is ended by EndBatch or Alone, after the parts that Item gives.
func (q *Queue) StartBatch(ctx context.Context, ms []*handlers.Message, from []Origin, started time.Time) (context.Context, Processing) {
	var links []trace.Link
	for i, m := range ms {
		origin, _ := q.origin(from[i])
		if origin.IsValid() {
			late, known := m.Lateness()
			links = append(links, trace.Link{SpanContext: origin, Attributes: q.describe(m, late, known)})
		}
	}
	ctx, span := q.t.tracer.Start(ctx, q.processName, append(q.rootStart, trace.WithLinks(links...))...)
	if span.IsRecording() {
		span.SetAttributes(AttrBatchCount.Int(len(ms)), q.codec)
	}
	for _, m := range ms {
		if late, known := m.Lateness(); known {
			q.t.lateness.Record(ctx, late.Seconds(), q.record...)
		} else {
			q.unknownDue.one(ctx, started)
		}
		q.consumed.one(ctx, started)
	}
	return ctx, Processing{q: q, ctx: ctx, span: span, start: started}
}

// Item returns the part of one message in the span of a batch: its events name the
// message, and its End does nothing.
func (p *Processing) Item(m *handlers.Message) Processing {
	part := *p
	part.item = m
	return part
}

// named adds to the attributes of an event which message of a batch it speaks of.
func (p *Processing) named(attrs ...attribute.KeyValue) trace.EventOption {
	if p.item != nil {
		attrs = append(attrs, AttrDigest.String(p.item.Digest()))
		if id := p.item.ID(); id != "" {
			attrs = append(attrs, AttrMessageID.String(id))
		}
	}
	return trace.WithAttributes(attrs...)
}

// ReturnedBatch notes that the handler has ended, now: settling counts no more.
func (p *Processing) ReturnedBatch() { p.end = time.Now() }

// EndBatch ends the span of a batch: its outcome is that of all messages, or mixed.
// err is what the handler returned. The duration of the batch is measured once.
func (p *Processing) EndBatch(outs []handlers.Outcome, err error) {
	outcome, failed := outs[0].Kind.String(), false
	for _, o := range outs {
		if o.Kind != outs[0].Kind {
			outcome = outcomeMixed
		}
		failed = failed || o.Kind == handlers.Retried || o.Kind == handlers.Rejected
	}
	if outcome == handlers.Done.String() {
		err = nil // results of which none is an error
	}
	p.endBatch(outcome, err, failed)
}

// Alone ends the span of a batch that failed as a whole: each of its messages runs
// again by itself and has a span then.
func (p *Processing) Alone(err error) {
	p.panicked(err)
	p.endBatch(outcomeAlone, err, true)
}

// Outcomes that only batches have.
const (
	outcomeMixed = "mixed"
	outcomeAlone = "alone"
)

func (p *Processing) endBatch(outcome string, err error, failed bool) {
	if p.end.IsZero() {
		p.ReturnedBatch()
	}
	errorType := ""
	if err != nil {
		errorType = handlers.ErrorType(err)
	}
	p.q.t.processDuration.Record(p.ctx, p.end.Sub(p.start).Seconds(), p.q.process.of(errorType).record...)
	if p.span.IsRecording() {
		p.span.SetAttributes(AttrOutcome.String(outcome))
		if errorType != "" {
			p.span.SetAttributes(AttrErrorType.String(errorType))
		}
		if failed {
			p.span.SetStatus(codes.Error, errtext.Of(err, maxStatus))
		}
	}
	p.span.End(trace.WithTimestamp(p.end))
}
