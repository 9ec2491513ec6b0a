package telemetry

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// guard survives what samplers, span processors, exporters and instruments do: they are
// somebody's code, called in the midst of offering and handling. All that this package
// asks of them goes through one. What they do in goroutines of their own is out of reach.
type guard struct {
	told   [2]atomic.Bool // by whom
	report atomic.Pointer[func(who string, value any, stack []byte)]
}

// who panicked.
type who int

const (
	byTracer who = iota
	byMeter
)

var whoNames = [...]string{"tracer", "meter"}

// survive is deferred around each call. It tells of the first panic of each kind.
func (g *guard) survive(w who) {
	p := recover()
	if p == nil || g.told[w].Swap(true) {
		return
	}
	if report := g.report.Load(); report != nil {
		(*report)(whoNames[w], p, debug.Stack())
	}
}

// OnPanic sets who is told when the tracer or the meter panics first. That panic and
// all later ones are survived: what they were to record is lost, and nothing else.
func (t *Telemetry) OnPanic(report func(who string, value any, stack []byte)) {
	t.guard.report.Store(&report)
}

// tracer starts guarded spans. The context carries the tracer's own.
type tracer struct {
	next  trace.Tracer
	guard *guard
}

func (t tracer) Start(ctx context.Context, name string, opts ...trace.SpanStartOption) (context.Context, span) {
	with, started := t.start(ctx, name, opts)
	if started == nil {
		return ctx, span{noop.Span{}, t.guard}
	}
	return with, span{started, t.guard}
}

// start returns no span where the tracer panics.
func (t tracer) start(ctx context.Context, name string, opts []trace.SpanStartOption) (context.Context, trace.Span) {
	defer t.guard.survive(byTracer)
	return t.next.Start(ctx, name, opts...) //nolint:spancheck // whoever asked for it ends it
}

// span is a guarded span.
type span struct {
	next  trace.Span
	guard *guard
}

func (s span) IsRecording() bool {
	defer s.guard.survive(byTracer)
	return s.next.IsRecording()
}

func (s span) SpanContext() (sc trace.SpanContext) {
	defer s.guard.survive(byTracer)
	return s.next.SpanContext()
}

func (s span) SetAttributes(attrs ...attribute.KeyValue) {
	defer s.guard.survive(byTracer)
	s.next.SetAttributes(attrs...)
}

func (s span) AddEvent(name string, opts ...trace.EventOption) {
	defer s.guard.survive(byTracer)
	s.next.AddEvent(name, opts...)
}

func (s span) SetStatus(code codes.Code, text string) {
	defer s.guard.survive(byTracer)
	s.next.SetStatus(code, text)
}

func (s span) End(opts ...trace.SpanEndOption) {
	defer s.guard.survive(byTracer)
	s.next.End(opts...)
}

// NewMeter returns a meter whose instruments, and callbacks, survive what the provider does; it is
// where every meter of this module comes from. Nil is OpenTelemetry's global provider. report is
// told of the first panic, may be nil. The error is that of a provider that panics.
func NewMeter(p metric.MeterProvider, report func(who string, value any, stack []byte), scope string, opts ...metric.MeterOption) (metric.Meter, error) {
	g := &guard{}
	if report != nil {
		g.report.Store(&report)
	}
	return g.newMeter(p, scope, opts...)
}

func (g *guard) newMeter(p metric.MeterProvider, scope string, opts ...metric.MeterOption) (_ metric.Meter, err error) {
	defer asError(&err)
	if p == nil {
		p = otel.GetMeterProvider()
	}
	return meter{p.Meter(scope, opts...), g}, nil
}

// asError is deferred: it makes a panic of a provider an error.
func asError(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("telemetry: a provider panics: %v", p)
	}
}

// meter is a guarded meter. What it does not wrap is asked only in its callbacks.
type meter struct {
	metric.Meter
	guard *guard
}

func (m meter) Int64Counter(name string, opts ...metric.Int64CounterOption) (_ metric.Int64Counter, err error) {
	defer asError(&err)
	c, err := m.Meter.Int64Counter(name, opts...)
	return guardedCounter{c, m.guard}, err
}

func (m meter) Float64Histogram(name string, opts ...metric.Float64HistogramOption) (_ metric.Float64Histogram, err error) {
	defer asError(&err)
	h, err := m.Meter.Float64Histogram(name, opts...)
	return guardedHistogram{h, m.guard}, err
}

func (m meter) Int64ObservableGauge(name string, opts ...metric.Int64ObservableGaugeOption) (_ metric.Int64ObservableGauge, err error) {
	defer asError(&err)
	return m.Meter.Int64ObservableGauge(name, opts...)
}

func (m meter) Float64ObservableGauge(name string, opts ...metric.Float64ObservableGaugeOption) (_ metric.Float64ObservableGauge, err error) {
	defer asError(&err)
	return m.Meter.Float64ObservableGauge(name, opts...)
}

func (m meter) RegisterCallback(f metric.Callback, of ...metric.Observable) (_ metric.Registration, err error) {
	defer asError(&err)
	r, err := m.Meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		defer m.guard.survive(byMeter)
		return f(ctx, o)
	}, of...)
	if err != nil {
		return nil, err
	}
	return guardedRegistration{r, m.guard}, nil
}

type guardedRegistration struct {
	metric.Registration
	guard *guard
}

// Unregister ends the callback.
func (r guardedRegistration) Unregister() error {
	defer r.guard.survive(byMeter)
	return r.Registration.Unregister()
}

// guardedCounter is a guarded counter.
type guardedCounter struct {
	metric.Int64Counter
	guard *guard
}

// Add counts.
func (c guardedCounter) Add(ctx context.Context, n int64, opts ...metric.AddOption) {
	defer c.guard.survive(byMeter)
	c.Int64Counter.Add(ctx, n, opts...)
}

// guardedHistogram is a guarded histogram.
type guardedHistogram struct {
	metric.Float64Histogram
	guard *guard
}

// Record measures.
func (h guardedHistogram) Record(ctx context.Context, v float64, opts ...metric.RecordOption) {
	defer h.guard.survive(byMeter)
	h.Float64Histogram.Record(ctx, v, opts...)
}
