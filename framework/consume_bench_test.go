package framework_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/frameworktest/redisserver"
	"github.com/duequeue/duequeue/framework/tracing"
	"github.com/duequeue/duequeue/handlers"
)

// BenchmarkConsume handles a ready list of 200-byte strings with a handler that
// does nothing, metrics on and a tenth of the messages traced. One op is one
// message. Compare it with BenchmarkTake of internal/lease, and with peers by
// make bench.
func BenchmarkConsume(b *testing.B) {
	for _, n := range []int{1, 16, 128} {
		b.Run(fmt.Sprintf("prefetch=%d", n), func(b *testing.B) { benchConsume(b, n) })
	}
}

func benchConsume(b *testing.B, workers int) {
	srv := redisserver.Start(b)
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSampler(tracing.LinkAware(sdktrace.TraceIDRatioBased(0.1))))
	meter := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	client, err := framework.Open(b.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}},
		framework.WithTracerProvider(tracer), framework.WithMeterProvider(meter), framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	q := stringQueue("bench")
	body := strings.Repeat("x", 200)
	rdb := srv.Client()
	for left := b.N; left > 0; left -= 1000 {
		batch := make([]any, min(left, 1000))
		for i := range batch {
			batch[i] = body
		}
		if err := rdb.RPush(b.Context(), "bench", batch...).Err(); err != nil {
			b.Fatal(err)
		}
	}
	var handled atomic.Int64
	done := make(chan struct{})
	e, err := framework.New(client, []framework.Consumer{framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		if handled.Add(1) == int64(b.N) {
			close(done)
		}
		return nil
	}), framework.Workers(workers))})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	if err := e.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	<-done
	b.StopTimer()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		b.Fatal(err)
	}
}
