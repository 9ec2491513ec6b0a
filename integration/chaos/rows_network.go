package main

import (
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// inPayloads stands in every message of ours, see producer.next.
const inPayloads = "produce"

// networkRows are the faults of connections.
func networkRows() []row {
	lost := func(name, title string, what fault.Loss) row {
		return row{
			name: name, title: title, prepare: serveProxied,
			faults: repeated(1, 5*time.Second, false, func(s *stage) fault.Fault { return fault.LoseReplies(s.proxy, what) }),
		}
	}
	takes := fault.Carrying(inPayloads)
	return []row{
		lost("lost-takes", "replies lost after a pop, connection broken", fault.Loss{When: takes, Chance: 0.3}),
		lost("cut-takes", "replies lost after a pop, reply cut off", fault.Loss{When: takes, Chance: 0.3, How: fault.CutOff}),
		{
			name: "hanging-takes", title: "replies lost after a pop, connection hangs", prepare: serveProxied, cast: halfProxied,
			faults: repeated(1, 5*time.Second, true, func(s *stage) fault.Fault {
				return fault.LoseReplies(s.proxy, fault.Loss{When: takes, Chance: 0.1, How: fault.Hanging})
			}),
			note: "two of four consumers; a client gives a silent connection up after its read timeout of 1.5 s, or of 2.5 s while it waits for messages",
		},
		lost("lost-replies", "any reply lost, one in fifty", fault.Loss{Chance: 0.02}),
		{
			name: "slow", title: "slow connections: 300 ms for each reply", prepare: serveProxied,
			cast: castOf(32), note: "32 workers, or the delay alone would be more than they can do",
			faults: repeated(1, 6*time.Second, false, func(s *stage) fault.Fault { return fault.Slow(s.proxy, 300*time.Millisecond, 0) }),
		},
		{
			name: "reset", title: "connections reset", prepare: serveProxied,
			faults: repeated(12, 100*time.Millisecond, false, func(s *stage) fault.Fault { return fault.Reset(s.proxy) }),
		},
		{
			name: "half-open", title: "half-open connections of half the processes", prepare: serveProxied, cast: halfProxied,
			faults: cutOff(func(p *fault.Proxy) []fault.Fault {
				return []fault.Fault{fault.HalfOpen(p, fault.BothWays), fault.HalfOpen(p, fault.ToClient), fault.HalfOpen(p, fault.ToServer)}
			}),
		},
		{
			name: "stalled", title: "stalled connections of half the processes, beyond the lease", prepare: serveProxied, cast: halfProxied,
			faults: cutOff(func(p *fault.Proxy) []fault.Fault {
				return []fault.Fault{fault.Stall(p, fault.BothWays), fault.Stall(p, fault.ToClient)}
			}),
		},
		{
			name: "pubsub-silent", title: "pub/sub silence: subscriptions alive, nothing comes", prepare: serveProxied,
			faults: repeated(1, 8*time.Second, false, func(s *stage) fault.Fault { return fault.MuteSubscriptions(s.proxy) }),
			limit:  framework.DefaultSweep + 500*time.Millisecond,
			note:   "recovery is the longest lateness, held to the sweep of 5 s",
		},
	}
}

// serveProxied puts a proxy between all processes and the server.
func serveProxied(ctx context.Context, s *stage) error {
	if err := s.serve(ctx, s.row.server); err != nil {
		return err
	}
	proxy, err := fault.StartProxy(s.server.Addr(), s.seed)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() { _ = proxy.Close() })
	s.proxy, s.redis = proxy, framework.RedisConfig{URL: proxy.URL()}
	return nil
}

// halfProxied is the usual cast, of which half goes to the server directly.
func halfProxied(_ context.Context, s *stage) error {
	half := func(i int, r *role) {
		r.FX = i >= 2
		if i%2 == 1 {
			r.Redis = framework.RedisConfig{URL: s.server.URL()}
		}
	}
	direct := func(_ int, r *role) { r.Redis = framework.RedisConfig{URL: s.server.URL()} }
	return errors.Join(
		s.enlist(producers, "produce", 3, direct),
		s.enlist(transferrers, "transfer", 2, half),
		s.enlist(consumers, "consume", 4, half),
	)
}

// cutOff strikes the connections of the proxied half beyond the lease, fault by fault.
// What they have in hand is handled by the others.
func cutOff(choices func(p *fault.Proxy) []fault.Fault) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		faults := choices(s.proxy)
		for _, f := range faults[:min(len(faults), s.some(10))] {
			var hit []string
			for i, c := range s.fleet.of(consumers) {
				if i%2 == 0 {
					hit = append(hit, c.processName())
				}
			}
			k, err := s.begin(ctx, f, true, hit...)
			if err != nil {
				return err
			}
			if err := wait(ctx, s.row.lease+time.Second); err != nil {
				return err
			}
			if err := s.finish(ctx, f, k); err != nil {
				return err
			}
			// A half-open connection stays one: its client has to find out.
			if err := wait(ctx, 4*time.Second); err != nil {
				return err
			}
		}
		return nil
	}
}
