package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/handlers"
)

// Origin is what is known about where a message came from. The zero value says
// nothing is known.
type Origin struct {
	Creation    []byte // the 25 bytes from beside the payload, may be empty
	Traceparent string // from inside the payload; read before Creation
}

// Processing is the span of one run of a handler, with its measurements.
// It belongs to one goroutine; the zero value is not usable.
type Processing struct {
	q       *Queue
	ctx     context.Context // of the span: exemplars need it, and it ends with the message
	span    span
	start   time.Time
	end     time.Time
	outcome handlers.Outcome
	item    *handlers.Message // of a batch's part; see Item

	unsampled unsampled // the span, where the sampler dropped it before it was built
}

// Started reports whether p came from StartProcess, StartBatch or Item: the zero value
// may be asked nothing else.
func (p *Processing) Started() bool { return p.q != nil }

// StartProcess starts "process Q" when a worker begins with the message, and
// records its lateness. The context carries the span, and p with it. started is the moment of
// the process's own clock, zero for now.
func (q *Queue) StartProcess(ctx context.Context, p *Processing, m *handlers.Message, from Origin, started time.Time) context.Context {
	if started.IsZero() {
		started = time.Now()
	}
	origin, child := q.origin(from)
	*p = Processing{q: q, start: started}
	if child {
		ctx, p.span = q.t.tracer.Start(trace.ContextWithRemoteSpanContext(ctx, origin), q.processName, q.childStart...)
	} else {
		ctx = q.startRoot(ctx, p, origin)
	}
	p.ctx = ctx
	late, known := m.Lateness()
	if p.span.IsRecording() {
		p.span.SetAttributes(q.describe(m, late, known)...)
	}
	if known {
		q.t.lateness.Record(ctx, late.Seconds(), q.record...)
	} else {
		q.unknownDue.one(ctx, started)
	}
	q.consumed.one(ctx, started)
	return ctx
}

// startRoot starts the span of one message as a root, with a link to its origin where that is
// known.
func (q *Queue) startRoot(ctx context.Context, p *Processing, origin trace.SpanContext) context.Context {
	var links []trace.Link
	if origin.IsValid() {
		links = []trace.Link{{SpanContext: origin}}
	}
	dropped, question := q.ask(ctx, p, links)
	if dropped != nil {
		p.span = span{&p.unsampled, q.t.guard}
		return dropped
	}
	opts := q.rootStart
	if links != nil {
		opts = append(opts, trace.WithLinks(links...))
	}
	if question != nil {
		defer question.Over()
		ctx = question.With(ctx)
	}
	ctx, p.span = q.t.tracer.Start(ctx, q.processName, opts...)
	return ctx
}

// origin decides which context the message came from, and whether the span is to
// be its child.
func (q *Queue) origin(from Origin) (sc trace.SpanContext, child bool) {
	stored, _ := DecodeCreation(from.Creation)
	sc = stored.Context
	if from.Traceparent != "" {
		if inBand, ok := ParseTraceparent(from.Traceparent); ok {
			sc = inBand
		}
	}
	// Both speak of the same offer only if they name the same span.
	child = q.childWithin > 0 && stored.Short && sc.Equal(stored.Context)
	return sc, child
}

// describe lists what is worth knowing about a message in a span.
func (q *Queue) describe(m *handlers.Message, late time.Duration, known bool) []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 9)
	attrs = append(attrs,
		AttrDigest.String(m.Digest()), AttrBodySize.Int(len(m.Body)), q.codec,
		AttrAttempt.Int(m.Attempt()), AttrRedelivered.Bool(m.Redelivered()))
	if due, ok := m.Due(); ok {
		attrs = append(attrs, AttrDueTime.String(formatDue(due)))
	}
	if known {
		attrs = append(attrs, AttrLatenessMs.Int64(late.Milliseconds()))
	}
	if m.Redriven > 0 {
		attrs = append(attrs, AttrRedriven.Int(m.Redriven))
		if len(m.Deaths) > 0 && !m.Deaths[0].At.IsZero() {
			attrs = append(attrs, AttrFirstDeath.String(formatDue(m.Deaths[0].At)))
		}
	}
	if id := m.ID(); id != "" {
		attrs = append(attrs, AttrMessageID.String(id))
	}
	return attrs
}

// Returned notes what the handler's end means, now: time until End counts no
// more. Optional; End does it otherwise.
func (p *Processing) Returned(o handlers.Outcome) {
	p.end, p.outcome = time.Now(), o
	p.panicked(o.Err)
}

// Retry adds the event that the message will be tried again, and counts it.
// Call it before End.
func (p *Processing) Retry(delay time.Duration, charged bool) {
	p.q.t.retried.Add(p.ctx, 1, p.q.add...)
	if p.span.IsRecording() {
		p.span.AddEvent(EventRetry, p.named(
			AttrRetryDelayMs.Int64(delay.Milliseconds()), AttrCharged.Bool(charged)))
	}
}

