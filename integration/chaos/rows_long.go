package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// holders are consumers that hold what they took until they are killed.
const holders = "holder"

// The many consumers that die together.
const (
	holderProcesses = 5
	holderEngines   = 60 // in each of them
)

// longRows are faults of many consumers, many queues and long handlers.
func longRows() []row {
	const long = 9 * time.Second
	const failoverWork = 6 * time.Second
	return []row{
		{
			name: "many-deaths", title: "300 consumers die at once", faults: massDeath, cast: massCast, check: massHeld, patience: 30 * time.Second,
			idsLost: "where so many equal messages come back at one time some get new IDs, see PROMISES.md: equal ones are judged by their number",
			note:    "60 engines in each of five processes, each with a session and a message in hand; three processes are left",
		},
		{
			name: "long-handlers", title: "handlers longer than the lease", every: 250 * time.Millisecond, limit: long + 1500*time.Millisecond, patience: 40 * time.Second,
			cast: slowCast(40, long/2, long, 0), faults: liveLong,
			note: "handlers take 4.5 to 9 s; nothing strikes, so nothing may be handled again; recovery includes the handler",
		},
		{
			name: "many-queues", title: "many queues in one process, with suspects, and kill -9", cast: queuesCast, faults: kills(consumers, 16, 700*time.Millisecond), check: otherQueuesGoOn,
			patience: 90 * time.Second, slow: "suspects run alone, one after the other: recovery is not judged, but how long a fast queue stands still",
			note: fmt.Sprintf("%d queues in each of two processes; the handlers of one queue take up to 1.5 s, so that their messages are hit again and again and become suspects", manyQueues),
		},
		{
			name: "sentinel-slow", title: "Sentinel: replica half a second behind, handlers longer than the failover, a third fail, AwaitReplicas(1)", prepare: serveSentinel, await: 1,
			every: 120 * time.Millisecond, cast: slowCast(100, 0, failoverWork, 3), faults: laggingFailovers(3), patience: time.Minute,
			limit: failoverWork + 3*time.Second*12/10,
			note:  "no offer that a replica had confirmed may be lost; recovery includes the handler",
		},
	}
}

// slowCast is the usual cast with long handlers, of which one in so many
// fails at first. The workers must be enough to work off what gathers in an outage: recovery is
// not to be the time that a message waits for a free one.
func slowCast(workers int, least, most time.Duration, fail int) func(context.Context, *stage) error {
	return func(_ context.Context, s *stage) error {
		return errors.Join(
			s.enlist(producers, "produce", 3, nil),
			s.enlist(transferrers, "transfer", 2, nil),
			s.enlist(consumers, "consume", 4, func(i int, r *role) {
				r.FX, r.Workers, r.WorkLeast, r.Work = i%2 == 1, workers, least, most
				if fail > 0 {
					r.Fail = fail
				}
			}),
		)
	}
}

// massCast has very many consumers in a few processes, and a few more to outlive them.
func massCast(_ context.Context, s *stage) error {
	return errors.Join(
		s.enlist(producers, "produce", 3, nil),
		s.enlist(transferrers, "transfer", 2, nil),
		s.enlist(holders, "consume", holderProcesses, func(_ int, r *role) {
			r.Workers, r.Engines, r.WorkLeast, r.Work = 1, holderEngines, time.Minute, time.Minute
		}),
		s.enlistAs(consumers, "survivor", "consume", 3, func(_ int, r *role) { r.Workers, r.Work = 16, 20*time.Millisecond }),
	)
}

// massDeath kills all of the many at once, when each holds a message.
func massDeath(ctx context.Context, s *stage) error {
	slots := s.fleet.of(holders)
	var names []string
	var deaths []fault.Fault
	for range slots {
		victim := s.fleet.seize(holders, 0, true)
		if victim == nil {
			return errors.New("a holder is gone")
		}
		names = append(names, victim.processName())
		deaths = append(deaths, fault.Kill("kill -9", victim.target, nil))
	}
	full := func() int { return s.inHandOf(names) }
	for deadline := time.Now().Add(30 * time.Second); full() < holderProcesses*holderEngines && time.Now().Before(deadline); {
		if err := errors.Join(s.look(ctx), wait(ctx, 50*time.Millisecond)); err != nil {
			return err
		}
	}
	f := fault.Together(fmt.Sprintf("kill -9 of %d consumers", holderProcesses*holderEngines), deaths...)
	k, err := s.begin(ctx, f, true, names...)
	if err != nil {
		return err
	}
	k.healed = nowMs()
	return wait(ctx, 2*s.row.lease)
}

