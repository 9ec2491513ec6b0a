package telemetry

import (
	"errors"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/internal/sampling"
)

// Telemetry holds the tracer and the instruments of one engine.
// It is safe for concurrent use. Create it by New.
type Telemetry struct {
	provider trace.TracerProvider
	tracer   tracer
	sampler  sampling.Found // of the tracer
	meter    metric.Meter
	guard    *guard
	server   []attribute.KeyValue // server.address and server.port

	processDuration   metric.Float64Histogram
	operationDuration metric.Float64Histogram
	lateness          metric.Float64Histogram
	consumed, sent    metric.Int64Counter
	unknownDue, early metric.Int64Counter
	retried, dead     metric.Int64Counter
	released, reaped  metric.Int64Counter
	cancelled         metric.Int64Counter
	lost, zombies     metric.Int64Counter
	trimmed, untold   metric.Int64Counter
	doubtful          metric.Int64Counter

	mu     sync.Mutex
	queues map[queueKey]*Queue
	ready  map[*gauges]bool // by those who report it
}

type queueKey struct {
	code, codec string
	childWithin time.Duration
}

// New makes the instruments. Nil providers mean the global ones, which do
// nothing until an SDK is installed. server is the host and port that name the Redis, ""
// for none. An error means that the meter refused an instrument.
func New(tp trace.TracerProvider, mp metric.MeterProvider, server string) (t *Telemetry, err error) {
	defer asError(&err)
	if tp == nil {
		tp = otel.GetTracerProvider()
	}
	g := &guard{}
	t = &Telemetry{
		queues: map[queueKey]*Queue{}, ready: map[*gauges]bool{}, guard: g, server: serverOf(server),
		provider: tp, tracer: tracer{tp.Tracer(ScopeName, trace.WithSchemaURL(SchemaURL), trace.WithInstrumentationVersion(version())), g},
	}
	t.meter, err = g.newMeter(mp, ScopeName, metric.WithSchemaURL(SchemaURL), metric.WithInstrumentationVersion(version()))
	if err != nil {
		return nil, err
	}
	return t, t.instruments()
}

// Queue holds what is the same for all messages of one queue, computed once.
// It is safe for concurrent use.
type Queue struct {
	t           *Telemetry
	code        string
	childWithin time.Duration

	processName           string
	rootStart, childStart []trace.SpanStartOption
	processAttrs          []attribute.KeyValue
	codec                 attribute.KeyValue

	base    attribute.Set      // system and destination
	add     []metric.AddOption // base
	record  []metric.RecordOption
	process outcomes

	// Made when they are needed first: most processes with very many queues never do.
	send, cancel, reschedule atomic.Pointer[operation]

	consumed   tally
	unknownDue tally
}

// Queue prepares the telemetry of one queue. codec is its canonical name;
// childWithin the longest delay for which the process span is a child of the
// send span, 0 for never. The same arguments give the same Queue.
func (t *Telemetry) Queue(code, codec string, childWithin time.Duration) *Queue {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := queueKey{code, codec, childWithin}
	if t.queues[key] == nil {
		t.queues[key] = t.newQueue(code, codec, childWithin)
	}
	return t.queues[key]
}

func (t *Telemetry) newQueue(code, codec string, childWithin time.Duration) *Queue {
	q := &Queue{
		t: t, code: code, childWithin: childWithin,
		processName: OperationProcess + " " + code,
		codec:       AttrCodec.String(codec),
		base:        attribute.NewSet(t.named(code)...),
	}
	kind := trace.WithSpanKind(trace.SpanKindConsumer)
	processed := t.opSet(code, OperationProcess)
	q.processAttrs = append(processed.ToSlice(), AttrOperationType.String(OperationProcess))
	attrs := trace.WithAttributes(q.processAttrs...)
	q.childStart = []trace.SpanStartOption{kind, attrs}
	// Clipped, so that appending a link always copies.
	q.rootStart = []trace.SpanStartOption{kind, attrs, trace.WithNewRoot()}[:3:3]
	set := metric.WithAttributeSet(q.base)
	q.add, q.record = []metric.AddOption{set}, []metric.RecordOption{set}
	q.process.init(processed)
	q.consumed = tally{counter: t.consumed, opts: q.process.ok.add, epoch: time.Now()}
	q.unknownDue = tally{counter: t.unknownDue, opts: q.add, epoch: time.Now()}
	return q
}

// named are the attributes that all spans and metrics of a queue have.
func (t *Telemetry) named(code string) []attribute.KeyValue {
	return append([]attribute.KeyValue{AttrSystem.String(System), AttrDestination.String(code)}, t.server...)
}

// opSet are the attributes of an operation's metrics.
func (t *Telemetry) opSet(code, op string) attribute.Set {
	return attribute.NewSet(append(t.named(code), AttrOperationName.String(op))...)
}

// serverOf are the attributes of a host and a port.
func serverOf(address string) []attribute.KeyValue {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil
	}
	attrs := []attribute.KeyValue{AttrServerAddress.String(host)}
	if n, err := strconv.Atoi(port); err == nil {
		attrs = append(attrs, AttrServerPort.Int(n))
	}
	return attrs
}

// Code returns the queue code.
func (q *Queue) Code() string { return q.code }

// instruments makes all synchronous instruments.
func (t *Telemetry) instruments() error {
	var errs []error
	hist := func(name, desc string, bounds []float64) metric.Float64Histogram {
		h, err := t.meter.Float64Histogram(name, metric.WithUnit("s"),
			metric.WithDescription(desc), metric.WithExplicitBucketBoundaries(bounds...))
		errs = append(errs, err)
		return h
	}
	count := func(name, unit, desc string) metric.Int64Counter {
		c, err := t.meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(desc))
		errs = append(errs, err)
		return c
	}
	const message = "{message}"
	t.processDuration = hist(MetricProcessDuration, "Duration of processing operation.", durationBounds)
	t.operationDuration = hist(MetricOperationDuration,
		"Duration of messaging operation initiated by a producer or consumer client.", durationBounds)
	t.lateness = hist(MetricLateness, "Time from when a message was due until its handler started, by the clock of Redis.", latenessBounds)
	t.consumed = count(MetricConsumed, message, "Number of messages that were delivered to the application.")
	t.sent = count(MetricSent, message, "Number of messages producer attempted to send to the broker.")
	t.unknownDue = count(MetricUnknownDue, message, "Messages handed to the handler whose due time is not known: not in the lateness histogram.")
	t.early = count(MetricEarly, message, "Messages that came more than a second before they were due: the clock of a Java client is ahead.")
	t.retried = count(MetricRetried, message, "Failed attempts that will be tried again.")
	t.dead = count(MetricDead, message, "Messages moved to the dead store, by reason.")
	t.trimmed = count(MetricTrimmed, message, "Dead messages deleted because the dead store is bounded, by reason.")
	t.untold = count(MetricUntold, message, "Dead messages that nobody is told of: OnDead failed for them too often, or they were deleted before it worked.")
	t.released = count(MetricReleased, message, "Messages given back to the head of the queue without a charge.")
	t.cancelled = count(MetricCancelled, message, "Messages that ended as cancelled, by where they were.")
	t.reaped = count(MetricReaped, message, "Messages taken back from sessions whose lease was over.")
	t.lost = count(MetricLostLeases, "{lease}", "Leases this process lost while it held messages.")
	t.zombies = count(MetricZombies, message, "Messages whose handler was given up on: past its timeout and grace.")
	t.doubtful = count(MetricDoubtful, message, "Messages that may be handled twice: given back or retried although their handler had begun, by reason.")
	return errors.Join(errs...)
}
