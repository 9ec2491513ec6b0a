package telemetry

import (
	"context"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/duequeue/duequeue/handlers"
)

// kit is a telemetry on real SDKs that keep what they get.
type kit struct {
	*Telemetry
	spans  *tracetest.SpanRecorder
	reader *sdkmetric.ManualReader
}

func newKit(t *testing.T, sampler sdktrace.Sampler) *kit {
	t.Helper()
	k := &kit{spans: tracetest.NewSpanRecorder(), reader: sdkmetric.NewManualReader()}
	tp := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(k.spans), sdktrace.WithSampler(sampler))
	mp := sdkmetric.NewMeterProvider(sdkmetric.WithReader(k.reader))
	var err error
	if k.Telemetry, err = New(tp, mp, ""); err != nil {
		t.Fatal(err)
	}
	stop, err := k.Observe(func(context.Context, *Report) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// metrics collects all metrics by name.
func (k *kit) metrics(t *testing.T) map[string]metricdata.Metrics {
	t.Helper()
	var rm metricdata.ResourceMetrics
	if err := k.reader.Collect(t.Context(), &rm); err != nil {
		t.Fatal(err)
	}
	out := map[string]metricdata.Metrics{}
	for _, sm := range rm.ScopeMetrics {
		if sm.Scope.Name != ScopeName || sm.Scope.SchemaURL != SchemaURL {
			t.Errorf("scope %+v", sm.Scope)
		}
		for _, m := range sm.Metrics {
			out[m.Name] = m
		}
	}
	return out
}

// sums returns the values of an integer metric by their attributes.
func sums(t *testing.T, m metricdata.Metrics) map[string]int64 {
	t.Helper()
	var points []metricdata.DataPoint[int64]
	switch d := m.Data.(type) {
	case metricdata.Sum[int64]:
		points = d.DataPoints
	case metricdata.Gauge[int64]:
		points = d.DataPoints
	default:
		t.Fatalf("%s is %T", m.Name, m.Data)
	}
	out := map[string]int64{}
	for _, p := range points {
		out[p.Attributes.Encoded(attribute.DefaultEncoder())] = p.Value
	}
	return out
}

func histogram(t *testing.T, m metricdata.Metrics) []metricdata.HistogramDataPoint[float64] {
	t.Helper()
	h, ok := m.Data.(metricdata.Histogram[float64])
	if !ok {
		t.Fatalf("%s is %T", m.Name, m.Data)
	}
	return h.DataPoints
}

var epoch = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// message is one that came 5 ms late, on its second attempt.
func message() *handlers.Message {
	return &handlers.Message{
		Code: "Q", Body: []byte("payload"), Failed: 1, Delivered: 1,
		DueTime: epoch, StartedAt: epoch.Add(5 * time.Millisecond),
		Identity: handlers.Identify("1939a-00ff", "digest-1"),
	}
}

func attrs(kvs []attribute.KeyValue) map[string]string {
	out := map[string]string{}
	for _, kv := range kvs {
		out[string(kv.Key)] = kv.Value.String()
	}
	return out
}

func wantAttrs(t *testing.T, got []attribute.KeyValue, want map[string]string) {
	t.Helper()
	m := attrs(got)
	for k, v := range want {
		if m[k] != v {
			t.Errorf("attribute %s is %q, want %q", k, m[k], v)
		}
		delete(m, k)
	}
	if len(m) > 0 {
		t.Errorf("further attributes: %v", m)
	}
}

// startProcess is StartProcess of a new Processing.
func (q *Queue) startProcess(ctx context.Context, m *handlers.Message, from Origin, started time.Time) (context.Context, *Processing) {
	p := new(Processing)
	return q.StartProcess(ctx, p, m, from, started), p
}
