package tracing_test

import (
	"context"
	"fmt"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/tracing"
)

func spanContext(sampled bool) trace.SpanContext {
	var flags trace.TraceFlags
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: flags.WithSampled(sampled), Remote: true,
	})
}

func TestLinkAware(t *testing.T) {
	t.Parallel()
	yes, no, none := trace.Link{SpanContext: spanContext(true)}, trace.Link{SpanContext: spanContext(false)}, trace.Link{}
	tests := map[string]struct {
		base   sdktrace.Sampler
		parent trace.SpanContext
		links  []trace.Link
		want   sdktrace.SamplingDecision
	}{
		"no link: base says no":                  {sdktrace.NeverSample(), trace.SpanContext{}, nil, sdktrace.Drop},
		"no link: base says yes":                 {sdktrace.AlwaysSample(), trace.SpanContext{}, nil, sdktrace.RecordAndSample},
		"sampled link overrules base":            {sdktrace.NeverSample(), trace.SpanContext{}, []trace.Link{yes}, sdktrace.RecordAndSample},
		"unsampled link overrules base":          {sdktrace.AlwaysSample(), trace.SpanContext{}, []trace.Link{no}, sdktrace.Drop},
		"any sampled link is enough":             {sdktrace.NeverSample(), trace.SpanContext{}, []trace.Link{no, none, yes}, sdktrace.RecordAndSample},
		"invalid link is none":                   {sdktrace.AlwaysSample(), trace.SpanContext{}, []trace.Link{none}, sdktrace.RecordAndSample},
		"sampled parent, unsampled link: base":   {sdktrace.ParentBased(sdktrace.NeverSample()), spanContext(true), []trace.Link{no}, sdktrace.RecordAndSample},
		"unsampled parent, sampled link: base":   {sdktrace.ParentBased(sdktrace.AlwaysSample()), spanContext(false), []trace.Link{yes}, sdktrace.Drop},
		"nil base is the SDK's default":          {nil, trace.SpanContext{}, nil, sdktrace.RecordAndSample},
		"nil base follows its unsampled parent":  {nil, spanContext(false), nil, sdktrace.Drop},
		"nil base and a link that was discarded": {nil, trace.SpanContext{}, []trace.Link{no}, sdktrace.Drop},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := tracing.LinkAware(tt.base).ShouldSample(sdktrace.SamplingParameters{
				ParentContext: trace.ContextWithSpanContext(t.Context(), tt.parent),
				TraceID:       trace.TraceID{9}, Name: "process Q", Links: tt.links,
			})
			if got.Decision != tt.want {
				t.Errorf("got %v, want %v", got.Decision, tt.want)
			}
		})
	}
}

func TestLinkAwareKeepsTheTraceState(t *testing.T) {
	t.Parallel()
	state, err := trace.ParseTraceState("vendor=1")
	if err != nil {
		t.Fatal(err)
	}
	parent := spanContext(true).WithTraceState(state)
	got := tracing.LinkAware(sdktrace.ParentBased(sdktrace.NeverSample())).ShouldSample(sdktrace.SamplingParameters{
		ParentContext: trace.ContextWithSpanContext(t.Context(), parent),
	})
	if got.Tracestate.String() != "vendor=1" {
		t.Errorf("%q", got.Tracestate.String())
	}
}

// One sampler for the whole program: producers are sampled at one in ten, and each
// consumer shares the fate of its producer.
func ExampleLinkAware() {
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSampler(tracing.LinkAware(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(0.1)))),
	)
	defer func() { _ = provider.Shutdown(context.Background()) }()
	tracer := provider.Tracer("example")

	same := true
	for range 1000 {
		_, send := tracer.Start(context.Background(), "send ORDERS", trace.WithSpanKind(trace.SpanKindProducer))
		send.End()
		// … days later, perhaps in another process:
		_, process := tracer.Start(context.Background(), "process ORDERS", trace.WithNewRoot(),
			trace.WithSpanKind(trace.SpanKindConsumer), trace.WithLinks(trace.Link{SpanContext: send.SpanContext()}))
		process.End()
		same = same && send.SpanContext().IsSampled() == process.SpanContext().IsSampled()
	}
	fmt.Println("consumers share the fate of their producers:", same)
	// Output: consumers share the fate of their producers: true
}