// Dead adds the event that the message went to the dead store, and counts it.
// Call it before End. For messages without a span see Queue.Dead.
func (p *Processing) Dead(reason string) {
	p.q.Dead(p.ctx, reason, 1)
	if p.span.IsRecording() {
		p.span.AddEvent(EventDead, p.named(AttrReason.String(reason)))
	}
}

// Cancelled adds the event that the message is not retried, since it was cancelled while
// it was in flight, and counts it. Call it before End.
func (p *Processing) Cancelled() {
	p.q.Cancelled(p.ctx, CancelledInFlight, 1)
	if p.span.IsRecording() {
		p.span.AddEvent(EventCancelled, p.named())
	}
}

// Released adds the event that the message went back to the head, uncharged, and
// counts it, also as a possible duplicate: its handler had begun. Call it before End.
func (p *Processing) Released(reason string) {
	p.q.Released(p.ctx, 1)
	p.q.Doubtful(p.ctx, reason, 1)
	if p.span.IsRecording() {
		p.span.AddEvent(EventReleased, p.named(AttrReason.String(reason)))
	}
}

// End ends the span with the outcome and records the duration. After Returned
// the outcome given there stands. Call it exactly once; it must not be called
// after the context of the message was reused.
func (p *Processing) End(o handlers.Outcome) {
	if p.item != nil { // EndBatch speaks for all
		return
	}
	if p.end.IsZero() {
		p.Returned(o)
	}
	errorType := ""
	if p.outcome.Kind != handlers.Done && p.outcome.Err != nil {
		errorType = handlers.ErrorType(p.outcome.Err)
	}
	p.q.t.processDuration.Record(p.ctx, p.end.Sub(p.start).Seconds(), p.q.process.of(errorType).record...)
	if !p.span.IsRecording() {
		p.span.End()
		return
	}
	p.span.SetAttributes(AttrOutcome.String(p.outcome.Kind.String()))
	if errorType != "" {
		p.span.SetAttributes(AttrErrorType.String(errorType))
		if p.outcome.Kind != handlers.Released { // an interrupted handler is nobody's error
			p.span.SetStatus(codes.Error, errtext.Of(p.outcome.Err, maxStatus))
		}
	}
	p.span.End(trace.WithTimestamp(p.end))
}

// Dead counts messages that went to the dead store, by reason.
func (q *Queue) Dead(ctx context.Context, reason string, n int64) {
	if n > 0 {
		q.t.dead.Add(ctx, n, q.with(reason))
	}
}

// Trimmed counts messages deleted from the dead store, by the reason of their death.
func (q *Queue) Trimmed(ctx context.Context, reason string, n int64) {
	q.t.trimmed.Add(ctx, n, q.with(reason))
}

// Untold counts dead letters that nobody is told of although framework.OnDead is used.
func (q *Queue) Untold(ctx context.Context, n int64) { q.t.untold.Add(ctx, n, q.add...) }

// Doubtful counts messages that may be handled twice: they went to others, or will
// be retried, although a handler of this process had begun with them.
func (q *Queue) Doubtful(ctx context.Context, reason string, n int64) {
	if n > 0 {
		q.t.doubtful.Add(ctx, n, q.with(reason))
	}
}

// with is the queue's attributes and a reason.
func (q *Queue) with(reason string) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(append(q.base.ToSlice(), AttrReason.String(reason))...))
}

// Released counts messages given back to the head without a charge.
func (q *Queue) Released(ctx context.Context, n int64) { q.count(ctx, q.t.released, n) }

// Reaped counts messages taken back from sessions whose lease was over.
func (q *Queue) Reaped(ctx context.Context, n int64) { q.count(ctx, q.t.reaped, n) }

// Where messages were that were cancelled.
const (
	CancelledPending  = "pending"
	CancelledInFlight = "in_flight"
)

// Cancelled counts messages that ended as cancelled, by where they were.
func (q *Queue) Cancelled(ctx context.Context, where string, n int64) {
	if n > 0 {
		q.t.cancelled.Add(ctx, n, q.with(where))
	}
}

// LostLease counts a lease that this process lost while it held messages.
func (q *Queue) LostLease(ctx context.Context) { q.count(ctx, q.t.lost, 1) }

// Early counts messages that came before they were due.
func (q *Queue) Early(ctx context.Context, n int64) { q.count(ctx, q.t.early, n) }

// Zombies counts messages whose handler was given up on.
func (q *Queue) Zombies(ctx context.Context, n int64) { q.count(ctx, q.t.zombies, n) }

func (q *Queue) count(ctx context.Context, c metric.Int64Counter, n int64) {
	if n > 0 {
		c.Add(ctx, n, q.add...)
	}
}
