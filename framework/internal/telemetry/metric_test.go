package telemetry

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/semconv/v1.43.0/messagingconv"

	"github.com/duequeue/duequeue/handlers"
)

const (
	base    = "messaging.destination.name=Q,messaging.system=redisson"
	process = "messaging.destination.name=Q,messaging.operation.name=process,messaging.system=redisson"
)

func TestNamesAreThoseOfTheConventions(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.NeverSample())
	q := k.Queue("Q", "kryo5", 0)
	_, s := q.StartSend(t.Context(), 0)
	s.End(nil)
	_, p := q.startProcess(t.Context(), message(), Origin{}, time.Time{})
	p.End(handlers.Outcome{})
	got := k.metrics(t)
	for _, want := range []interface {
		Name() string
		Unit() string
		Description() string
	}{
		messagingconv.ProcessDuration{},
		messagingconv.ClientOperationDuration{},
		messagingconv.ClientConsumedMessages{},
		messagingconv.ClientSentMessages{},
	} {
		m, ok := got[want.Name()]
		if !ok || m.Unit != want.Unit() || m.Description != want.Description() {
			t.Errorf("%s: there %v, unit %q, description %q", want.Name(), ok, m.Unit, m.Description)
		}
	}
}

func TestProcessMetrics(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.AlwaysSample())
	q := k.Queue("Q", "kryo5", 0)
	unknown := message()
	unknown.DueTime = time.Time{}
	for range 100 {
		_, p := q.startProcess(t.Context(), message(), Origin{}, time.Time{})
		p.End(handlers.Outcome{})
	}
	for range 3 {
		_, p := q.startProcess(t.Context(), unknown, Origin{}, time.Time{})
		p.Retry(time.Second, false)
		p.End(handlers.Outcome{Kind: handlers.Retried, Err: typed("timeout")})
	}
	got := k.metrics(t)
	late := histogram(t, got[MetricLateness])
	if len(late) != 1 || late[0].Count != 100 || late[0].Attributes.Len() != 2 || !slices.Equal(late[0].Bounds, latenessBounds) {
		t.Fatalf("lateness %+v", late)
	}
	if late[0].Sum < .499 || late[0].Sum > .501 {
		t.Errorf("100 times 5 ms make %v s", late[0].Sum)
	}
	if len(late[0].Exemplars) == 0 {
		t.Error("lateness has no exemplar")
	}
	durations := histogram(t, got[MetricProcessDuration])
	counts := map[string]uint64{}
	for _, d := range durations {
		errType, _ := d.Attributes.Value(AttrErrorType)
		counts[errType.AsString()] = d.Count
		if !slices.Equal(d.Bounds, durationBounds) {
			t.Errorf("bounds %v", d.Bounds)
		}
		if len(d.Exemplars) == 0 || len(d.Exemplars[0].TraceID) != 16 {
			t.Error("duration has no exemplar")
		}
	}
	if len(counts) != 2 || counts[""] != 100 || counts["timeout"] != 3 {
		t.Errorf("durations %v", counts)
	}
	for name, want := range map[string]struct {
		attrs string
		n     int64
	}{
		MetricConsumed:   {process, 103},
		MetricUnknownDue: {base, 3},
		MetricRetried:    {base, 3},
	} {
		t.Run(name, func(t *testing.T) {
			if m := sums(t, got[name]); len(m) != 1 || m[want.attrs] != want.n {
				t.Errorf("%v, want %d of %s alone", m, want.n, want.attrs)
			}
		})
	}
}

func TestEarlyMessagesAreInTheHistogram(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.NeverSample())
	m := message()
	m.StartedAt = m.DueTime.Add(-20 * time.Millisecond)
	_, p := k.Queue("Q", "kryo5", 0).startProcess(t.Context(), m, Origin{}, time.Time{})
	p.End(handlers.Outcome{})
	if late := histogram(t, k.metrics(t)[MetricLateness]); late[0].BucketCounts[0] != 1 {
		t.Errorf("%+v", late[0].BucketCounts)
	}
}

