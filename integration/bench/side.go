package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/tracing"
	"github.com/duequeue/duequeue/registry"
)

// payloadBytes is the size of the string payloads, and about that of the maps.
const payloadBytes = 200

// text is the payload of one number: eight digits and padding.
func text(i int) string { return fmt.Sprintf("%08d", i) + padding }

var padding = strings.Repeat("x", payloadBytes-8)

// textsIn declares a queue of strings.
func textsIn(name string, view registry.ViewMode) *registry.Queue[string] {
	return registry.Define[string](name, "texts of 200 bytes", registry.Codec(codecs.String()), registry.View(view))
}

// views are those that the parts measure.
var views = []registry.ViewMode{registry.ViewExact, registry.ViewLazy, registry.ViewOff}

// viewName is how a view is called in tables.
func viewName(v registry.ViewMode) string { return ours + ", view " + v.String() }

// side is our side as a service would set it up: tracing that samples a tenth, metrics that are
// collected, exporters that drop.
type side struct {
	client *framework.Client
	engine *framework.Engine
	tracer *sdktrace.TracerProvider
	meter  *sdkmetric.MeterProvider
}

// Shares of traces that are sampled; silent means neither traces nor metrics.
const (
	tenth  = 0.1
	none   = 0.0
	silent = -1.0
)

func open(ctx context.Context, url string, traced float64) (*side, error) {
	s := &side{}
	opts := []framework.ClientOption{framework.WithLogger(slog.New(slog.DiscardHandler))}
	if traced != silent {
		s.tracer = sdktrace.NewTracerProvider(
			sdktrace.WithSampler(tracing.LinkAware(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(traced)))),
			sdktrace.WithBatcher(dropSpans{}))
		s.meter = sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(dropMetrics{}))) // each minute
		opts = append(opts, framework.WithTracerProvider(s.tracer), framework.WithMeterProvider(s.meter))
	}
	var err error
	s.client, err = framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: url}}, opts...)
	if err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// run starts an engine.
func (s *side) run(ctx context.Context, consumers ...framework.Consumer) error {
	engine, err := framework.New(s.client, consumers)
	if err != nil {
		return err
	}
	if err = engine.Start(ctx); err == nil {
		s.engine = engine
	}
	return err
}

func (s *side) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	var errs []error
	if s.engine != nil {
		errs = append(errs, s.engine.Stop(ctx))
	}
	if s.tracer != nil {
		errs = append(errs, s.tracer.Shutdown(ctx), s.meter.Shutdown(ctx))
	}
	if s.client != nil {
		errs = append(errs, s.client.Close())
	}
	return errors.Join(errs...)
}

type dropSpans struct{}

func (dropSpans) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (dropSpans) Shutdown(context.Context) error                             { return nil }

type dropMetrics struct{}

func (dropMetrics) Temporality(k sdkmetric.InstrumentKind) metricdata.Temporality {
	return sdkmetric.DefaultTemporalitySelector(k)
}

func (dropMetrics) Aggregation(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(k)
}
func (dropMetrics) Export(context.Context, *metricdata.ResourceMetrics) error { return nil }
func (dropMetrics) ForceFlush(context.Context) error                          { return nil }
func (dropMetrics) Shutdown(context.Context) error                            { return nil }

// keysOf are the names of Redisson's structures of a queue.
func keysOf(queue string) (timeout, pending, channel string) {
	return "redisson_delay_queue_timeout:{" + queue + "}", "redisson_delay_queue:{" + queue + "}",
		"redisson_delay_queue_channel:{" + queue + "}"
}

// elements are n pending messages with random ids, as the newest Redisson writes them: one byte of
// length, the id, eight bytes of length, the payload. Each call returns the same ones.
func elements(n int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]string, n)
	for i := range all {
		head := binary.LittleEndian.AppendUint64([]byte{8}, random.Uint64())
		head = binary.LittleEndian.AppendUint64(head, payloadBytes)
		all[i] = string(head) + text(i)
	}
	return all
}

// fill makes a text pending for each due time, in ms, and announces the first one. The list has them
// in the order of their numbers, or in no order.
func (b *bench) fill(rdb *redis.Client, queue string, dues []int64, shuffled bool) error {
	const chunk, chunks = 1000, 10
	timeout, pending, channel := keysOf(queue)
	all, order := elements(len(dues)), rand.New(rand.NewPCG(5, 6)).Perm(len(dues))
	if !shuffled {
		slices.Sort(order)
	}
	for from := 0; from < len(all); from += chunk * chunks {
		if _, err := rdb.Pipelined(b.ctx, func(p redis.Pipeliner) error {
			for part := range slices.Chunk(order[from:min(from+chunk*chunks, len(all))], chunk) {
				var scored []redis.Z
				var listed []any
				for _, i := range part {
					scored = append(scored, redis.Z{Score: float64(dues[i]), Member: all[i]})
					listed = append(listed, all[i])
				}
				p.ZAdd(b.ctx, timeout, scored...)
				p.RPush(b.ctx, pending, listed...)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return rdb.Publish(b.ctx, channel, slices.Min(dues)).Err()
}
