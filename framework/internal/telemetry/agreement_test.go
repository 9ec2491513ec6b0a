package telemetry

import (
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/duequeue/duequeue/framework/tracing"
	"github.com/duequeue/duequeue/handlers"
)

// TestConsumersAreSampledLikeTheirProducers sends 2,000 messages at a ratio of a
// half, lets their contexts cross the delay as 25 bytes or as text in the
// payload, and compares both halves.
func TestConsumersAreSampledLikeTheirProducers(t *testing.T) {
	t.Parallel()
	for name, inBand := range map[string]bool{"side hash": false, "in the payload": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, tracing.LinkAware(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(.5))))
			q := k.Queue("Q", "kryo5", 0)
			linked, agree := 0, 0
			for range 2000 {
				_, s := q.StartSend(t.Context(), time.Hour)
				from := Origin{Creation: s.Creation()}
				if inBand {
					from = Origin{Traceparent: s.Traceparent()}
				}
				s.End(nil)
				_, p := q.startProcess(t.Context(), message(), from, time.Time{})
				p.End(handlers.Outcome{})
				if from.Creation == nil && from.Traceparent == "" {
					continue // an unsampled producer leaves nothing to link to
				}
				linked++
				if p.span.SpanContext().IsSampled() == s.span.SpanContext().IsSampled() {
					agree++
				}
			}
			if agree != linked || linked < 800 {
				t.Errorf("%d of %d linked consumers agree with their producers", agree, linked)
			}
			if inBand && linked != 2000 {
				t.Errorf("%d of 2000 were linked", linked)
			}
		})
	}
}