func TestCounters(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.NeverSample())
	q := k.Queue("Q", "kryo5", 0)
	ctx := t.Context()
	q.Dead(ctx, "malformed", 2)
	q.Dead(ctx, "exhausted", 1)
	q.Dead(ctx, "exhausted", 1)
	q.Dead(ctx, "never", 0)
	q.Released(ctx, 3)
	q.Reaped(ctx, 4)
	q.Reaped(ctx, 0)
	q.LostLease(ctx)
	q.Zombies(ctx, 5)
	q.Doubtful(ctx, "draining", 2)
	q.Doubtful(ctx, "hung", 0)
	got := k.metrics(t)
	for name, want := range map[string]map[string]int64{
		MetricDead: {
			"messaging.destination.name=Q,messaging.redisson.reason=malformed,messaging.system=redisson": 2,
			"messaging.destination.name=Q,messaging.redisson.reason=exhausted,messaging.system=redisson": 2,
		},
		MetricReleased:   {base: 3},
		MetricReaped:     {base: 4},
		MetricLostLeases: {base: 1},
		MetricZombies:    {base: 5},
		MetricDoubtful: {
			"messaging.destination.name=Q,messaging.redisson.reason=draining,messaging.system=redisson": 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if m := sums(t, got[name]); fmt.Sprint(m) != fmt.Sprint(want) {
				t.Errorf("%v, want %v", m, want)
			}
		})
	}
}

