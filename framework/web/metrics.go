package web

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/metric"

	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/web/internal/reads"
)

// observe gives a meter the gauges of all queues that the console sees, without those that
// only processes know.
func (c *Console) observe(meter metric.MeterProvider) (stop func() error, err error) {
	server, _, _ := strings.Cut(c.where(), ",")
	tel, err := telemetry.New(nil, meter, server)
	if err != nil {
		return nil, err
	}
	return tel.Observe(func(ctx context.Context, report func(*telemetry.Queue, telemetry.Gauges)) {
		if !c.options.OnlyDeclared {
			c.discover()
		}
		k, _, err := reads.Get(ctx, c.cache, "queues", sampleEvery, c.loadQueues)
		if err != nil {
			return // the page of Prometheus goes on without; the console says why
		}
		for _, q := range k.Queues {
			g := telemetry.Gauges{
				Ready: q.Ready, Delayed: q.Delayed, Overdue: q.Overdue, Dead: q.Dead, Lag: q.Lag,
				InFlight: telemetry.Unknown, Zombies: telemetry.Unknown, Suspects: telemetry.Unknown, Breaker: telemetry.Unknown, ViewBehind: -1,
			}
			if q.Err != nil {
				continue
			}
			report(tel.Queue(q.Queue, "", 0), g)
		}
	})
}