// inHandOf counts the messages that these processes have begun and not ended.
func (s *stage) inHandOf(procs []string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ms := range []map[string]*message{s.tally.messages, s.tally.named} {
		for key, m := range ms {
			if key == m.id && m.inHand(&strike{at: nowMs(), procs: procs}) {
				n++
			}
		}
	}
	return n
}

// massHeld holds the row to its number of deaths.
func massHeld(_ context.Context, s *stage) (problems []string) {
	n := 0
	for _, m := range s.tally.messages {
		if m.inHand(s.strikes[0]) {
			n++
		}
	}
	if least := holderProcesses * holderEngines * 9 / 10; n < least {
		problems = append(problems, fmt.Sprintf("the many consumers had %d messages in hand, not %d", n, least))
	}
	s.log("%d messages were in hand of those that died", n)
	return problems
}

// liveLong lets handlers run that take longer than their lease.
func liveLong(ctx context.Context, s *stage) error {
	f := &longHandlers{stage: s}
	k, err := s.begin(ctx, f, false)
	if err != nil {
		return err
	}
	if err := wait(ctx, time.Duration(s.some(15))*time.Second); err != nil {
		return err
	}
	return s.finish(ctx, f, k)
}

// longHandlers is a fault that has struck from the start.
type longHandlers struct {
	stage   *stage
	strikes int
}

func (l *longHandlers) Name() string                 { return "handlers longer than the lease" }
func (l *longHandlers) Heal(context.Context) error   { return nil }
func (l *longHandlers) Strike(context.Context) error { l.strikes++; return nil }

func (l *longHandlers) Tally() fault.Tally {
	l.stage.mu.Lock()
	defer l.stage.mu.Unlock()
	t := fault.Tally{Strikes: l.strikes, Unit: "handlers that took longer than the lease"}
	for _, m := range l.stage.tally.messages {
		for _, s := range m.starts {
			if s.end-s.at > l.stage.row.lease.Milliseconds() {
				t.Effects++
			}
		}
	}
	return t
}

// manyQueues is how many queues the processes of one row have; the handlers of the first
// one are slow.
const manyQueues = 8

// queuesCast has two consumers of all queues.
func queuesCast(_ context.Context, s *stage) error {
	many := func(_ int, r *role) { r.Queues = manyQueues }
	return errors.Join(
		s.enlist(producers, "produce", 3, many),
		s.enlist(transferrers, "transfer", 2, many),
		s.enlist(consumers, "consume", 2, many),
	)
}

// standstill is how long a fast queue may stand still beside suspects and kills.
const standstill = 2 * time.Second

// otherQueuesGoOn holds fast queues to going on, and the row to having had suspects.
func otherQueuesGoOn(_ context.Context, s *stage) (problems []string) {
	finished, suspects, until := map[string][]int64{}, 0, int64(0)
	for _, k := range s.strikes {
		until = max(until, k.healed+calm.Milliseconds()) // then the offers end, and only suspects are left
	}
	for _, ms := range []map[string]*message{s.tally.messages, s.tally.named} {
		for key, m := range ms {
			if m.group != "" && key == m.id && ms[key].offered > 0 && m.name != "" && m.name != key {
				continue // it stands under its name, too
			}
			id := m.id
			if m.group != "" {
				id = m.group
			}
			_, queue, _ := strings.Cut(id, "@")
			for _, f := range m.finishes {
				if f.at <= until {
					finished[queue] = append(finished[queue], f.at)
				}
			}
			if slices.ContainsFunc(m.starts, func(t touch) bool { return t.died > 1 }) {
				suspects++
			}
		}
	}
	var longest time.Duration
	for i := 1; i < manyQueues; i++ {
		gap := longestGap(finished[number(i)])
		longest = max(longest, gap)
		if gap > standstill || len(finished[number(i)]) == 0 {
			problems = append(problems, fmt.Sprintf("queue %d stood still for %v, more than %v", i, gap, standstill))
		}
	}
	if suspects == 0 {
		problems = append(problems, "no message became a suspect")
	}
	s.told = fmt.Sprintf("%d suspects; fast queues stood still for %s at most, of %s", suspects, seconds(longest), seconds(standstill))
	return problems
}

// enlistAs is enlist with other names than that of the part.
func (s *stage) enlistAs(kind, base, part string, n int, change func(i int, r *role)) error {
	for i := range n {
		err := s.fleet.add(kind, fmt.Sprintf("%s%d", base, i+1), func(name string) (*exec.Cmd, error) {
			r := s.role(part, name)
			change(i, r)
			return r.command()
		})
		if err != nil {
			return err
		}
	}
	return nil
}
