package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// spreadOver is the number of partitions in these rows.
const spreadOver = 8

// partitionRows are the faults of a cluster over which a queue is spread.
func partitionRows() []row {
	return []row{
		{
			name: "partitions-slot-move", title: "eight partitions on a cluster of three: slots move", partitions: spreadOver, prepare: serveCluster,
			faults: onPartitions(func(s *stage, p admin.Partition) (fault.Fault, time.Duration) {
				return fault.SlotMove(s.cluster, p.Name), 700 * time.Millisecond
			}),
		},
		{
			name: "partitions-node-kill", title: "eight partitions on a cluster of three: node kill -9, AOF always", partitions: spreadOver, prepare: serveCluster,
			faults: onPartitions(func(s *stage, p admin.Partition) (fault.Fault, time.Duration) {
				return fault.NodeKill(s.cluster, p.Name), 300 * time.Millisecond
			}),
		},
		{
			name: "partitions-node-hangs", title: "eight partitions on a cluster of three: a node stands still", partitions: spreadOver,
			server: fault.ServerOptions{Config: []string{"cluster-require-full-coverage no"}}, prepare: serveCluster,
			// Producers wait for the node too: more of them, so that the others get enough.
			cast: func(_ context.Context, s *stage) error {
				return errors.Join(
					s.enlist(producers, "produce", 6, nil),
					s.enlist(transferrers, "transfer", 2, nil),
					s.enlist(consumers, "consume", 4, func(i int, r *role) { r.FX, r.Workers = i%2 == 1, workers }),
				)
			},
			faults: onPartitions(hang), check: othersGoOn,
			note: "the partitions of the other nodes go on: how late their messages are meanwhile is judged",
		},
	}
}

// hang stops the node of a partition for most of a lease.
func hang(s *stage, p admin.Partition) (fault.Fault, time.Duration) {
	for _, n := range s.cluster.Nodes() {
		if n.Addr() == p.Node {
			return fault.RedisPause(n), s.row.lease * 2 / 3
		}
	}
	return nil, 0
}

// onPartitions strikes at partitions of three nodes, one after the other.
func onPartitions(choice func(s *stage, p admin.Partition) (fault.Fault, time.Duration)) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		for range s.some(3) {
			all, err := s.partitions(ctx)
			if err != nil {
				return err
			}
			p := all[s.dice(len(all))]
			f, lasting := choice(s, p)
			if f == nil {
				return fmt.Errorf("no node serves %s", p.Name)
			}
			s.hits = append(s.hits, partitionHit{from: nowMs(), node: p.Node, all: all})
			if err := s.harm(ctx, f, lasting, true); err != nil {
				return err
			}
			s.hits[len(s.hits)-1].to = nowMs()
			if err := wait(ctx, s.between(500*time.Millisecond, time.Second)); err != nil {
				return err
			}
		}
		return nil
	}
}

// partitionHit is a fault of one node.
type partitionHit struct {
	from, to int64
	node     string
	all      []admin.Partition // where they were
}

// partitions tells where they are.
func (s *stage) partitions(ctx context.Context) (all []admin.Partition, err error) {
	client, err := framework.Open(ctx, framework.Config{Redis: s.redis, NoTransfer: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	return admin.Partitions(ctx, client, queueName)
}

const (
	othersLate = time.Second // how late the messages of other nodes may be while one hangs
	othersMany = 20          // of them, to judge by
)

// othersGoOn judges the messages that fell due in partitions of other nodes while one hung.
// The beginning is left out, in which it is not known yet that it hangs, and the end, since
// they are to be over by then.
func othersGoOn(_ context.Context, s *stage) (problems []string) {
	var late []time.Duration
	for _, m := range s.tally.messages {
		for _, hit := range s.hits {
			if m.accepted == 0 || m.due < max(hit.from+200, m.accepted) || m.due > hit.to-othersLate.Milliseconds() {
				continue
			}
			if p, err := partitionIn(m.place); err != nil || p >= len(hit.all) || hit.all[p].Node == hit.node {
				continue
			}
			wait := 10 * time.Second
			if len(m.starts) > 0 {
				wait = time.Duration(m.starts[0].at-m.due) * time.Millisecond
			}
			late = append(late, wait)
		}
	}
	slices.Sort(late)
	if len(late) < othersMany {
		return []string{fmt.Sprintf("only %d messages of other nodes fell due while one hung", len(late))}
	}
	worst := late[len(late)*19/20]
	if worst > othersLate {
		problems = append(problems, fmt.Sprintf("one in twenty messages of other nodes was more than %v late while one hung, at most %v are right", worst, othersLate))
	}
	s.told = fmt.Sprintf("%d messages of other nodes fell due while one hung: 19 of 20 at most %s late", len(late), seconds(worst))
	return problems
}

// partitionIn reads what an ID begins with.
func partitionIn(place string) (int, error) {
	number, _, found := strings.Cut(place, ".")
	if !found {
		return 0, nil
	}
	return strconv.Atoi(number)
}
