package telemetry

import (
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/duequeue/duequeue/framework/tracing"
	"github.com/duequeue/duequeue/handlers"
)

// BenchmarkProcess is what a handled message pays: span, lateness, consumed,
// duration.
func BenchmarkProcess(b *testing.B) {
	tracer := func(ratio float64) trace.TracerProvider {
		return sdktrace.NewTracerProvider(
			sdktrace.WithSampler(tracing.LinkAware(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(ratio)))))
	}
	meter := func() metric.MeterProvider {
		return sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	}
	for _, tt := range []struct {
		name string
		tp   trace.TracerProvider
		mp   metric.MeterProvider
	}{
		{"no-sdk", tracenoop.NewTracerProvider(), metricnoop.NewMeterProvider()},
		{"metrics", tracenoop.NewTracerProvider(), meter()},
		{"metrics+tracing-0", tracer(0), meter()},
		{"metrics+tracing-10", tracer(.1), meter()},
		{"metrics+tracing-100", tracer(1), meter()},
	} {
		b.Run(tt.name, func(b *testing.B) {
			tel, err := New(tt.tp, tt.mp, "")
			if err != nil {
				b.Fatal(err)
			}
			q := tel.Queue("Q", "kryo5", 0)
			now := time.Now()
			m := &handlers.Message{Code: "Q", Body: make([]byte, 65), DueTime: now, StartedAt: now.Add(time.Millisecond), Identity: handlers.Identify("1-2", "d")}
			ctx := b.Context()
			b.ReportAllocs()
			n, before := 0, cpuTime()
			for b.Loop() {
				_, p := q.startProcess(ctx, m, Origin{}, now)
				p.End(handlers.Outcome{})
				n++
			}
			// The processor's time, since wall time tells of the neighbours too.
			b.ReportMetric(float64(cpuTime()-before)/float64(n), "cpu-ns/op")
		})
	}
}

// cpuTime is the time of this process on processors so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
