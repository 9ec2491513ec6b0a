package framework_test

import (
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

func TestTraceInBandLeavesTheCallersMapAlone(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.AlwaysSample()))
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}}, framework.WithTracerProvider(tracer))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	q := registry.Define[map[string]any]("in band", "", registry.TraceInBand())
	order := map[string]any{"orderId": "100"}
	if _, err := framework.Bind(c, q).Offer(t.Context(), order, time.Hour); err != nil {
		t.Fatal(err)
	}
	if len(order) != 1 {
		t.Errorf("the caller's map is now %v", order)
	}
	ms, err := framework.Bind(c, q).Pending().Page(t.Context(), 0, 1)
	if err != nil || len(ms) != 1 {
		t.Fatal(ms, err)
	}
	carried := ms[0].Payload
	if tp, _ := carried["traceparent"].(string); len(tp) != 55 || carried["orderId"] != "100" {
		t.Errorf("payload %v", carried)
	}
}

func TestOfferAtIsDueAtItsTimeOrOverdue(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *framework.Config) { c.NoTransfer = true }) // or what is overdue may be ready before it is counted
	q := stringQueue("at")
	at := time.Now().Add(time.Hour).Truncate(time.Millisecond)
	receipt, err := framework.Bind(b.client, q).OfferAt(t.Context(), "x", at)
	if err != nil {
		t.Fatal(err)
	}
	if due, err := receipt.ID.Due(); err != nil || !due.Equal(at) {
		t.Errorf("due %v %v, want %v", due, err, at)
	}
	if _, err := framework.Bind(b.client, q).OfferAt(t.Context(), "y", at.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	n, err := framework.Bind(b.client, q).Counts(t.Context())
	if err != nil || n.Delayed != 2 || n.Overdue != 1 {
		t.Errorf("counts %+v %v", n, err)
	}
}
