package main

import (
	"context"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

const asynchronous = "replication is asynchronous: measured, and no loss is promised away"

// clusterRows are the faults of several servers.
func clusterRows() []row {
	return []row{
		{name: "slot-move", title: "Cluster of three: slot moves", prepare: serveCluster, faults: func(ctx context.Context, s *stage) error {
			return repeated(4, 700*time.Millisecond, true, func(s *stage) fault.Fault { return fault.SlotMove(s.cluster, queueName) })(ctx, s)
		}},
		{name: "node-kill", title: "Cluster of three: node kill -9, AOF always", prepare: serveCluster, faults: func(ctx context.Context, s *stage) error {
			return repeated(3, 300*time.Millisecond, true, func(s *stage) fault.Fault { return fault.NodeKill(s.cluster, queueName) })(ctx, s)
		}},
		{
			name: "sentinel", title: "Sentinel: primary kill -9, replica up to date", prepare: serveSentinel, measured: asynchronous,
			faults: repeated(2, 0, true, func(s *stage) fault.Fault { return fault.PrimaryKill(s.sentinel) }),
		},
		{
			name: "sentinel-lag", title: "Sentinel: primary kill -9, replica half a second behind", prepare: serveSentinel, measured: asynchronous,
			faults: laggingFailovers(2),
		},
		{
			name: "sentinel-lag-wait", title: "the same, offers with AwaitReplicas(1)", prepare: serveSentinel, await: 1,
			faults: laggingFailovers(2),
			note:   "an offer that one replica has not confirmed counts as unknown, as its error says; one replica: with several, Sentinel may choose another",
		},
		{
			name: "sentinel-failover", title: "SENTINEL FAILOVER, offers with AwaitReplicas(1)", prepare: serveSentinel, await: 1,
			faults: repeated(4, 500*time.Millisecond, true, func(s *stage) fault.Fault { return fault.SentinelFailover(s.sentinel) }),
		},
	}
}

func serveCluster(ctx context.Context, s *stage) error {
	c, err := fault.StartCluster(ctx, s.row.server)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() { _ = c.Close() })
	s.cluster, s.rdb, s.redis = c, c.Client(), framework.RedisConfig{Addrs: c.Addrs(), Mode: framework.ModeCluster}
	return nil
}

func serveSentinel(ctx context.Context, s *stage) error {
	g, err := fault.StartSentinel(ctx, 1, s.row.server)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() { _ = g.Close() })
	client := g.Client()
	s.closers = append(s.closers, func() { _ = client.Close() })
	s.sentinel, s.rdb, s.redis = g, client, framework.RedisConfig{Addrs: g.Addrs(), MasterName: g.MasterName()}
	return nil
}

// laggingFailovers kill a primary whose replica has been cut off for half a second.
func laggingFailovers(n int) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		kill := fault.PrimaryKill(s.sentinel)
		cut := &replicationCut{group: s.sentinel}
		for range n {
			behind, err := s.begin(ctx, cut, false)
			if err != nil {
				return err
			}
			if err := wait(ctx, 500*time.Millisecond); err != nil {
				return err
			}
			if err := s.finish(ctx, cut, behind); err != nil { // it measures, and stays cut
				return err
			}
			if err := s.harmFrom(ctx, kill, 0, true, behind.at); err != nil {
				return err
			}
			if err := wait(ctx, s.between(time.Second, 2*time.Second)); err != nil {
				return err
			}
		}
		return nil
	}
}

// replicationCut keeps the replicas of a Sentinel group from following their primary, as
// a broken network between them does: the primary forbids what replication needs. A
// restart of the primary ends it, since that is not written down.
type replicationCut struct {
	group   *fault.Sentinel
	primary *fault.Server
	tally   fault.Tally
}

func (c *replicationCut) Name() string       { return "replication cut" }
func (c *replicationCut) Tally() fault.Tally { return c.tally }

func (c *replicationCut) Strike(ctx context.Context) (err error) {
	if c.primary, err = c.group.Primary(ctx); err != nil {
		return err
	}
	rdb := c.primary.Client()
	if err := rdb.Do(ctx, "acl", "setuser", "default", "-psync", "-replconf", "-sync").Err(); err != nil {
		return err
	}
	if err := rdb.Do(ctx, "client", "kill", "type", "replica").Err(); err != nil {
		return err
	}
	c.tally.Strikes++
	c.tally.Unit = "bytes of commands that the replica never got"
	return nil
}

// Heal counts what the replica lacks. The cut lasts until the primary is killed.
func (c *replicationCut) Heal(ctx context.Context) error {
	ahead, err := replicationOffset(ctx, c.primary, "master_repl_offset")
	if err != nil {
		return err
	}
	for _, srv := range c.group.Servers() {
		if srv == c.primary {
			continue
		}
		behind, err := replicationOffset(ctx, srv, "slave_repl_offset")
		if err != nil {
			return err
		}
		c.tally.Effects += int(ahead - behind)
	}
	return nil
}

func replicationOffset(ctx context.Context, srv *fault.Server, field string) (int64, error) {
	info, err := srv.Client().InfoMap(ctx, "replication").Result()
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(info["Replication"][field], 10, 64)
}
