package telemetry

import (
	"context"
	"encoding/binary"
	"math"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/sampling"
)

// ask asks the sampler about a root. It returns the context of a span that is dropped, or the
// question that goes with one that is to be started, nil for none.
func (q *Queue) ask(ctx context.Context, p *Processing, links []trace.Link) (dropped context.Context, question *sampling.Question) {
	sampler := q.t.sampler.Sampler()
	if sampler == nil {
		return nil, q.t.sampler.Seek()
	}
	root := ctx
	if trace.SpanContextFromContext(ctx).IsValid() {
		root = trace.ContextWithSpanContext(ctx, trace.SpanContext{})
	}
	id := newTraceID()
	d, ok := q.decide(root, sampler, id, links)
	if !ok || !d.Drop {
		return nil, sampling.Answered(d)
	}
	var span trace.SpanID
	binary.BigEndian.PutUint64(span[:], drawn())
	p.unsampled = unsampled{Context: ctx, provider: q.t.provider, sc: trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: id, SpanID: span, TraceState: d.State,
	})}
	return &p.unsampled, nil
}

// decide survives a sampler that panics: it is asked again as the span is built.
func (q *Queue) decide(ctx context.Context, s sampling.Sampler, id trace.TraceID, links []trace.Link) (d sampling.Decision, ok bool) {
	defer q.t.guard.survive(byTracer)
	return s(ctx, id, q.processName, trace.SpanKindConsumer, q.processAttrs, links), true
}

// newTraceID makes a random one.
func newTraceID() (id trace.TraceID) {
	binary.BigEndian.PutUint64(id[:8], drawn())
	binary.BigEndian.PutUint64(id[8:], drawn())
	return id
}

// drawn is random, and not 0.
func drawn() uint64 { return chance.Uint64N(math.MaxUint64) + 1 }

// unsampled is a span that is dropped, and the context that carries it.
type unsampled struct {
	context.Context
	noop.Span

	sc       trace.SpanContext
	provider trace.TracerProvider
}

// SpanContext is what goes on to others: they are to drop theirs, too.
func (u *unsampled) SpanContext() trace.SpanContext { return u.sc }

// TracerProvider is the engine's.
func (u *unsampled) TracerProvider() trace.TracerProvider { return u.provider }

// Value gives the span to package trace.
func (u *unsampled) Value(key any) any {
	if key == spanKey {
		return u
	}
	return u.Context.Value(key)
}

// spanKey is the key that package trace looks up spans by. It has no name outside, so
// it is taken from a look-up; a test watches over it.
var spanKey = func() any {
	c := &keyCatcher{} // without a context: nothing but Value is asked
	trace.SpanFromContext(c)
	return c.key
}()

type keyCatcher struct {
	context.Context
	key any
}

func (c *keyCatcher) Value(key any) any {
	c.key = key
	return nil
}
