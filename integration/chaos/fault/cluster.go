package fault

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	clusterSlots   = 16384
	clusterNodes   = 3
	clusterTimeout = 30 * time.Second
)

// Cluster is a Redis Cluster of three primaries without replicas on loopback.
type Cluster struct {
	nodes  []*Server
	ids    []string // of the nodes, as CLUSTER MYID tells
	client *redis.ClusterClient
}

// StartCluster runs a cluster and returns when all nodes agree that it is complete;
// Close ends it.
func StartCluster(ctx context.Context, o ServerOptions) (*Cluster, error) {
	ctx, cancel := context.WithTimeout(ctx, clusterTimeout)
	defer cancel()
	c := &Cluster{}
	if err := c.start(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("start the cluster: %w", err), c.Close())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, o ServerOptions) error {
	o.bus = true
	o.Config = append([]string{
		"cluster-enabled yes", "cluster-node-timeout 2000", "cluster-config-file nodes.conf",
	}, o.Config...)
	for i := range clusterNodes {
		s, err := StartServer(ctx, o)
		if err != nil {
			return err
		}
		c.nodes = append(c.nodes, s)
		id, err := s.client.Do(ctx, "cluster", "myid").Text()
		if err != nil {
			return err
		}
		c.ids = append(c.ids, id)
		lo, hi := clusterSlots*i/clusterNodes, clusterSlots*(i+1)/clusterNodes
		slots := make([]int, 0, hi-lo)
		for slot := lo; slot < hi; slot++ {
			slots = append(slots, slot)
		}
		err = errors.Join(
			// Distinct epochs from the start: nodes need not settle a collision first.
			s.client.Do(ctx, "cluster", "set-config-epoch", i+1).Err(),
			s.client.ClusterAddSlots(ctx, slots...).Err(), // ADDSLOTSRANGE came with Redis 7.0
			s.client.ClusterMeet(ctx, "127.0.0.1", strconv.Itoa(c.nodes[0].port)).Err(),
		)
		if err != nil {
			return err
		}
	}
	c.client = redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: c.Addrs(), DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	return c.awaitWhole(ctx)
}

// Close ends all nodes and the client.
func (c *Cluster) Close() error {
	var all error
	if c.client != nil {
		_ = c.client.Close() // it says "closed already" at the second call
	}
	for _, s := range c.nodes {
		all = errors.Join(all, s.Close())
	}
	return all
}

// Addrs are the addresses of the nodes as host:port.
func (c *Cluster) Addrs() []string { return addrsOf(c.nodes) }

// Nodes are the servers.
func (c *Cluster) Nodes() []*Server { return append([]*Server(nil), c.nodes...) }

// Client is a client of the cluster, closed by Close.
func (c *Cluster) Client() *redis.ClusterClient { return c.client }

// awaitWhole waits until each node sees all slots served by all nodes.
func (c *Cluster) awaitWhole(ctx context.Context) error {
	return await(ctx, func() error {
		for _, n := range c.nodes {
			info, err := n.client.ClusterInfo(ctx).Result()
			if err != nil {
				return errors.Join(errNotYet, err)
			}
			for _, want := range []string{
				"cluster_state:ok\r\n", "cluster_slots_ok:16384\r\n",
				fmt.Sprintf("cluster_size:%d\r\n", clusterNodes), fmt.Sprintf("cluster_known_nodes:%d\r\n", clusterNodes),
			} {
				if !strings.Contains(info, want) {
					return fmt.Errorf("%w: node %s lacks %q in\n%s", errNotYet, n.Addr(), strings.TrimSpace(want), info)
				}
			}
		}
		return nil
	})
}

// Owner is the number of the node that serves a key, as the first node that is up sees it.
func (c *Cluster) Owner(ctx context.Context, key string) (int, error) {
	slot, shards, err := c.look(ctx, key)
	if err != nil {
		return 0, err
	}
	for _, shard := range shards {
		if shard.Start > slot || slot > shard.End {
			continue
		}
		for i, n := range c.nodes {
			if len(shard.Nodes) > 0 && shard.Nodes[0].Addr == n.Addr() {
				return i, nil
			}
		}
	}
	return 0, fmt.Errorf("%w: nobody serves slot %d of %s", ErrNoTarget, slot, key)
}

func (c *Cluster) look(ctx context.Context, key string) (slot int, shards []redis.ClusterSlot, err error) {
	for _, n := range c.nodes {
		if !n.Running() {
			continue
		}
		var at int64
		if at, err = n.client.ClusterKeySlot(ctx, key).Result(); err != nil {
			continue
		}
		//nolint:staticcheck // CLUSTER SHARDS came with Redis 7.0
		if shards, err = n.client.ClusterSlots(ctx).Result(); err == nil {
			return int(at), shards, nil
		}
	}
	return 0, nil, errors.Join(ErrNoTarget, err)
}

// NodeKill ends the node that serves key by SIGKILL; Heal starts it again and waits
// until the cluster is whole.
func NodeKill(c *Cluster, key string) Fault {
	f := &simple{state: state{name: "Cluster: node killed", unit: "nodes killed"}}
	var victim *Server
	f.begin = func(ctx context.Context) error {
		owner, err := c.Owner(ctx, key)
		if err != nil {
			return err
		}
		victim = c.nodes[owner]
		if !victim.Running() {
			return fmt.Errorf("%w: node %s is down already", ErrNoTarget, victim.Addr())
		}
		if err := victim.Kill(); err != nil {
			return err
		}
		f.effects.Add(1)
		return nil
	}
	f.end = func(ctx context.Context) error {
		if !victim.Running() {
			if err := victim.Restart(ctx); err != nil {
				return err
			}
		}
		return c.awaitWhole(ctx)
	}
	return f
}
