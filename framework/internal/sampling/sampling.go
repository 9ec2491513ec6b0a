// Package sampling asks the sampler of a tracer about a root span before it is built: to build one
// that is dropped is most of what telemetry costs a message. The sampler is found where it lets
// itself be found, as that of tracing.LinkAware does: the first spans carry a [Question] in their
// context, at which it leaves itself. From then on it is asked once for each span: what it says of
// one that is not dropped goes with the question of that span.
package sampling

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// Sampler decides about a root span that is not built yet.
type Sampler func(ctx context.Context, id trace.TraceID, name string, kind trace.SpanKind, attrs []attribute.KeyValue, links []trace.Link) Decision

// Decision is what a sampler says.
type Decision struct {
	Drop   bool
	State  trace.TraceState
	Answer any // what the sampler gives when it is asked again for the span that is not dropped
}

// Found is where a sampler leaves itself. The zero value is ready, and safe for concurrent use.
type Found struct {
	sampler atomic.Pointer[Sampler]
	looked  atomic.Int32
}

// lookMost is with how many spans a sampler is looked for.
const lookMost = 100

// Sampler returns the sampler, nil where none was found yet.
func (f *Found) Sampler() Sampler {
	if s := f.sampler.Load(); s != nil {
		return *s
	}
	return nil
}

// Seek returns a question that looks for the sampler, nil where none let itself be found for long.
func (f *Found) Seek() *Question {
	if f.looked.Load() >= lookMost {
		return nil
	}
	f.looked.Add(1)
	return &Question{found: f}
}

// Question goes with the context of one span that is being started.
type Question struct {
	over   atomic.Bool // the sampler was asked, or the span has started
	answer any
	found  *Found
}

// Answered returns a question that the sampler has answered before.
func Answered(d Decision) *Question { return &Question{answer: d.Answer} }

// With returns a context that carries the question.
func (q *Question) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, questionKey{}, q)
}

// Over ends the question, which spans of others must not find: the context lives on.
func (q *Question) Over() { q.over.Store(true) }

type questionKey struct{}

// Of returns the question of the span that is being started, nil where there is none.
func Of(ctx context.Context) *Question {
	q, _ := ctx.Value(questionKey{}).(*Question)
	if q == nil || q.over.Swap(true) {
		return nil
	}
	return q
}

// Answer returns what the sampler has answered before, nil where it was not asked.
func (q *Question) Answer() any { return q.answer }

// Leave tells whom to ask from now on.
func (q *Question) Leave(s Sampler) {
	if q.found != nil {
		q.found.sampler.CompareAndSwap(nil, &s)
	}
}
