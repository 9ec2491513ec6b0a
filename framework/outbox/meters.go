package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/duequeue/duequeue/framework/internal/telemetry"
)

// The metrics of relays. The gauges describe the table, and are the same from every process.
const (
	metricRelayed = "messaging.redisson.outbox.relayed.messages"
	metricAside   = "messaging.redisson.outbox.set_aside.messages"
	metricWait    = "messaging.redisson.outbox.wait"
	metricBacklog = "messaging.redisson.outbox.backlog"
	metricAsides  = "messaging.redisson.outbox.aside"
	metricOldest  = "messaging.redisson.outbox.oldest"
	metricWritten = "messaging.redisson.outbox.written.messages" // of those who write rows
)

// writes counts rows that are written, by the global provider: who writes them has no relay.
var writes = sync.OnceValue(func() metric.Int64Counter {
	m, err := telemetry.NewMeter(nil, nil, scope)
	if err != nil {
		return noop.Int64Counter{}
	}
	c, err := m.Int64Counter(metricWritten, metric.WithUnit("{message}"), metric.WithDescription("rows that this process wrote into an outbox"))
	if err != nil {
		return noop.Int64Counter{}
	}
	return c
})

const scope = "github.com/duequeue/duequeue/framework/outbox"

// waitBounds are in seconds: from "was notified" to "Redis was gone for a day".
var waitBounds = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60, 600, 3600, 86400}

// meters are the instruments of a relay.
type meters struct {
	meter           metric.Meter
	relayed, aside  metric.Int64Counter
	wait            metric.Float64Histogram
	backlog, asides metric.Int64ObservableGauge
	oldest          metric.Float64ObservableGauge
}

func newMeters(p metric.MeterProvider, log *slog.Logger) (m *meters, err error) {
	m = &meters{}
	m.meter, err = telemetry.NewMeter(p, func(who string, value any, stack []byte) {
		log.Error("telemetry panics: some of its data is lost, now and at each later panic; messages are not affected",
			"who", who, "panic", value, "stack", string(stack))
	}, scope)
	if err != nil {
		return nil, err
	}
	made := func(failed error) {
		if failed != nil && err == nil {
			err = fmt.Errorf("a metric cannot be made: %w", failed)
		}
	}
	var failed error
	m.relayed, failed = m.meter.Int64Counter(metricRelayed, metric.WithUnit("{message}"), metric.WithDescription("rows of the outbox that this process sent to Redis"))
	made(failed)
	m.aside, failed = m.meter.Int64Counter(metricAside, metric.WithUnit("{message}"), metric.WithDescription("rows of the outbox that were set aside"))
	made(failed)
	m.wait, failed = m.meter.Float64Histogram(metricWait, metric.WithUnit("s"), metric.WithDescription("from the write of a row until it is in Redis"), metric.WithExplicitBucketBoundaries(waitBounds...))
	made(failed)
	m.backlog, failed = m.meter.Int64ObservableGauge(metricBacklog, metric.WithUnit("{message}"), metric.WithDescription("rows of the outbox that wait to be sent"))
	made(failed)
	m.asides, failed = m.meter.Int64ObservableGauge(metricAsides, metric.WithUnit("{message}"), metric.WithDescription("rows of the outbox that were set aside and are there still"))
	made(failed)
	m.oldest, failed = m.meter.Float64ObservableGauge(metricOldest, metric.WithUnit("s"), metric.WithDescription("for how long the oldest row of the outbox waits"))
	made(failed)
	return m, err
}

func ofQueue(code string) metric.MeasurementOption {
	return metric.WithAttributes(attribute.String("messaging.system", "redisson"), attribute.String("messaging.destination.name", code))
}

// count counts the rows of a round that was committed.
func (m *meters) count(ctx context.Context, results []result, now int64) {
	for _, s := range results {
		switch {
		case s.aside:
			m.aside.Add(ctx, 1, ofQueue(s.queue))
		case s.err == nil:
			m.relayed.Add(ctx, 1, ofQueue(s.queue))
			m.wait.Record(ctx, float64(max(now-s.created, 0))/1000, ofQueue(s.queue))
		}
	}
}

// State is the content of the table.
type State struct {
	Waiting int64         // rows that wait to be sent; of more than 100,000, 100,000
	Oldest  time.Duration // for how long the oldest of them waits
	Aside   int64         // rows that were set aside; bounded in the same way
}

// stateEvery is how often the gauges look, at most.
const stateEvery = 5 * time.Second

// observe lets the gauges tell of the relay's table until the function that it returns is
// called. One look serves all, and several collections within a few seconds.
func (m *meters) observe(r *Relay) (end func()) {
	turn := make(chan struct{}, 1)
	var seen State
	var next time.Time
	look := func(ctx context.Context, o metric.Observer) error {
		select {
		case turn <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		var err error
		if now := time.Now(); !now.Before(next) {
			bounded, cancel := context.WithTimeout(ctx, stateEvery)
			defer cancel()
			var s State
			if s, err = r.box.State(bounded, r.db); err == nil {
				seen, next = s, now.Add(stateEvery)
			}
		}
		s := seen
		<-turn
		if err != nil {
			return err
		}
		o.ObserveInt64(m.backlog, s.Waiting)
		o.ObserveInt64(m.asides, s.Aside)
		o.ObserveFloat64(m.oldest, s.Oldest.Seconds())
		return nil
	}
	registered, err := m.meter.RegisterCallback(look, m.backlog, m.asides, m.oldest)
	if err != nil {
		return func() {}
	}
	return func() { _ = registered.Unregister() }
}
