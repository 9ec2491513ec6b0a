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
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/tracing"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// BenchmarkConsume handles a ready list of 200-byte strings with a handler that
// does nothing, metrics on and a tenth of the messages traced. One op is one
// message. Compare it with BenchmarkTake of internal/queue/lease, and with peers by
// make bench.
func BenchmarkConsume(b *testing.B) {
	for _, n := range []int{1, 16, 128} {
		b.Run(fmt.Sprintf("prefetch=%d", n), func(b *testing.B) {
			benchConsume(b, func(q *registry.Queue[string], did func(n int)) framework.Consumer {
				return framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
					did(1)
					return nil
				}), framework.Workers(n))
			})
		})
	}
}

// BenchmarkConsumeBatch is BenchmarkConsume with a batch handler of two workers.
func BenchmarkConsumeBatch(b *testing.B) {
	for _, n := range []int{16, 128} {
		b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
			benchConsume(b, func(q *registry.Queue[string], did func(n int)) framework.Consumer {
				return framework.ConsumeBatch(q, handlers.BatchFunc[string](func(_ context.Context, ds []*handlers.Delivery[string]) error {
					did(len(ds))
					return nil
				}), framework.Workers(2), framework.BatchSize(n))
			})
		})
	}
}

// BenchmarkConsumeJournal is BenchmarkConsume at 128 without and with a journal: its cost is the
// difference.
func BenchmarkConsumeJournal(b *testing.B) {
	for _, journal := range []string{"off", "on"} {
		var opts []registry.Option
		if journal == "on" {
			opts = append(opts, registry.Journal(time.Hour))
		}
		b.Run("journal="+journal, func(b *testing.B) {
			benchConsume(b, func(q *registry.Queue[string], did func(n int)) framework.Consumer {
				return framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
					did(1)
					return nil
				}), framework.Workers(128))
			}, opts...)
		})
	}
}

func benchConsume(b *testing.B, consumer func(q *registry.Queue[string], did func(n int)) framework.Consumer, opts ...registry.Option) {
	srv := lab.StartRedis(b)
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSampler(tracing.LinkAware(sdktrace.TraceIDRatioBased(0.1))))
	meter := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	client, err := framework.Open(b.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}},
		framework.WithTracerProvider(tracer), framework.WithMeterProvider(meter), framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	q := stringQueue("bench", opts...)
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
	e, err := framework.New(client, []framework.Consumer{consumer(q, func(n int) {
		if handled.Add(int64(n)) == int64(b.N) {
			close(done)
		}
	})})
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
