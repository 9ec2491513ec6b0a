package main

import (
	"context"
	"errors"
	"time"
)

// Java's consumers are of a kind of their own: they lose what they hold when they are
// harmed, so they are harmed among the peers only.
const (
	javaTakers    = "Java consumer"
	javaProducers = "Java producer" // that is not harmed
)

// javaRows have Java clients on the queue.
func javaRows() []row {
	slow := 60 * time.Millisecond // two Java producers and three of ours
	return []row{
		{
			name: "java-processes", title: "kill -9 and SIGSTOP of Go and of Java's producers", group: groupJava, every: slow,
			cast: mixedCast(true), faults: processStorm, blurred: hitUnseen,
			note: "a take() loop of 4.7.0 takes its share and is not harmed",
		},
		{
			name: "java-redis", title: "Redis kill -9, AOF always, and kill -9 of all", group: groupJava, every: slow,
			cast: mixedCast(false), faults: serverStorm, blurred: hitUnseen,
			note: "no take() loop, since it loses what Redis had sent it when it was killed",
		},
	}
}

// mixedCast is ours with Java's producers of two releases, which transfer too, and with
// a take() loop where takes is set.
func mixedCast(takes bool) func(ctx context.Context, s *stage) error {
	return func(ctx context.Context, s *stage) error {
		for _, version := range javaVersions {
			if _, _, err := s.java.classes(ctx, version); err != nil {
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

func serverStorm(ctx context.Context, s *stage) error {
	two := make(chan error, 2)
	go func() { two <- redisKills(5)(ctx, s) }()
	go func() {
		two <- errors.Join(kills(consumers, 5, 500*time.Millisecond)(ctx, s), kills(producers, 4, 500*time.Millisecond)(ctx, s))
	}()
	return errorsOf(two)
}
