package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// Java's consumers are of a kind of their own: they lose what they hold when they are
// harmed, so they are harmed among the peers only.
const (
	javaTakers    = "Java consumer"
	javaProducers = "Java producer" // that is not harmed
)

// byNumber is why equal messages are judged by their number where Java transfers.
const byNumber = "Java's transfers keep no IDs: equal messages are judged by their number"

const noTake = "no take() loop, since it loses what Redis had sent it when it was killed"

// javaRows have Java clients on the queue.
func javaRows() []row {
	slow := 60 * time.Millisecond // two Java producers and three of ours
	return []row{
		{
			name: "java-processes", title: "kill -9 and SIGSTOP of Go and of Java's producers", group: groupJava, every: slow, idsLost: byNumber,
			cast: mixedCast(true), faults: processStorm, blurred: hitUnseen,
			note: "a take() loop of 4.7.0 takes its share and is not harmed",
		},
		{
			name: "java-redis", title: "Redis kill -9, AOF always, and kill -9 of all", group: groupJava, every: slow, idsLost: byNumber,
			cast: mixedCast(false), faults: serverStorm, blurred: hitUnseen,
			note: noTake,
		},
		{
			name: "java-cluster", title: "Cluster of three: slot moves, and node kill -9, AOF always", group: groupJava, every: slow, idsLost: byNumber,
			prepare: serveCluster, cast: mixedCast(false), faults: clusterStorm,
			check: javaWentOn, note: noTake,
		},
		{
			name: "java-sentinel", title: "Sentinel: primary kill -9, replica up to date", group: groupJava, every: slow, idsLost: byNumber,
			prepare: serveSentinel, cast: mixedCast(false), measured: asynchronous,
			check: javaWentOn, note: "a primary that returns is one until the Sentinels turn it into a replica: what a client that has not followed the new one yet offers there is lost",
			faults: repeated(2, 0, true, func(s *stage) fault.Fault { return fault.PrimaryKill(s.sentinel) }),
		},
	}
}

// mixedCast is ours with Java's producers of two releases, which transfer too, and with
// a take() loop where takes is set.
func mixedCast(takes bool) func(ctx context.Context, s *stage) error {
	return func(ctx context.Context, s *stage) error {
		for _, version := range javaVersions {
			if _, err := s.java.ready(ctx, version); err != nil {
				return err
			}
		}
		for _, version := range javaVersions {
			if err := s.enlistJava(ctx, producers, "produce", version, 1); err != nil {
				return err
			}
		}
		if takes {
			if err := s.enlistJava(ctx, javaTakers, "take", javaVersions[0], 1); err != nil {
				return err
			}
		}
		return usualCast(ctx, s)
	}
}

// processStorm harms Go's processes and Java's producers, two at a time.
func processStorm(ctx context.Context, s *stage) error {
	three := make(chan error, 3)
	go func() { three <- kills(consumers, 8, 500*time.Millisecond)(ctx, s) }()
	go func() {
		three <- errors.Join(kills(producers, 6, 700*time.Millisecond)(ctx, s), kills(transferrers, 4, 300*time.Millisecond)(ctx, s))
	}()
	go func() { three <- s.pauseSome(ctx, consumers, s.some(3), 500*time.Millisecond) }()
	return errorsOf(three)
}

// javaWentOn holds Java's producers to having found their way after the last fault.
func javaWentOn(_ context.Context, s *stage) (problems []string) {
	last := int64(0)
	for _, k := range s.strikes {
		last = max(last, k.healed)
	}
	for _, slot := range s.fleet.of(producers) {
		if !strings.HasPrefix(slot.base, "java-") {
			continue
		}
		after := 0
		for _, m := range s.tally.messages {
			if m.accepted > last && strings.HasPrefix(m.producer, slot.base+".") {
				after++
			}
		}
		if after == 0 {
			problems = append(problems, slot.base+" offered nothing after the last fault")
		}
		s.log("%s offered %d after the last fault", slot.base, after)
	}
	return problems
}

// clusterStorm opens the queue's slot and kills the node that has it, in turn.
func clusterStorm(ctx context.Context, s *stage) error {
	move, kill := fault.SlotMove(s.cluster, queueName), fault.NodeKill(s.cluster, queueName)
	for range s.some(3) {
		if err := s.harm(ctx, move, 700*time.Millisecond, true); err != nil {
			return err
		}
		if err := wait(ctx, s.between(500*time.Millisecond, 1500*time.Millisecond)); err != nil {
			return err
		}
		if err := s.harm(ctx, kill, 300*time.Millisecond, true); err != nil {
			return err
		}
		if err := wait(ctx, s.between(time.Second, 2*time.Second)); err != nil {
			return err
		}
	}
	return nil
}

func serverStorm(ctx context.Context, s *stage) error {
	two := make(chan error, 2)
	go func() { two <- redisKills(5)(ctx, s) }()
	go func() {
		two <- errors.Join(kills(consumers, 5, 500*time.Millisecond)(ctx, s), kills(producers, 4, 500*time.Millisecond)(ctx, s))
	}()
	return errorsOf(two)
}
