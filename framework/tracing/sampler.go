package tracing

import (
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
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
	linked, sampled := false, false
	for _, l := range p.Links {
		linked = linked || l.SpanContext.IsValid()
		sampled = sampled || l.SpanContext.IsValid() && l.SpanContext.IsSampled()
	}
	switch {
	case sampled:
		return sdktrace.SamplingResult{Decision: sdktrace.RecordAndSample, Tracestate: parent.TraceState()}
	case linked:
		return sdktrace.SamplingResult{Decision: sdktrace.Drop, Tracestate: parent.TraceState()}
	}
	return s.base.ShouldSample(p)
}

// Description names the sampler and its base.
func (s linkAware) Description() string { return "LinkAware{" + s.base.Description() + "}" }
