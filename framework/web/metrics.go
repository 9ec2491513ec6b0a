package web

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/web/internal/reads"
)

// gaugeMost is how old what a gauge says may be: an old one would be taken for what is so now.
const gaugeMost = 30 * time.Second

// observe gives a meter the gauges of all queues that the console sees, without those that
// only processes know.
func (c *Console) observe(meter metric.MeterProvider) (stop func() error, err error) {
	tel, err := telemetry.New(nil, meter, access.Of(c.client).Server)
	if err != nil {
		return nil, err
	}
	return tel.Observe(func(ctx context.Context, report func(*telemetry.Queue, telemetry.Gauges)) {
		if !c.options.OnlyDeclared {
			c.discover() //nolint:contextcheck // it goes on beside this
		}
		k, _, err := reads.Get(c.looking.Behind(ctx), c.cache, "queues", sampleEvery, c.loadQueues)
		if err != nil {
			return // the page of Prometheus goes on without; the console says why
		}
		for _, q := range k.Queues {
			if q.Err != nil || time.Since(k.At[q.Queue]) > gaugeMost {
				continue // a part of it is not known, or not as it is now
			}
			report(tel.Queue(q.Queue, "", 0), telemetry.Gauges{
				Ready: q.Ready, Delayed: q.Delayed, Overdue: q.Overdue, Dead: q.Dead, Lag: q.Lag,
				InFlight: telemetry.Unknown, Zombies: telemetry.Unknown, Suspects: telemetry.Unknown, Breaker: telemetry.Unknown, ViewBehind: -1,
			})
		}
	})
}
