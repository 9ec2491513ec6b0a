package main

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// serverRows are the faults of one Redis server.
func serverRows() []row {
	return []row{
		{name: "redis-kill-always", title: "Redis kill -9, AOF always", server: fault.ServerOptions{Fsync: fault.Always}, faults: redisKills(6)},
		{
			name: "redis-kill-everysec", title: "Redis kill -9, AOF everysec", server: fault.ServerOptions{Fsync: fault.EverySec}, faults: redisKills(6),
			note: "the process is killed, not the machine: what was written to the file before the reply stays",
		},
		{name: "redis-restart", title: "Redis restart (SIGTERM)", faults: repeated(3, 500*time.Millisecond, true, func(s *stage) fault.Fault { return fault.RedisRestart(s.server) })},
		{name: "redis-pause", title: "Redis SIGSTOP beyond the lease", faults: repeated(1, 4*time.Second, true, func(s *stage) fault.Fault { return fault.RedisPause(s.server) })},
		{name: "script-flush", title: "SCRIPT FLUSH", faults: repeated(20, 100*time.Millisecond, false, func(s *stage) fault.Fault { return fault.ScriptFlush(s.server) })},
		{
			name: "full-memory", title: "full memory, noeviction", faults: repeated(2, 4*time.Second, false, func(s *stage) fault.Fault { return fault.FullMemory(s.server) }),
			note: "offers are refused meanwhile; what is there goes on being transferred and handled, which recovery and duplicates are held to",
		},
		{name: "no-replicas", title: "NOREPLICAS, beyond the lease", faults: repeated(1, 4500*time.Millisecond, true, func(s *stage) fault.Fault { return fault.NoReplicas(s.server) })},
		{name: "readonly", title: "READONLY replica", prepare: servePair, faults: readOnly},
		// Nothing is handled for most of its time, and what is offered meanwhile has to fit
		// into the time that is left.
		{name: "wrongtype", title: "WRONGTYPE of each key", every: 40 * time.Millisecond, faults: wrongTypes},
		{
			name: "poison", title: "poison bytes and elements", codec: "kryo5", faults: poison, check: inDeadStore,
			idsLost: "bytes that others put on the ready list have no due record: equal messages beside them may get new IDs and are judged by their number",
		},
		{
			name: "pubsub-killed", title: "pub/sub: subscribers thrown out", faults: repeated(1, 6*time.Second, false, func(s *stage) fault.Fault { return fault.PubSubKill(s.server) }),
			note: "recovery is the longest lateness",
		},
	}
}

// repeated strikes some times for a while each, with a rest between.
func repeated(n int, lasting time.Duration, outage bool, choice func(s *stage) fault.Fault) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		f := choice(s)
		for range min(n, s.some(n)) {
			if err := s.harm(ctx, f, lasting, outage); err != nil {
				return err
			}
			if err := wait(ctx, s.between(100*time.Millisecond, time.Second)); err != nil {
				return err
			}
		}
		return nil
	}
}

func redisKills(n int) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		f := fault.RedisKill(s.server)
		for range s.some(n) {
			if err := s.harm(ctx, f, s.between(50*time.Millisecond, 700*time.Millisecond), true); err != nil {
				return err
			}
			if err := wait(ctx, s.between(500*time.Millisecond, 1500*time.Millisecond)); err != nil {
				return err
			}
		}
		return nil
	}
}

// servePair runs a primary with a replica; clients know the primary alone.
func servePair(ctx context.Context, s *stage) error {
	pair, err := fault.StartPair(ctx, s.row.server)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() { _ = pair.Close() })
	s.pair, s.server, s.redis, s.rdb = pair, pair.Primary, framework.RedisConfig{URL: pair.Primary.URL()}, pair.Primary.Client()
	return nil
}

func readOnly(ctx context.Context, s *stage) error {
	f := fault.ReadOnly(s.pair)
	for range s.some(2) {
		if err := s.harm(ctx, f, 2*time.Second, true); err != nil {
			return err
		}
		if err := wait(ctx, time.Second); err != nil {
			return err
		}
	}
	return nil
}

// wrongTypes spoils one key after the other.
func wrongTypes(ctx context.Context, s *stage) error {
	k := fault.KeysOf(queueName)
	for _, key := range []string{k.Ready, k.Timeout, k.Pending, k.Sessions, k.Due, k.Attempts, k.Trace, k.Dead} {
		f := fault.WrongType(s.server.Client(), key)
		strike, err := s.begin(ctx, f, true)
		if err != nil {
			return err
		}
		strike.outage = true
		if err := wait(ctx, 1200*time.Millisecond); err != nil {
			return err
		}
		if err := s.finish(ctx, f, strike); err != nil {
			return err
		}
		s.optional(f)
		if err := wait(ctx, 700*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// optional lets a fault have no effect where it hits a key that is seldom used.
func (s *stage) optional(f fault.Fault) {
	if f.Tally().Effects > 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, known := range s.faults {
		if known == f {
			s.faults = append(s.faults[:i], s.faults[i+1:]...)
			break
		}
	}
	s.log("%s: nobody ran into it", f.Name())
}

// poison puts bad payloads and bad elements among the good ones.
func poison(ctx context.Context, s *stage) error {
	s.poisoned = []*fault.Poisoner{
		fault.PoisonReady(s.server.Client(), queueName, s.seed), fault.PoisonTimeout(s.server.Client(), queueName, s.seed+1),
	}
	for range s.some(3) {
		for _, p := range s.poisoned {
			if err := s.harm(ctx, p, 300*time.Millisecond, false); err != nil {
				return err
			}
			if err := wait(ctx, time.Second); err != nil {
				return err
			}
		}
	}
	return nil
}

// inDeadStore holds each piece of poison against the dead store.
func inDeadStore(ctx context.Context, s *stage) (problems []string) {
	entries, err := s.server.Client().XRange(ctx, fault.KeysOf(queueName).Dead, "-", "+").Result()
	if err != nil {
		return []string{err.Error()}
	}
	dead := 0
	for _, p := range s.poisoned {
		for _, bad := range p.Injected() {
			found := 0
			for _, e := range entries {
				body, _ := e.Values["body"].(string)
				if bytes.Equal([]byte(body), bad.Body) {
					found++
				}
			}
			dead += min(found, 1)
			if found != 1 {
				problems = append(problems, fmt.Sprintf("%s is %d times in the dead store", bad.Kind, found))
			}
		}
	}
	if len(entries) != dead {
		problems = append(problems, fmt.Sprintf("the dead store has %d entries, %d of them poison", len(entries), dead))
	}
	s.log("%d pieces of poison are in the dead store", dead)
	return problems
}
