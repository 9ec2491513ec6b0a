package main

import (
	"context"
	"errors"
	"time"
)

// peerRows run the same faults on other consumers.
func peerRows() []row {
	const notJudged = "another consumer: measured, not judged"
	every := 30 * time.Millisecond
	return []row{
		{name: "peer-duequeue", title: "duequeue", group: groupPeers, every: every, faults: peerFaults, blurred: hitUnseen, cast: func(_ context.Context, s *stage) error {
			return errors.Join(s.enlist(consumers, "consume", 3, nil), offering(s))
		}},
		{
			name: "peer-redisson", title: "Redisson " + javaVersions[0] + ", take()", group: groupPeers, every: every, faults: peerFaults, measured: notJudged,
			cast: func(ctx context.Context, s *stage) error {
				return errors.Join(s.enlistJava(ctx, consumers, "consume", javaVersions[0], 3), offering(s))
			},
		},
		{
			name: "peer-blpop", title: "BLPOP, in Go", group: groupPeers, every: every, faults: peerFaults, measured: notJudged,
			cast: func(_ context.Context, s *stage) error {
				return errors.Join(s.enlist(consumers, "blpop", 3, nil), offering(s))
			},
		},
		{
			name: "peer-asynq", title: "asynq v0.26", group: groupPeers, every: every, faults: peerFaults, measured: notJudged,
			background: true, patience: 3 * time.Minute,
			note: "its leases last 30 s and are looked for once a minute, neither can be set; due times are whole seconds",
			cast: func(_ context.Context, s *stage) error {
				return errors.Join(s.enlist(consumers, "asynq-consume", 3, nil), s.enlist(producers, "asynq-produce", 2, nil))
			},
		},
	}
}

// offering is the side that offers and transfers, the same for all who share the queue.
func offering(s *stage) error {
	distinct := func(_ int, r *role) { r.Distinct = true } // the others know no IDs
	return errors.Join(s.enlist(producers, "produce", 2, distinct), s.enlist(transferrers, "transfer", 2, nil))
}

// peerFaults are kills and pauses of consumers, then kills of Redis.
func peerFaults(ctx context.Context, s *stage) error {
	two := make(chan error, 2)
	go func() { two <- kills(consumers, 12, 800*time.Millisecond)(ctx, s) }()
	go func() { two <- s.pauseSome(ctx, consumers, s.some(3), time.Second) }()
	if err := errorsOf(two); err != nil {
		return err
	}
	return redisKills(3)(ctx, s)
}
