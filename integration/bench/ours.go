package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/tracing"
	"github.com/duequeue/duequeue/registry"
)

// The queues that are measured. All options have their defaults.
var (
	texts  = registry.Define[string]("bench-text", "texts of 200 bytes", registry.Codec(codecs.String()))
	orders = registry.Define[map[string]any]("bench-map", "maps of five keys", registry.Codec(kryo5.New()))
)

// text is the payload of one number: eight digits and padding.
func text(i int) []byte { return []byte(textValue(i)) }

func textValue(i int) string { return fmt.Sprintf("%08d", i) + padding }

var padding = strings.Repeat("x", payloadBytes-8)

// mapped is the payload of one number as Java's HashMap in Kryo 5.
func mapped(i int) []byte {
	payload, err := orders.Encode(map[string]any{
		"orderId": fmt.Sprintf("%08d", i), "remark": padding[:60], "amount": 12.5, "userId": int64(i), "attempts": int32(3),
	})
	if err != nil {
		panic(err) // these types can be carried
	}
	return payload
}

// side is our side as a service would set it up: tracing that samples a tenth,
// metrics that are collected, exporters that drop.
type side struct {
	client *framework.Client
	engine *framework.Engine
	tracer *sdktrace.TracerProvider
	meter  *sdkmetric.MeterProvider
}

func open(ctx context.Context, url string) (*side, error) {
	return openWith(ctx, url, metricsInterval, sampled)
}

// openUnsampled is open with a sampler that drops all spans.
func openUnsampled(ctx context.Context, url string) (*side, error) {
	return openWith(ctx, url, metricsInterval, 0)
}

const (
	metricsInterval = 10 * time.Second // how often metrics are collected
	sampled         = 0.1              // of all traces
)

// openWith is open with another interval of metrics and another share of traces.
func openWith(ctx context.Context, url string, interval time.Duration, traced float64) (*side, error) {
	s := &side{
		tracer: sdktrace.NewTracerProvider(
			sdktrace.WithSampler(tracing.LinkAware(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(traced)))),
			sdktrace.WithBatcher(dropSpans{})),
		meter: sdkmetric.NewMeterProvider(sdkmetric.WithReader(
			sdkmetric.NewPeriodicReader(dropMetrics{}, sdkmetric.WithInterval(interval)))),
	}
	return s, s.connect(ctx, url, framework.WithTracerProvider(s.tracer), framework.WithMeterProvider(s.meter))
}

// openSilent is open without traces and metrics: what they cost is the difference.
func openSilent(ctx context.Context, url string) (*side, error) {
	s := &side{}
	return s, s.connect(ctx, url)
}

func (s *side) connect(ctx context.Context, url string, opts ...framework.ClientOption) (err error) {
	s.client, err = framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: url}},
		append(opts, framework.WithLogger(slog.New(slog.DiscardHandler)))...)
	if err != nil {
		return errors.Join(err, s.close(ctx))
	}
	return nil
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
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
