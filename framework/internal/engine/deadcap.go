package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
)

// How often dead stores are looked at: those with a bound, to keep it, and all, to
// tell of many.
const (
	deadTrimEvery = 5 * time.Second
	deadTellEvery = 12 // times deadTrimEvery
	manyDead      = 1000
)

// deadCap keeps the bounds of dead stores, and warns where a store without bounds
// grows: nothing in it is deleted unless the queue's declaration says so.
type deadCap struct {
	engine *Engine
	told   map[*served]int64 // length at the last warning
}

// run looks at all queues until ctx ends.
func (d *deadCap) run(ctx context.Context) {
	d.told = map[*served]int64{}
	t := time.NewTicker(deadTrimEvery)
	defer t.Stop()
	for n := 0; ; n++ {
		for _, s := range d.engine.queues {
			if p := s.consumer.Queue.Policy(); p.DeadLimit > 0 || p.DeadAge > 0 {
				d.trim(ctx, s, delayed.TrimArgs{Most: p.DeadLimit, Age: p.DeadAge})
			}
		}
		if n%deadTellEvery == 0 {
			d.tell(ctx)
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
	}
}

// trim deletes what is too much in one store, in small steps, and says what.
func (d *deadCap) trim(ctx context.Context, s *served, bounds delayed.TrimArgs) {
	for ctx.Err() == nil {
		r, err := delayed.TrimDead(ctx, d.engine.client.Redis, s.keys, bounds)
		if err != nil {
			if ctx.Err() == nil && s.trimming.begin(err) {
				d.engine.log.WarnContext(ctx, "could not keep the bounds of the dead store; tried again until it works", "queue", s.consumer.Code(), "err", err)
			}
			return
		}
		if lasted, was := s.trimming.end(); was {
			d.engine.log.InfoContext(ctx, "the bounds of the dead store are kept again", "queue", s.consumer.Code(), "after", lasted)
		}
		if len(r.Trimmed) > 0 {
			d.report(ctx, s, r)
		}
		if !r.More {
			return
		}
	}
}

func (d *deadCap) report(ctx context.Context, s *served, r delayed.TrimResult) {
	gone := make([]string, len(r.Trimmed))
	reasons := map[string]int64{}
	for i, m := range r.Trimmed {
		gone[i] = fmt.Sprintf("%s %s %s %d bytes", m.Entry, m.Reason, m.Digest, m.Size)
		reasons[m.Reason]++
	}
	tel := d.telemetry(s)
	for reason, n := range reasons {
		tel.Trimmed(ctx, reason, n)
	}
	p := s.consumer.Queue.Policy()
	d.engine.log.WarnContext(ctx, "deleted dead messages for good: the store is over the bounds that the queue declares",
		"queue", s.consumer.Code(), "limit", p.DeadLimit, "age", p.DeadAge, "deleted", gone, "left", r.Left)
}

func (d *deadCap) telemetry(s *served) *telemetry.Queue {
	p := s.consumer.Queue.Policy()
	return d.engine.client.Telemetry.Queue(s.consumer.Code(), p.Codec.Name(), p.ChildWithin)
}

// tell warns of stores without bounds that hold very many messages: once at a
// thousand, and each time they have grown tenfold.
func (d *deadCap) tell(ctx context.Context) {
	pipe := d.engine.client.Redis.Pipeline()
	lengths := make([]*redis.IntCmd, len(d.engine.queues))
	for i, s := range d.engine.queues {
		lengths[i] = pipe.XLen(ctx, s.keys.Dead)
	}
	_, _ = pipe.Exec(ctx) // the commands are read one by one; the next look comes soon
	for i, s := range d.engine.queues {
		n, err := lengths[i].Result()
		p := s.consumer.Queue.Policy()
		switch {
		case err != nil || p.DeadLimit > 0:
		case n < d.told[s]/2:
			delete(d.told, s)
		case n >= max(10*d.told[s], manyDead):
			d.told[s] = n
			d.engine.log.WarnContext(ctx, "many messages lie in the dead store, and nothing is deleted there: mend the cause, then redrive or drop them (duequeue dead), or declare registry.DeadLimit or DeadAge",
				"queue", s.consumer.Code(), "dead", n)
		}
	}
}
