package framework_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// badProcessor is a SpanProcessor that panics where it is told to.
type badProcessor struct{ start, end bool }

func (p badProcessor) OnStart(context.Context, sdktrace.ReadWriteSpan) {
	if p.start {
		panic("OnStart")
	}
}

func (p badProcessor) OnEnd(sdktrace.ReadOnlySpan) {
	if p.end {
		panic("OnEnd")
	}
}
func (badProcessor) Shutdown(context.Context) error   { return nil }
func (badProcessor) ForceFlush(context.Context) error { return nil }

// badSampler panics.
type badSampler struct{}

func (badSampler) ShouldSample(sdktrace.SamplingParameters) sdktrace.SamplingResult {
	panic("ShouldSample")
}
func (badSampler) Description() string { return "bad" }

// badMeter gives instruments that panic, and calls callbacks with an observer that does.
type badMeter struct {
	noop.Meter
	mu        *sync.Mutex
	callbacks *[]metric.Callback
}

type badProvider struct {
	noop.MeterProvider
	meter badMeter
}

func (p badProvider) Meter(string, ...metric.MeterOption) metric.Meter { return p.meter }

func (m badMeter) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return badInstrument{}, nil
}

func (m badMeter) Float64Histogram(string, ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return badHistogram{}, nil
}

func (m badMeter) RegisterCallback(f metric.Callback, _ ...metric.Observable) (metric.Registration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*m.callbacks = append(*m.callbacks, f)
	return noop.Registration{}, nil
}

type badInstrument struct{ noop.Int64Counter }

func (badInstrument) Add(context.Context, int64, ...metric.AddOption) { panic("Add") }

type badHistogram struct{ noop.Float64Histogram }

func (badHistogram) Record(context.Context, float64, ...metric.RecordOption) { panic("Record") }

type badObserver struct{ noop.Observer }

func (badObserver) ObserveInt64(metric.Int64Observable, int64, ...metric.ObserveOption) {
	panic("ObserveInt64")
}

// badLog is a slog.Handler of which one method panics.
type badLog struct{ method string }

func (h badLog) fail(method string) {
	if h.method == method {
		panic("slog " + method)
	}
}
func (h badLog) Enabled(context.Context, slog.Level) bool  { h.fail("Enabled"); return true }
func (h badLog) Handle(context.Context, slog.Record) error { h.fail("Handle"); return nil }
func (h badLog) WithAttrs([]slog.Attr) slog.Handler        { h.fail("WithAttrs"); return h }
func (h badLog) WithGroup(string) slog.Handler             { h.fail("WithGroup"); return h }

// calls counts what handlers got.
type calls struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *calls) add(body string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[body]++
	return c.counts[body]
}

func (c *calls) of(body string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[body]
}

// Whatever tracer, meter and logger do, each message is offered, taken, handled, settled
// and given back as ever.
func TestTelemetryAndLogsThatPanicChangeNothing(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	meter := badMeter{mu: &sync.Mutex{}, callbacks: &[]metric.Callback{}}
	tracer := func(opts ...sdktrace.TracerProviderOption) framework.ClientOption {
		return framework.WithTracerProvider(sdktrace.NewTracerProvider(opts...))
	}
	for name, opt := range map[string]framework.ClientOption{
		"OnStart":      tracer(sdktrace.WithSpanProcessor(badProcessor{start: true})),
		"OnEnd":        tracer(sdktrace.WithSpanProcessor(badProcessor{end: true})),
		"Sampler":      tracer(sdktrace.WithSampler(badSampler{})),
		"Meter":        framework.WithMeterProvider(badProvider{meter: meter}),
		"logEnabled":   framework.WithLogger(slog.New(badLog{"Enabled"})),
		"logHandle":    framework.WithLogger(slog.New(badLog{"Handle"})),
		"logWithAttrs": framework.WithLogger(slog.New(badLog{"WithAttrs"})),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := &everything{}
			opts := []framework.ClientOption{framework.WithLogger(said.logger()), opt}
			client, err := framework.Open(t.Context(), framework.Config{
				Redis: framework.RedisConfig{URL: srv.URL()}, ShutdownShare: 0.02, // of a minute
			}, opts...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Close() })
			b := &bundle{server: srv, redis: srv.Client(), client: client}
			for _, batches := range []bool{false, true} {
				survivePanics(t, b, fmt.Sprintf("%s-%v", name, batches), batches)
			}
			if text, _ := said.all(); !strings.HasPrefix(name, "log") && strings.Count(text, "telemetry panics") != 3 { // one line of each of three handlers
				t.Errorf("it was told %d times", strings.Count(text, "telemetry panics"))
			}
		})
	}
	t.Cleanup(func() {
		for _, f := range *meter.callbacks {
			_ = f(context.WithoutCancel(t.Context()), badObserver{}) // must not panic, also when the engine has ended
		}
	})
}

func survivePanics(t *testing.T, b *bundle, code string, batches bool) {
	t.Helper()
	q := stringQueue(code, registry.MaxAttempts(3))
	got, running := &calls{}, make(chan string, 9)
	handle := func(ctx context.Context, d *handlers.Delivery[string]) error {
		switch n := got.add(d.Payload); {
		case d.Payload == "fails once" && n == 1:
			return errors.New("once")
		case d.Payload == "rejected":
			return handlers.Reject("no")
		case d.Payload == "panics once" && n == 1:
			panic("handler")
		case d.Payload == "interrupted":
			running <- d.Payload
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}
	c := framework.Consume(q, handlers.Func[string](handle))
	if batches {
		c = framework.ConsumeBatch(q, handlers.BatchFunc[string](func(ctx context.Context, ds []*handlers.Delivery[string]) error {
			errs := make([]error, len(ds))
			for i, d := range ds {
				func() {
					defer func() {
						if p := recover(); p != nil {
							errs[i] = fmt.Errorf("%v", p)
						}
					}()
					errs[i] = handle(ctx, d)
				}()
			}
			return handlers.PerItem(errs)
		}))
	}
	e := b.start(t, c)
	b.offer(t, q, "good", "fails once", "rejected", "panics once")
	lab.WaitFor(t, code+": all are settled", func() bool {
		return b.redis.XLen(t.Context(), "duequeue:dead:{"+code+"}").Val() == 1 &&
			got.of("good") == 1 && got.of("fails once") == 2 && got.of("panics once") == 2 && e.Health().Queues[0].Running == 0
	})
	b.offer(t, q, "interrupted")
	await(t, running, "handler")
	e.Health()
	if err := stopWithin(t, e, time.Minute); err != nil {
		t.Errorf("stop: %v", err)
	}
	if left := b.list(t, code); len(left) != 1 || left[0] != "interrupted" {
		t.Errorf("left %q", left)
	}
	if got.of("good") != 1 || got.of("rejected") != 1 || got.of("fails once") != 2 || got.of("interrupted") != 1 {
		t.Errorf("calls %v", got.counts)
	}
}