func TestGauges(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.NeverSample())
	a, b := k.Queue("A", "kryo5", 0), k.Queue("B", "kryo5", 0)
	stop, err := k.Observe(func(_ context.Context, report *Report) {
		report.Queue(a, Gauges{Ready: 1, Delayed: 2, Overdue: 5, Lag: 90 * time.Second, ViewBehind: 7 * time.Second, InFlight: 3, Zombies: 6, Dead: 4, Breaker: 2, Because: "undecodable", ClockSkew: -1500 * time.Millisecond, KnownSkew: true})
		report.Queue(b, Gauges{Ready: Unknown, Delayed: 7, Overdue: Unknown, Lag: -1, ViewBehind: -1, InFlight: Unknown, Zombies: Unknown, Dead: Unknown, Breaker: 0})
		report.Ready(true)
		report.Finding(b, "unserved", "ready", 2)
		report.Finding(nil, "", "memory", 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	got := k.metrics(t)
	inA, inB := "messaging.destination.name=A,messaging.system=redisson", "messaging.destination.name=B,messaging.system=redisson"
	for name, want := range map[string]map[string]int64{
		MetricReadyNow:     {inA: 1},
		MetricDelayedNow:   {inA: 2, inB: 7},
		MetricOverdueNow:   {inA: 5},
		MetricInFlightNow:  {inA: 3},
		MetricZombiesNow:   {inA: 6},
		MetricDeadNow:      {inA: 4},
		MetricBreakerState: {"messaging.destination.name=A,messaging.redisson.reason=undecodable,messaging.system=redisson": 2, inB: 0},
		MetricReady:        {"messaging.system=redisson": 1},
		MetricFinding: {
			"messaging.destination.name=B,messaging.redisson.reason=ready,messaging.redisson.state=unserved,messaging.system=redisson": 2,
			"messaging.redisson.reason=memory,messaging.system=redisson":                                                               1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if m := sums(t, got[name]); fmt.Sprint(m) != fmt.Sprint(want) {
				t.Errorf("%v, want %v", m, want)
			}
		})
	}
	for _, name := range []string{MetricClockSkew, MetricViewBehind, MetricLag} {
		if _, ok := got[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if m, ok := k.metrics(t)[MetricDelayedNow]; ok && len(sums(t, m)) > 0 {
		t.Error("gauges are reported after stop")
	}
}

// A process is ready if all its engines are.
func TestReadinessOfSeveral(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.NeverSample())
	states := []string{"ready", "ready"}
	var stops []func() error
	for i := range states {
		stop, err := k.Observe(func(_ context.Context, report *Report) {
			if states[i] != "stops" {
				report.Ready(states[i] == "ready")
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		stops = append(stops, stop)
	}
	want := func(ready int64) {
		t.Helper()
		if m := sums(t, k.metrics(t)[MetricReady]); len(m) != 1 || m["messaging.system=redisson"] != ready {
			t.Errorf("%q: %v, want %d", states, m, ready)
		}
	}
	want(1)
	for i := range states {
		states[i] = "unready"
		want(0)
		states[i] = "stops"
		k.metrics(t) // may still have what it said last
		want(1)
		states[i] = "ready"
	}
	states[0] = "unready"
	want(0)
	if err := stops[0](); err != nil {
		t.Fatal(err)
	}
	want(1)
}

func TestErrorTypesAreBounded(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.NeverSample())
	q := k.Queue("Q", "kryo5", 0)
	for i := range 1000 {
		_, p := q.startProcess(t.Context(), message(), Origin{}, time.Time{})
		p.End(handlers.Outcome{Kind: handlers.Retried, Err: typed(fmt.Sprint("type ", i))})
	}
	points := histogram(t, k.metrics(t)[MetricProcessDuration])
	if len(points) > maxErrorTypes+1 {
		t.Errorf("%d series", len(points))
	}
	other := uint64(0)
	for _, p := range points {
		if v, _ := p.Attributes.Value(AttrErrorType); v.AsString() == otherError {
			other = p.Count
		}
	}
	if other != 1000-maxErrorTypes {
		t.Errorf("%d others", other)
	}
}

// Cancellations begin at 0, each kind where it can happen.
func TestCancellationsAreCounted(t *testing.T) {
	t.Parallel()
	k := newKit(t, sdktrace.NeverSample())
	q := k.Queue("Q", "kryo5", 0)
	ctx := t.Context()
	where := func(s string) string {
		return "messaging.destination.name=Q,messaging.redisson.reason=" + s + ",messaging.system=redisson"
	}
	q.Begin(ctx, false)
	q.BeginOffers(ctx)
	if m := sums(t, k.metrics(t)[MetricCancelled]); fmt.Sprint(m) != fmt.Sprint(map[string]int64{where("pending"): 0, where("in_flight"): 0}) {
		t.Errorf("at the start: %v", m)
	}
	q.Cancelled(ctx, CancelledPending, 1)
	q.Cancelled(ctx, CancelledInFlight, 2)
	q.Cancelled(ctx, CancelledInFlight, 0)
	if m := sums(t, k.metrics(t)[MetricCancelled]); fmt.Sprint(m) != fmt.Sprint(map[string]int64{where("pending"): 1, where("in_flight"): 2}) {
		t.Errorf("%v", m)
	}
}

// Everything says which Redis it is about, where that has an address.
func TestServerAddress(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		"redis.shop:6379":     ",server.address=redis.shop,server.port=6379",
		"[::1]:7000":          ",server.address=::1,server.port=7000",
		"shop.internal:named": ",server.address=shop.internal",
		"":                    "",
	} {
		spans, reader := tracetest.NewSpanRecorder(), sdkmetric.NewManualReader()
		tel, err := New(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)), sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)), server)
		if err != nil {
			t.Fatal(err)
		}
		q := tel.Queue("Q", "kryo5", 0)
		_, s := q.StartSend(t.Context(), 0)
		s.End(nil)
		_, c := q.StartCancel(t.Context())
		c.End("", time.Time{}, nil)
		q.Begin(t.Context(), true)
		for _, span := range spans.Ended() {
			set := attribute.NewSet(span.Attributes()...)
			if got := set.Encoded(attribute.DefaultEncoder()); !strings.HasSuffix(got, want) {
				t.Errorf("%q: span %s has %s", server, span.Name(), got)
			}
		}
		var all metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &all); err != nil {
			t.Fatal(err)
		}
		for _, m := range all.ScopeMetrics[0].Metrics {
			sum, ok := m.Data.(metricdata.Sum[int64])
			if !ok {
				continue
			}
			for _, p := range sum.DataPoints {
				if got := p.Attributes.Encoded(attribute.DefaultEncoder()); !strings.HasSuffix(got, want) {
					t.Errorf("%q: %s has %s", server, m.Name, got)
				}
			}
		}
	}
}
