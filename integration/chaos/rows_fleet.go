package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// fleetRows are pauses of all processes by an operator: nothing is to start in one, whatever
// happens meanwhile, and afterwards all is handled.
func fleetRows() []row {
	return []row{
		{name: "fleet-pause", title: "paused by an operator, under load", faults: fleetPauses(4, nil), check: nothingWhilePaused},
		{
			name: "fleet-pause-redis", title: "paused by an operator; Redis kill -9 meanwhile, AOF always", server: fault.ServerOptions{Fsync: fault.Always},
			faults: fleetPauses(3, killRedis), check: nothingWhilePaused,
		},
		{
			name: "fleet-pause-starts", title: "paused by an operator; consumers killed and started meanwhile",
			faults: fleetPauses(3, restartTwo), check: nothingWhilePaused,
		},
	}
}

// fleetPauses pauses the fleet some times, for 3 s each, under what comes meanwhile.
func fleetPauses(n int, meanwhile func(context.Context, *stage) error) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		client, err := framework.Open(ctx, framework.Config{Redis: s.redis, NoTransfer: true})
		if err != nil {
			return err
		}
		defer func() { _ = client.Close() }()
		f := &fleetPause{client: client}
		for range s.some(n) {
			k, err := s.begin(ctx, f, false)
			if err != nil {
				return err
			}
			k.outage = true
			w := window{from: nowMs()}
			if meanwhile != nil {
				err = meanwhile(ctx, s)
			}
			if err == nil {
				err = wait(ctx, time.Duration(w.from+3000-nowMs())*time.Millisecond)
			}
			w.to = nowMs()
			if healed := s.finish(context.WithoutCancel(ctx), f, k); healed != nil {
				return healed
			}
			if err != nil {
				return err
			}
			s.mu.Lock()
			s.paused = append(s.paused, w)
			s.mu.Unlock()
			if err := wait(ctx, s.between(time.Second, 2*time.Second)); err != nil {
				return err
			}
		}
		return nil
	}
}

// window is a time in which all processes were paused, in ms.
type window struct{ from, to int64 }

// killRedis kills the server and starts it again.
func killRedis(ctx context.Context, s *stage) error {
	if err := wait(ctx, s.between(100*time.Millisecond, 500*time.Millisecond)); err != nil {
		return err
	}
	return s.harm(ctx, fault.RedisKill(s.server), s.between(50*time.Millisecond, 700*time.Millisecond), true)
}

// restartTwo kills two consumers, whose next processes start while all are paused.
func restartTwo(ctx context.Context, s *stage) error {
	for range 2 {
		if _, err := s.killOne(ctx, consumers, s.between(50*time.Millisecond, 500*time.Millisecond)); err != nil {
			return err
		}
	}
	return nil
}

// nothingWhilePaused holds the row to having started no handler while all processes were
// paused.
func nothingWhilePaused(_ context.Context, s *stage) (problems []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.paused) == 0 {
		problems = append(problems, "it was never paused")
	}
	for _, m := range s.tally.messages {
		for _, start := range m.starts {
			for _, w := range s.paused {
				if start.at > w.from+earlyTolerance && start.at < w.to {
					problems = append(problems, fmt.Sprintf("%s was started by %s %d ms after all were paused", m.id, start.proc, start.at-w.from))
				}
			}
		}
	}
	return problems
}

// fleetPause is what an operator does.
type fleetPause struct {
	client   *framework.Client
	strikes  atomic.Int64
	followed atomic.Int64
}

func (f *fleetPause) Name() string { return "pause of all processes" }

// Strike pauses, and returns when all processes that live have followed.
func (f *fleetPause) Strike(ctx context.Context) error {
	if _, err := admin.Pause(ctx, f.client, queueName, admin.PauseOptions{Reason: "chaos", By: "harness"}); err != nil {
		return err
	}
	f.strikes.Add(1)
	for end := time.Now().Add(5 * time.Second); ; {
		all, err := admin.Processes(ctx, f.client, queueName)
		if err != nil {
			return err
		}
		open := 0
		for _, p := range all {
			if !p.TransferOnly && !p.Silent && p.Intake != health.IntakeClosed {
				open++
			}
		}
		switch {
		case open == 0 && len(all) > 0:
			f.followed.Add(int64(len(all)))
			return nil
		case time.Now().After(end):
			return fmt.Errorf("%d of %d processes have not followed within five seconds", open, len(all))
		}
		if err := wait(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// Heal resumes.
func (f *fleetPause) Heal(ctx context.Context) error {
	for {
		_, err := admin.Resume(ctx, f.client, queueName, "harness")
		if err == nil {
			return nil
		}
		if waited := wait(ctx, 50*time.Millisecond); waited != nil {
			return errors.Join(err, waited)
		}
	}
}

func (f *fleetPause) Tally() fault.Tally {
	return fault.Tally{Strikes: int(f.strikes.Load()), Effects: int(f.followed.Load()), Unit: "processes paused"}
}
