package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// stormRows combine faults at random.
func stormRows() []row {
	return []row{
		{
			name: "storm", title: "kills, pauses, Redis kills and lost replies at random", group: groupStorm,
			every: 30 * time.Millisecond, prepare: serveProxied, cast: stormCast, faults: stormOf(stormKills, stormPauses, stormRedisKills, 15), check: stormIsLarge,
			patience: time.Minute,
			blurred:  hitUnseen,
			idsLost:  byNumber,
			note:     "4 producers, 3 transferrers and 8 consumers of ours, 4 of those behind a proxy that loses replies; a Java client of 4.7.0 and one of 3.45.1, which offer and transfer",
		},
		smokeRow(),
	}
}

// hitUnseen is why a row of several faults at once judges only what it can.
const hitUnseen = "a message may be popped by several processes, one after the other, that are hit before they begin it, which no ledger sees: recovery is that of messages with which no more processes died than had begun them"

// smokeRow is a little of everything, for the tests.
func smokeRow() row {
	return row{
		name: "smoke", title: "a few kills, pauses and one Redis kill", group: groupStorm, blurred: hitUnseen, cast: smokeCast, faults: func(ctx context.Context, s *stage) error {
			three := make(chan error, 3)
			go func() { three <- kills(consumers, 3, 400*time.Millisecond)(ctx, s) }()
			go func() { three <- s.pauseSome(ctx, consumers, 1, 0) }()
			go func() {
				three <- errors.Join(kills(transferrers, 1, 300*time.Millisecond)(ctx, s), kills(producers, 1, 300*time.Millisecond)(ctx, s),
					s.harm(ctx, fault.RedisKill(s.server), 300*time.Millisecond, true))
			}()
			return errorsOf(three)
		},
	}
}

// smokeCast is the usual cast, half of whose consumers handle batches.
func smokeCast(_ context.Context, s *stage) error {
	return errors.Join(
		s.enlist(producers, "produce", 3, nil),
		s.enlist(transferrers, "transfer", 2, nil),
		s.enlist(consumers, "consume", 4, func(i int, r *role) {
			if r.FX = i%2 == 1; i < 2 {
				inBatches(r)
			}
		}),
	)
}

// The storm that is promised.
const (
	stormKills, stormPauses, stormRedisKills = 105, 52, 11
)

func stormCast(ctx context.Context, s *stage) error {
	direct := s.server.URL()
	usual := func(i int, r *role) {
		r.FX = i%4 == 3
		if i%2 == 0 {
			r.Redis = framework.RedisConfig{URL: direct}
		}
	}
	for _, version := range javaVersions {
		if _, err := s.java.ready(ctx, version); err != nil {
			return err
		}
	}
	for _, version := range javaVersions {
		if err := s.enlistJava(ctx, javaProducers, "produce", version, 1); err != nil {
			return err
		}
	}
	return errors.Join(
		s.enlist(producers, "produce", 4, usual),
		s.enlist(transferrers, "transfer", 3, usual),
		s.enlist(consumers, "consume", 8, usual),
	)
}

// stormOf strikes from four sides at once, about so many times each.
func stormOf(kills, pauses, redisKills, losses int) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		sides := []func() error{
			func() error { return s.stormOfKills(ctx, s.some(kills)) },
			func() error { return s.stormOfPauses(ctx, s.some(pauses), 3) },
			func() error { return s.stormOfRedis(ctx, s.some(redisKills)) },
			func() error { return s.stormOfLosses(ctx, s.some(losses)) },
		}
		done := make(chan error, len(sides))
		for _, side := range sides {
			go func() { done <- side() }()
		}
		return errorsOf(done)
	}
}

func (s *stage) stormOfKills(ctx context.Context, n int) error {
	for done := 0; done < n; {
		kind := []string{consumers, consumers, consumers, producers, transferrers}[s.dice(5)]
		struck, err := s.killOne(ctx, kind, s.between(0, 300*time.Millisecond))
		if err != nil {
			return err
		}
		if struck {
			done++
		}
		if err := wait(ctx, s.between(300*time.Millisecond, 900*time.Millisecond)); err != nil {
			return err
		}
	}
	return nil
}

// stormOfPauses keeps some processes paused at a time.
func (s *stage) stormOfPauses(ctx context.Context, n, atOnce int) error {
	done := make(chan error, atOnce)
	for i := range atOnce {
		go func() {
			done <- func() error {
				for left := (n + i) / atOnce; left > 0; {
					kind := []string{consumers, consumers, consumers, producers, transferrers}[s.dice(5)]
					struck, err := s.pauseOne(ctx, kind, s.row.lease+s.between(0, 2*time.Second))
					if err != nil {
						return err
					}
					if struck {
						left--
					}
					if err := wait(ctx, s.between(100*time.Millisecond, 600*time.Millisecond)); err != nil {
						return err
					}
				}
				return nil
			}()
		}()
	}
	return errorsOf(done)
}

func (s *stage) stormOfRedis(ctx context.Context, n int) error {
	kill, flush := fault.RedisKill(s.server), fault.ScriptFlush(s.server)
	for range n {
		if err := wait(ctx, s.between(4*time.Second, 8*time.Second)); err != nil {
			return err
		}
		if err := s.harm(ctx, flush, 0, false); err != nil && !errors.Is(err, fault.ErrNoTarget) {
			return err
		}
		if err := s.harm(ctx, kill, s.between(50*time.Millisecond, 600*time.Millisecond), true); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) stormOfLosses(ctx context.Context, n int) error {
	for i := range n {
		f := fault.LoseReplies(s.proxy, fault.Loss{Chance: 0.05, How: fault.How(i % 3)})
		k, err := s.begin(ctx, f, true)
		if err != nil {
			return err
		}
		if err := wait(ctx, s.between(500*time.Millisecond, 1500*time.Millisecond)); err != nil {
			return err
		}
		if err := s.finish(ctx, f, k); err != nil {
			return err
		}
		s.optional(f) // all of its half may be paused or dead
		if err := wait(ctx, s.between(2*time.Second, 5*time.Second)); err != nil {
			return err
		}
	}
	return nil
}

// stormIsLarge holds the storm to what is promised.
func stormIsLarge(_ context.Context, s *stage) (problems []string) {
	count := map[string]int{}
	for _, f := range s.faults {
		t := f.Tally()
		count[t.Unit] += t.Effects
	}
	for unit, n := range map[string]int{"processes killed": 100, "processes paused": 50, "servers killed": 10} {
		if s.long && count[unit] < n {
			problems = append(problems, fmt.Sprintf("%d %s, at least %d are promised", count[unit], unit, n))
		}
	}
	return problems
}
