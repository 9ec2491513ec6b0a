package main

import (
	"context"
	"fmt"
	"time"
)

// Headings of the tables.
const (
	groupOurs    = "Go processes"
	groupBatches = "Go processes that handle batches"
	groupJava    = "Go and Java on one queue"
	groupStorm   = "Combined at random"
	groupPeers   = "The same faults, other consumers"
)

// processRows are the faults of processes.
func processRows() []row {
	return []row{
		{name: "kill-consumers", title: "kill -9 of consumers", faults: kills(consumers, 20, 400*time.Millisecond)},
		{name: "kill-producers", title: "kill -9 of producers", every: 12 * time.Millisecond, faults: kills(producers, 25, 300*time.Millisecond)},
		{name: "kill-transferrers", title: "kill -9 of transferrers", faults: kills(transferrers, 15, 400*time.Millisecond)},
		{name: "pause-consumers", title: "SIGSTOP of consumers beyond the lease", faults: pauses(consumers, 6)},
	}
}

// some is n in the full form and a fifth of it in the short one, at least two.
func (s *stage) some(n int) int {
	if s.long {
		return n
	}
	return max(2, n/5)
}

// kills ends processes of a kind by kill -9, one after the other.
func kills(kind string, n int, every time.Duration) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		for done := 0; done < s.some(n); {
			struck, err := s.killOne(ctx, kind, s.between(0, 2*every))
			if err != nil {
				return err
			}
			if struck {
				done++
			}
			if err := wait(ctx, every/4); err != nil {
				return err
			}
		}
		return nil
	}
}

// pauses stops processes of a kind for longer than their lease, two at a time.
func pauses(kind string, n int) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		two := make(chan error, 2)
		for i := range cap(two) {
			go func() { two <- s.pauseSome(ctx, kind, (s.some(n)+i)/2, time.Duration(i)*s.row.lease/2) }()
		}
		return errorsOf(two)
	}
}

func (s *stage) pauseSome(ctx context.Context, kind string, n int, first time.Duration) error {
	if err := wait(ctx, first); err != nil {
		return err
	}
	for range n {
		struck, err := s.pauseOne(ctx, kind, s.row.lease+s.between(500*time.Millisecond, 1500*time.Millisecond))
		if err != nil {
			return err
		}
		if !struck {
			return fmt.Errorf("no %s to pause", kind)
		}
		if err := wait(ctx, 300*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}
