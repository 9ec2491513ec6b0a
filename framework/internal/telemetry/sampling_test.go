package telemetry

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/tracing"
	"github.com/duequeue/duequeue/handlers"
)

// counting counts how often it is asked.
type counting struct {
	sdktrace.Sampler
	asked *atomic.Int64
}

func (c counting) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	c.asked.Add(1)
	return c.Sampler.ShouldSample(p)
}

// What a handler sees of a span that was dropped before it was built is what it sees of one that
// the SDK has dropped, with every sampler that lets itself be found and those that do not.
func TestDroppedSpans(t *testing.T) {
	t.Parallel()
	for name, sampler := range map[string]sdktrace.Sampler{
		"not found":        sdktrace.ParentBased(sdktrace.NeverSample()),
		"found":            tracing.LinkAware(sdktrace.ParentBased(sdktrace.NeverSample())),
		"root of another":  sdktrace.ParentBased(tracing.LinkAware(sdktrace.NeverSample())),
		"base of its kind": tracing.LinkAware(tracing.LinkAware(sdktrace.NeverSample())),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, sampler)
			q := k.Queue("Q", "kryo5", 0)
			seen := map[trace.TraceID]bool{}
			for range 3 {
				base, cancel := context.WithCancelCause(context.WithValue(t.Context(), seenKey{}, "value"))
				ctx, p := q.startProcess(base, message(), Origin{}, time.Time{})
				sc := trace.SpanContextFromContext(ctx)
				if !sc.IsValid() || sc.IsSampled() || sc.IsRemote() || seen[sc.TraceID()] || !sc.Equal(p.span.SpanContext()) {
					t.Errorf("%+v", sc)
				}
				seen[sc.TraceID()] = true
				if trace.SpanFromContext(ctx).TracerProvider() != k.provider {
					t.Error("another provider")
				}
				_, child := k.provider.Tracer("handler").Start(ctx, "child")
				if c := child.SpanContext(); c.TraceID() != sc.TraceID() || c.IsSampled() {
					t.Errorf("a child of it: %+v", c)
				}
				child.End()
				if ctx.Value(seenKey{}) != "value" {
					t.Error("the engine's values are lost")
				}
				within, stop := context.WithCancel(ctx)
				gone := errors.New("gone")
				cancel(gone)
				if within.Err() == nil || !errors.Is(context.Cause(within), gone) {
					t.Errorf("cancelled: %v, %v", within.Err(), context.Cause(within))
				}
				stop()
				p.End(handlers.Outcome{})
			}
			if n := len(k.spans.Ended()); n != 0 {
				t.Errorf("%d spans were kept", n)
			}
		})
	}
}

type seenKey struct{}

// The sampler is asked once for each message, and one in so many is kept as before.
func TestSamplerIsAskedOnce(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	k := newKit(t, tracing.LinkAware(counting{sdktrace.TraceIDRatioBased(.2), &asked}))
	q := k.Queue("Q", "kryo5", 0)
	const n = 2000
	for range n {
		ctx, p := q.startProcess(t.Context(), message(), Origin{}, time.Time{})
		before := asked.Load()
		_, own := k.provider.Tracer("handler").Start(ctx, "own root", trace.WithNewRoot())
		own.End()
		if asked.Load() != before+1 {
			t.Fatal("the decision about the message served a span of its handler")
		}
		p.End(handlers.Outcome{})
	}
	if a := asked.Load(); a != 2*n {
		t.Errorf("asked %d times for %d spans", a, 2*n)
	}
	kept := 0
	for _, s := range k.spans.Ended() {
		if s.Name() == "process Q" {
			kept++
		}
	}
	if kept < n/5-120 || kept > n/5+120 {
		t.Errorf("%d of %d were kept, want a fifth", kept, n)
	}
}

// A link decides whether its message is kept, before and after the sampler was found.
func TestLinkDecidesFirst(t *testing.T) {
	t.Parallel()
	k := newKit(t, tracing.LinkAware(sdktrace.ParentBased(sdktrace.NeverSample())))
	q := k.Queue("Q", "kryo5", 0)
	for range 3 {
		for _, sampled := range []string{"00", "01"} {
			before := len(k.spans.Ended())
			_, p := q.startProcess(t.Context(), message(), Origin{Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-" + sampled}, time.Time{})
			p.End(handlers.Outcome{})
			if kept := len(k.spans.Ended()) > before; kept != (sampled == "01") {
				t.Errorf("sampled %s: kept %v", sampled, kept)
			}
		}
	}
}

// A sampler that panics is survived where it is asked first, too.
func TestSamplerPanicsWhenAskedFirst(t *testing.T) {
	t.Parallel()
	var bad atomic.Bool
	k := newKit(t, tracing.LinkAware(panicking{&bad}))
	q := k.Queue("Q", "kryo5", 0)
	_, p := q.startProcess(t.Context(), message(), Origin{}, time.Time{})
	p.End(handlers.Outcome{})
	bad.Store(true)
	_, p = q.startProcess(t.Context(), message(), Origin{}, time.Time{})
	p.End(handlers.Outcome{})
	if n := len(k.spans.Ended()); n != 1 {
		t.Errorf("%d spans, want that from before the panic", n)
	}
}

type panicking struct{ now *atomic.Bool }

func (p panicking) ShouldSample(sdktrace.SamplingParameters) sdktrace.SamplingResult {
	if p.now.Load() {
		panic("sampler")
	}
	return sdktrace.SamplingResult{Decision: sdktrace.RecordAndSample}
}

func (panicking) Description() string { return "panicking" }
