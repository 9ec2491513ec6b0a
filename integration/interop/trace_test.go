package interop_test

import (
	"fmt"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// spans is a tracer that samples everything and keeps it.
func spans(t testing.TB) (*tracetest.SpanRecorder, framework.ClientOption) {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	return recorder, framework.WithTracerProvider(provider)
}

// ended waits for a span of a kind.
func ended(t testing.TB, recorder *tracetest.SpanRecorder, kind trace.SpanKind) sdktrace.ReadOnlySpan {
	t.Helper()
	var found sdktrace.ReadOnlySpan
	lab.Wait(t, func() string {
		for _, s := range recorder.Ended() {
			if s.SpanKind() == kind {
				found = s
				return ""
			}
		}
		return fmt.Sprintf("no span of kind %v ended", kind)
	})
	return found
}

// wantLink checks that a span is a root that is linked to one other.
func wantLink(t testing.TB, s sdktrace.ReadOnlySpan, traceID trace.TraceID, spanID trace.SpanID) {
	t.Helper()
	links := s.Links()
	if len(links) != 1 || links[0].SpanContext.TraceID() != traceID || links[0].SpanContext.SpanID() != spanID {
		t.Errorf("links of %q = %+v, want one to %s-%s", s.Name(), links, traceID, spanID)
	}
	if s.Parent().IsValid() {
		t.Errorf("%q has a parent, want a new root", s.Name())
	}
}

func traceSurvivesJavasTransfer(t testing.TB, b *bench) {
	recorder, traced := spans(t)
	client := rig.Open(t, b.srv.URL(), traced)
	queue := define[map[string]any](t, "traced", b.codec)
	javas := b.jvm.Open(t, b.srv.URL()).Queue(t, b.java, queue.Key())
	javas.Hold(t)

	rig.Offer(t, client, queue, map[string]any{"orderId": "100"}, soon)
	send := ended(t, recorder, trace.SpanKindProducer).SpanContext()
	lab.Wait(t, func() string {
		if n := javas.Ready().Size(t); n != 1 {
			return fmt.Sprintf("Java transferred %d of 1", n)
		}
		return ""
	})
	javas.Destroy(t)

	var collector rig.Collector[map[string]any]
	rig.Run(t, client, framework.Consume(queue, &collector))
	collector.Await(t, 1)
	wantLink(t, ended(t, recorder, trace.SpanKindConsumer), send.TraceID(), send.SpanID())
}

func traceparentFromJava(t testing.TB, b *bench) {
	traceID, spanID := trace.TraceID{0x4b, 0xf9, 15: 0x36}, trace.SpanID{0xf0, 7: 0xb7}
	recorder, traced := spans(t)
	client := rig.Open(t, b.srv.URL(), traced)
	queue := define[map[string]any](t, "inband", b.codec, registry.TraceInBand())
	var collector rig.Collector[map[string]any]
	rig.Run(t, client, framework.Consume(queue, &collector))

	javas := b.jvm.Open(t, b.srv.URL()).Queue(t, b.java, queue.Key())
	javas.OfferTraced(t, jvm.Sample("order"), 50*time.Millisecond, traceID.String(), spanID.String())
	got := collector.Await(t, 1)[0].Payload
	if got["orderId"] != "100" || got["remark"] != "其他信息" {
		t.Errorf("got %v", got)
	}
	wantLink(t, ended(t, recorder, trace.SpanKindConsumer), traceID, spanID)
}

func traceparentToJava(t testing.TB, b *bench) {
	recorder, traced := spans(t)
	client := rig.Open(t, b.srv.URL(), traced)
	queue := define[map[string]any](t, "inband", b.codec, registry.TraceInBand())
	javas := b.jvm.Open(t, b.srv.URL()).Queue(t, b.java, queue.Key())
	javas.Hold(t)

	rig.Offer(t, client, queue, map[string]any{"orderId": "100"}, soon)
	send := ended(t, recorder, trace.SpanKindProducer).SpanContext()
	want := fmt.Sprintf("00-%s-%s-01", send.TraceID(), send.SpanID())
	taken, ok := javas.Take(t, patient, "null").Value.(*java.Map)
	if !ok {
		t.Fatalf("Java took %#v, want a map", taken)
	}
	if got, _ := taken.Get("traceparent"); got != want {
		t.Errorf("Java sees traceparent %v, want %s", got, want)
	}
}
