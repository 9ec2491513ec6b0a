package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

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
var views = []registry.ViewMode{registry.ViewExact, registry.ViewOff}

// viewName is how a view is called in tables.
func viewName(v registry.ViewMode) string {
	return ours + ", view " + strings.ToLower(strings.TrimPrefix(v.String(), "View"))
}

// side is our side as a service would set it up: tracing that samples a tenth, and metrics,
// which go nowhere.
type side struct {
	client *framework.Client
	engine *framework.Engine
	tracer *sdktrace.TracerProvider
	meter  *sdkmetric.MeterProvider
}

func open(ctx context.Context, url string) (s *side, err error) {
	s = &side{
		tracer: sdktrace.NewTracerProvider(
			sdktrace.WithSampler(tracing.LinkAware(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(0.1)))),
			sdktrace.WithBatcher(tracetest.NewNoopExporter())),
		meter: sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader())),
	}
	s.client, err = framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: url}},
		framework.WithTracerProvider(s.tracer), framework.WithMeterProvider(s.meter), framework.WithLogger(slog.New(slog.DiscardHandler)))
	return s, err
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
	return errors.Join(append(errs, s.tracer.Shutdown(ctx), s.meter.Shutdown(ctx), s.client.Close())...)
}

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

// push puts n payloads on a list.
func (b *bench) push(rdb *redis.Client, key string, n int, payload func(i int) string) error {
	return b.inChunks(rdb, 0, n, func(p redis.Pipeliner, from, to int) {
		values := make([]any, to-from)
		for i := range values {
			values[i] = payload(from + i)
		}
		p.RPush(b.ctx, key, values...)
	})
}

// pend makes texts pending, in the order of their places; those from a number on are due by due.
func (b *bench) pend(rdb *redis.Client, queue string, texts []string, place []int, from int, due func(i int) int64) error {
	_, pending, _ := keysOf(queue)
	if err := b.push(rdb, pending, len(texts), func(i int) string { return texts[place[i]] }); err != nil {
		return err
	}
	return b.schedule(rdb, queue, texts, from, len(texts), due)
}

// schedule says in which ms the elements from first to last-1 are due.
func (b *bench) schedule(rdb *redis.Client, queue string, all []string, first, last int, due func(i int) int64) error {
	timeout, _, _ := keysOf(queue)
	return b.inChunks(rdb, first, last, func(p redis.Pipeliner, from, to int) {
		scored := make([]redis.Z, to-from)
		for i := range scored {
			scored[i] = redis.Z{Score: float64(due(from + i)), Member: all[from+i]}
		}
		p.ZAdd(b.ctx, timeout, scored...)
	})
}

// inChunks sends commands for a thousand each, ten at a time.
func (b *bench) inChunks(rdb *redis.Client, first, last int, add func(p redis.Pipeliner, from, to int)) error {
	const chunk, chunks = 1000, 10
	pipe := rdb.Pipeline()
	for from := first; from < last; from += chunk {
		add(pipe, from, min(from+chunk, last))
		if pipe.Len() == chunks || from+chunk >= last {
			if _, err := pipe.Exec(b.ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
