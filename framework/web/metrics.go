package web

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
)

// gaugeMost is how old what a gauge says may be: an old one would be taken for what is so now.
const gaugeMost = 30 * time.Second

// observe gives a meter the gauges of all queues that the console sees, without those that
// only processes know, and what it finds wrong with them and with the server. It is ready while it
// can read.
func (c *Console) observe(meter metric.MeterProvider) (stop func() error, err error) {
	tel, err := telemetry.New(nil, meter, access.Of(c.client).Server)
	if err != nil {
		return nil, err
	}
	return tel.Observe(func(ctx context.Context, report *telemetry.Report) {
		if !c.options.OnlyDeclared {
			c.discover() //nolint:contextcheck // it goes on after this
		}
		k, _, err := cachedRead(c.looking.Behind(ctx), c.cache, "queues", sampleEvery, c.loadQueues)
		report.Ready(err == nil && k.Unsearched == nil)
		if err != nil {
			return // the page of Prometheus goes on without; the console says why
		}
		for _, q := range k.Queues {
			if time.Since(k.At[q.Queue]) > gaugeMost {
				continue // it is not known as it is now
			}
			tel := tel.Queue(q.Queue, "", 0)
			find(report, tel, admin.Judge(q).Findings)
			if q.Err != nil {
				continue // a part of it is not known
			}
			report.Queue(tel, telemetry.Gauges{
				Ready: q.Ready, Delayed: q.Delayed, Overdue: q.Overdue, Dead: q.Dead, Lag: q.Lag,
				InFlight: telemetry.Unknown, Zombies: telemetry.Unknown, Suspects: telemetry.Unknown, Breaker: telemetry.Unknown, ViewBehind: -1,
			})
		}
		server := c.serverFindings()
		ctx, cancel := context.WithTimeout(ctx, time.Second) // Prometheus waits, and the queues are known
		defer cancel()
		if found, at, _ := cachedRead(c.looking.Behind(ctx), c.cache, server.name, server.fresh, server.load); time.Since(at) <= server.fresh+gaugeMost {
			find(report, nil, found)
		}
	})
}

// find reports findings that are wrong: not those that only say what is set.
func find(report *telemetry.Report, q *telemetry.Queue, found []admin.Finding) {
	worst := map[[2]string]int64{}
	for _, f := range found {
		severity := map[admin.Severity]int64{admin.SeverityError: 2, admin.SeverityWarning: 1}[f.Severity]
		words := [2]string{f.State, f.Check}
		worst[words] = max(worst[words], severity)
	}
	for words, severity := range worst {
		if severity > 0 {
			report.Finding(q, words[0], words[1], severity)
		}
	}
}
