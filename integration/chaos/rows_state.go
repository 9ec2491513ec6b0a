package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// stateRows are faults that take from Redis what it had, or from us what we may do there.
func stateRows() []row {
	return []row{
		{
			name: "keys-deleted", title: "our bookkeeping keys deleted one by one", faults: deletions, check: eachDeleted,
			idsLost: "what is deleted names them: equal messages are judged by their number", blurred: hitUnseen,
			note: "none that holds bodies; in the second round kill -9 of a consumer before each",
		},
		{
			name: "acl", title: "ACL changed at run time for 2 s", every: 40 * time.Millisecond, faults: forbidden,
			idsLost: "a script may be stopped halfway: equal messages are judged by their number",
		},
		{
			name: "flushall", title: "FLUSHALL", faults: flushes,
			note: "what was offered before it is excused; what is offered afterwards is judged as ever",
		},
		{
			name: "power-loss", title: "power loss, AOF everysec: kill -9, and the last second of the AOF cut off",
			server: fault.ServerOptions{Fsync: fault.EverySec, Config: []string{"auto-aof-rewrite-percentage 0"}}, faults: powerLosses,
			note: "what was accepted in that second is excused, nothing older",
		},
	}
}

// deletions delete each of our keys that holds no bodies, twice: beside the living, and
// right after two deaths, of which one may have had nothing in hand.
func deletions(ctx context.Context, s *stage) error {
	for round := range 2 {
		for _, name := range deletedKeys {
			for range 2 * round {
				if _, err := s.killOne(ctx, consumers, s.between(0, 250*time.Millisecond)); err != nil {
					return err
				}
			}
			if err := s.deleteOnce(ctx, fault.DeleteKey(s.server.Client(), ownKey(name))); err != nil {
				return err
			}
			if err := wait(ctx, s.between(200*time.Millisecond, 800*time.Millisecond)); err != nil {
				return err
			}
		}
	}
	return nil
}

// deletedKeys are ours that hold no bodies; those of single sessions and offers are not
// among them.
var deletedKeys = []string{"sessions", "leases", "attempts", "names", "ids", "due", "trace", "processes"}

func ownKey(name string) string { return "duequeue:" + name + ":{" + queueName + "}" }

// deleteOnce deletes a key as soon as it exists.
func (s *stage) deleteOnce(ctx context.Context, f fault.Fault) error {
	for range 200 {
		err := s.harm(ctx, f, 0, false)
		if !errors.Is(err, fault.ErrNoTarget) {
			return err
		}
		if err := wait(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: it never existed", f.Name())
}

// eachDeleted holds the row to having deleted each key as often as it says.
func eachDeleted(_ context.Context, s *stage) (problems []string) {
	count := map[string]int{}
	for _, k := range s.strikes {
		count[k.what]++
	}
	for _, name := range deletedKeys {
		if n := count["DEL "+ownKey(name)]; n != 2 {
			problems = append(problems, fmt.Sprintf("%s was deleted %d times", name, n))
		}
	}
	return problems
}

// forbidden takes one permission after the other away, for 2 s each.
func forbidden(ctx context.Context, s *stage) error {
	for _, rule := range []string{"-evalsha", "-zadd", "-xadd", "-del", "-lrem", "-hset", "-sadd", "-publish", "resetchannels", "resetkeys", "-@write"} {
		f := fault.Forbid(s.server.Client(), rule)
		if err := s.harm(ctx, f, 2*time.Second, true); err != nil {
			return err
		}
		s.optional(f)
		if err := wait(ctx, s.between(500*time.Millisecond, time.Second)); err != nil {
			return err
		}
	}
	return nil
}

// flushes take everything, some times.
func flushes(ctx context.Context, s *stage) error {
	f := fault.FlushAll(s.server.Client())
	for range s.some(5) {
		k, err := s.begin(ctx, f, false)
		if err != nil {
			return err
		}
		k.from, k.loses = 1, true // since ever
		if err := s.finish(ctx, f, k); err != nil {
			return err
		}
		if err := wait(ctx, s.between(time.Second, 3*time.Second)); err != nil {
			return err
		}
	}
	return nil
}

// powerLosses take the last part of a second, some times.
func powerLosses(ctx context.Context, s *stage) error {
	for range s.some(5) {
		f := fault.PowerLoss(s.server, s.between(300*time.Millisecond, time.Second))
		k, err := s.begin(ctx, f, true)
		if err != nil {
			return err
		}
		k.outage, k.loses, k.from = true, true, f.Since().UnixMilli()
		err = wait(ctx, s.between(50*time.Millisecond, 500*time.Millisecond))
		if healed := s.finish(context.WithoutCancel(ctx), f, k); healed != nil {
			return healed
		}
		if err != nil {
			return err
		}
		if err := wait(ctx, s.between(1500*time.Millisecond, 3*time.Second)); err != nil {
			return err
		}
	}
	return nil
}
