package main

import (
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// batchRows are faults that hit processes which handle batches.
func batchRows() []row {
	often := 10 * time.Millisecond // so that batches have several messages
	return []row{
		{
			name: "batch-kill", title: "batches: kill -9 of consumers", group: groupBatches, every: often, cast: batchCast, batches: true,
			faults: kills(consumers, 20, 400*time.Millisecond), blurred: hitUnseen,
			note: "some messages fail by themselves, some spoil their whole batch, whose messages are then handled one by one",
		},
		{
			name: "batch-pause", title: "batches: SIGSTOP of consumers beyond the lease", group: groupBatches, every: often, cast: batchCast, batches: true,
			faults: pauses(consumers, 6), blurred: hitUnseen,
		},
		{
			name: "batch-redis", title: "batches: Redis kill -9, AOF always", group: groupBatches, every: often, cast: batchCast, batches: true,
			server: fault.ServerOptions{Fsync: fault.Always}, faults: redisKills(6),
		},
		{
			name: "batch-lost", title: "batches: replies lost", group: groupBatches, every: often, cast: batchCast, batches: true,
			prepare: serveProxied, faults: batchLosses,
		},
		{
			name: "batch-storm", title: "batches: kills, pauses, Redis kills and lost replies at random", group: groupBatches, every: 15 * time.Millisecond,
			prepare: serveProxied, cast: batchStormCast, batches: true, patience: time.Minute, blurred: hitUnseen,
			faults: stormOf(40, 20, 4, 6),
			note:   "4 producers, 3 transferrers and 8 consumers, 2 of those of single messages; half of all behind a proxy that loses replies",
		},
	}
}

// inBatches makes a consumer one of batches: few workers, so that batches become large,
// and yet so many that two of four consumers keep up.
func inBatches(r *role) {
	r.Workers, r.Batch, r.Spoil, r.Work = 3, 8, 150, 90*time.Millisecond
}

// batchCast is the usual cast with consumers of batches.
func batchCast(_ context.Context, s *stage) error {
	return errors.Join(
		s.enlist(producers, "produce", 3, nil),
		s.enlist(transferrers, "transfer", 2, nil),
		s.enlist(consumers, "consume", 4, func(i int, r *role) { r.FX = i%2 == 1; inBatches(r) }),
	)
}

// batchStormCast is that of the storm, without Java.
func batchStormCast(_ context.Context, s *stage) error {
	direct := s.server.URL()
	usual := func(i int, r *role) {
		r.FX = i%4 == 3
		if i%2 == 0 {
			r.Redis = framework.RedisConfig{URL: direct}
		}
	}
	return errors.Join(
		s.enlist(producers, "produce", 4, usual),
		s.enlist(transferrers, "transfer", 3, usual),
		s.enlist(consumers, "consume", 8, func(i int, r *role) {
			if usual(i, r); i < 6 {
				inBatches(r)
			}
		}),
	)
}

// batchLosses lose replies that carry messages, and then any.
func batchLosses(ctx context.Context, s *stage) error {
	takes := fault.Carrying(inPayloads)
	for _, what := range []fault.Loss{{When: takes, Chance: 0.3}, {When: takes, Chance: 0.3, How: fault.CutOff}, {Chance: 0.02}} {
		if err := s.harm(ctx, fault.LoseReplies(s.proxy, what), 3*time.Second, false); err != nil {
			return err
		}
		if err := wait(ctx, 500*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}
