package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/internal/sampling"
)

// LinkAware returns a sampler that gives a new root span with links the decision
// of the spans it links to: sampled when any of them is, dropped when none is.
// All other spans (with a parent, or without a valid link) are left to base,
// which is commonly sdktrace.ParentBased(sdktrace.TraceIDRatioBased(0.1)).
//
// The span that handles a delayed message is such a root, linked to the span
// that offered it. Without this sampler its own trace id decides, and at a ratio
// of 0.1 only one message in a hundred has both its halves.
//
// The engine asks it once for each message, before it builds a span, which costs a message that
// is dropped next to nothing. It finds it as the sampler of the tracer provider, alone or as a
// root of sdktrace.ParentBased; samplers of one's own belong inside, as base: one around it is
// not asked about messages that LinkAware drops.
//
// A nil base means sdktrace.ParentBased(sdktrace.AlwaysSample()), the SDK's
// default. Safe for concurrent use if base is.
func LinkAware(base sdktrace.Sampler) sdktrace.Sampler {
	if base == nil {
		base = sdktrace.ParentBased(sdktrace.AlwaysSample())
	}
	return linkAware{base}
}

type linkAware struct{ base sdktrace.Sampler }

// ShouldSample decides; see LinkAware.
func (s linkAware) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	parent := trace.SpanContextFromContext(p.ParentContext)
	if parent.IsValid() {
		return s.base.ShouldSample(p)
	}
	if q := sampling.Of(p.ParentContext); q != nil {
		if answer, ok := q.Answer().(sdktrace.SamplingResult); ok {
			return answer
		}
		q.Leave(s.decide)
	}
	return s.root(p)
}

// decide is [linkAware.ShouldSample] before there is a span.
func (s linkAware) decide(ctx context.Context, id trace.TraceID, name string, kind trace.SpanKind, attrs []attribute.KeyValue, links []trace.Link) sampling.Decision {
	r := s.root(sdktrace.SamplingParameters{ParentContext: ctx, TraceID: id, Name: name, Kind: kind, Attributes: attrs, Links: links})
	if r.Decision == sdktrace.Drop {
		return sampling.Decision{Drop: true, State: r.Tracestate}
	}
	return sampling.Decision{Answer: r}
}

// root decides about a span without a parent.
func (s linkAware) root(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	linked, sampled := false, false
	for _, l := range p.Links {
		linked = linked || l.SpanContext.IsValid()
		sampled = sampled || l.SpanContext.IsValid() && l.SpanContext.IsSampled()
	}
	switch {
	case sampled:
		return sdktrace.SamplingResult{Decision: sdktrace.RecordAndSample}
	case linked:
		return sdktrace.SamplingResult{Decision: sdktrace.Drop}
	}
	return s.base.ShouldSample(p)
}

// Description names the sampler and its base.
func (s linkAware) Description() string { return "LinkAware{" + s.base.Description() + "}" }
