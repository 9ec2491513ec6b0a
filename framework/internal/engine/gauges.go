package engine

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/watch"
)

// gaugeTimeout bounds what a collection of metrics may wait for Redis.
const gaugeTimeout = 2 * time.Second

// observe registers the gauges of all queues. They ask Redis once per queue and
// collection.
func (e *Engine) observe() error {
	queues := make([]*telemetry.Queue, len(e.queues))
	for i, s := range e.queues {
		queues[i] = e.telemetry(s)
	}
	stop, err := e.client.Telemetry.Observe(func(ctx context.Context, report func(*telemetry.Queue, telemetry.Gauges)) {
		ctx, cancel := context.WithTimeout(ctx, gaugeTimeout)
		defer cancel()
		w := e.watcher.Health()
		for i, s := range e.queues {
			report(queues[i], s.gauges(ctx, e.client, w, w.Queues[i].ViewBehind))
		}
	})
	e.unobserve = stop
	return err
}

func (s *served) gauges(ctx context.Context, c *Client, w watch.Health, behind time.Duration) telemetry.Gauges {
	g := telemetry.Gauges{
		Ready: telemetry.Unknown, Delayed: telemetry.Unknown, Overdue: telemetry.Unknown, Dead: telemetry.Unknown,
		InFlight: telemetry.Unknown, Zombies: telemetry.Unknown, Suspects: telemetry.Unknown, Breaker: telemetry.Unknown,
		ClockSkew: w.Skew, KnownSkew: !w.LastSuccess.IsZero(), ViewBehind: behind,
	}
	if n, err := delayed.Counts(ctx, c.Redis, s.keys); err == nil {
		g.Ready, g.Delayed, g.Overdue, g.Dead = n.Ready, n.Delayed, n.Overdue, n.Dead
	}
	if r := s.runner; r != nil {
		busy, hung := r.pool.counts()
		g.InFlight, g.Zombies = int64(busy), int64(hung)
		g.Suspects = int64(r.suspects.Count())
		intake := r.gate.Snapshot()
		if intake.Paused != nil { // no alarm: it is wanted
			intake.State = intake.Breaker
		}
		g.Breaker = int64(intake.State)
	}
	return g
}
