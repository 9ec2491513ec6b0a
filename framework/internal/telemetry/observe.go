package telemetry

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Unknown in a gauge leaves it out of this collection.
const Unknown int64 = -1

// Gauges is how a queue stands at one moment.
type Gauges struct {
	Ready, Delayed, Overdue int64 // messages; Unknown leaves one out
	InFlight, Dead          int64
	Zombies                 int64 // handlers given up on that have not returned
	Suspects                int64 // messages that run alone or wait for that
	Breaker                 int64 // 0 closed, 1 half-open, 2 open; Unknown leaves it out
	// Because says why the breaker is not closed: breaker or undecodable.
	Because string
	// Lag is for how long the oldest message is due that no handler has started; negative
	// leaves it out.
	Lag time.Duration
	// ViewBehind is for how long transfers have not kept up because of Java's view;
	// negative leaves it out.
	ViewBehind time.Duration
	// ClockSkew is this process's clock minus that of Redis; KnownSkew says
	// whether it was measured.
	ClockSkew time.Duration
	KnownSkew bool
}

// Observe registers the gauges. At each collection the function is called and
// reports every queue; it must not block longer than ctx allows, so it should
// tell what is known rather than ask Redis. Stop unregisters it. Counters that
// are gathered for speed are complete at each collection while it is
// registered, and after stop.
func (t *Telemetry) Observe(read func(context.Context, *Report)) (stop func() error, failed error) {
	in, failed := t.gauges()
	if failed != nil {
		return nil, failed
	}
	reg, err := t.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		t.flush(ctx)
		t.forget(in)
		read(ctx, &Report{t: t, in: in, to: o})
		return nil
	}, in.all()...)
	if err != nil {
		return nil, err
	}
	return func() error {
		t.forget(in)
		t.flush(context.Background()) //nolint:forbidigo // for the provider's last collection, after the engine's context ended; it does not block
		return reg.Unregister()
	}, nil
}

// Report takes what is so at one collection. It is for one goroutine, until the function returns
// that got it.
type Report struct {
	t  *Telemetry
	in *gauges
	to metric.Observer
}

// Queue reports how a queue stands.
func (r *Report) Queue(q *Queue, g Gauges) { r.in.observe(r.to, q, g) }

// Ready reports whether this process can serve its queues. Where several report it is 1 if all can.
func (r *Report) Ready(ready bool) {
	r.t.mu.Lock()
	r.t.ready[r.in] = ready
	n := int64(1)
	for _, ready := range r.t.ready {
		if !ready {
			n = 0
		}
	}
	r.t.mu.Unlock()
	r.to.ObserveInt64(r.in.processReady, n, metric.WithAttributes(append([]attribute.KeyValue{AttrSystem.String(System)}, r.t.server...)...))
}

// forget takes back what a reporter has said of readiness.
func (t *Telemetry) forget(in *gauges) {
	t.mu.Lock()
	delete(t.ready, in)
	t.mu.Unlock()
}

// Finding reports what a judge has found, in its words: 1 for a warning, 2 for an error. The queue
// is nil, and the state empty, for what concerns the server.
func (r *Report) Finding(q *Queue, state, reason string, severity int64) {
	attrs := append([]attribute.KeyValue{AttrSystem.String(System), AttrReason.String(reason)}, r.t.server...)
	if state != "" {
		attrs = append(attrs, AttrState.String(state))
	}
	if q != nil {
		attrs = append(attrs, AttrDestination.String(q.code))
	}
	r.to.ObserveInt64(r.in.finding, severity, metric.WithAttributes(attrs...))
}

// gauges are all of them: of whole numbers, and of seconds.
type gauges struct {
	ready, delayed, overdue, inFlight, zombies, suspects, dead, breaker metric.Int64ObservableGauge
	processReady, finding                                               metric.Int64ObservableGauge
	skew, lag, behind                                                   metric.Float64ObservableGauge
}

func (t *Telemetry) gauges() (*gauges, error) {
	in := &gauges{}
	var errs []error
	gauge := func(name, unit, desc string) metric.Int64ObservableGauge {
		g, err := t.meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(desc))
		errs = append(errs, err)
		return g
	}
	seconds := func(name, desc string) metric.Float64ObservableGauge {
		g, err := t.meter.Float64ObservableGauge(name, metric.WithUnit("s"), metric.WithDescription(desc))
		errs = append(errs, err)
		return g
	}
	const message = "{message}"
	in.ready = gauge(MetricReadyNow, message, "Messages in the ready list.")
	in.delayed = gauge(MetricDelayedNow, message, "Messages whose time has not come.")
	in.overdue = gauge(MetricOverdueNow, message, "Messages that are due and not transferred: more than a few that stay are late.")
	in.inFlight = gauge(MetricInFlightNow, message, "Messages this process holds.")
	in.zombies = gauge(MetricZombiesNow, "{handler}", "Handlers of this process that were given up on and have not returned.")
	in.suspects = gauge(MetricSuspectsNow, message, "Messages that were in flight in two processes that died, and run alone in this process or wait for that.")
	in.dead = gauge(MetricDeadNow, message, "Messages in the dead store.")
	in.breaker = gauge(MetricBreakerState, "{state}", "State of the intake: 0 closed (messages flow), 1 half-open, 2 open.")
	in.processReady = gauge(MetricReady, "{process}", "1 while this process can serve its queues, 0 while it cannot; absent before its start and while it stops.")
	in.finding = gauge(MetricFinding, "{finding}", "What the console finds wrong, by the state and the check: 1 a warning, 2 an error.")
	in.skew = seconds(MetricClockSkew, "Clock of this process minus the clock of Redis.")
	in.lag = seconds(MetricLag, "For how long the oldest message is due that no handler has started; at least that where Java transferred it.")
	in.behind = seconds(MetricViewBehind, "For how long transfers have left due messages behind because the upkeep of Java's view takes all their time; 0 while they keep up.")
	return in, errors.Join(errs...)
}

func (in *gauges) all() []metric.Observable {
	return []metric.Observable{in.ready, in.delayed, in.overdue, in.inFlight, in.zombies, in.suspects, in.dead, in.breaker, in.processReady, in.finding, in.lag, in.behind, in.skew}
}

// observe reports one queue.
func (in *gauges) observe(o metric.Observer, q *Queue, g Gauges) {
	set := metric.WithAttributeSet(q.base)
	for _, v := range [...]struct {
		gauge metric.Int64Observable
		value int64
	}{
		{in.ready, g.Ready},
		{in.delayed, g.Delayed},
		{in.overdue, g.Overdue},
		{in.inFlight, g.InFlight},
		{in.zombies, g.Zombies},
		{in.suspects, g.Suspects},
		{in.dead, g.Dead},
	} {
		if v.value >= 0 {
			o.ObserveInt64(v.gauge, v.value, set)
		}
	}
	switch {
	case g.Breaker > 0 && g.Because != "":
		o.ObserveInt64(in.breaker, g.Breaker, q.with(g.Because))
	case g.Breaker >= 0:
		o.ObserveInt64(in.breaker, g.Breaker, set)
	}
	if g.Lag >= 0 {
		o.ObserveFloat64(in.lag, g.Lag.Seconds(), set)
	}
	if g.ViewBehind >= 0 {
		o.ObserveFloat64(in.behind, g.ViewBehind.Seconds(), set)
	}
	if g.KnownSkew {
		o.ObserveFloat64(in.skew, g.ClockSkew.Seconds(), set)
	}
}
