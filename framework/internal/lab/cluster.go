package lab

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	clusterSlots   = 16384
	clusterMasters = 3
)

// Cluster is a Redis Cluster of three masters without replicas on loopback.
type Cluster struct {
	nodes  []*Server
	client *redis.ClusterClient
}

// StartCluster runs a cluster for the duration of the test and returns when all
// nodes agree that it is complete, and what is published at one is heard at all. The
// options apply to each node.
func StartCluster(tb testing.TB, opts ...Option) *Cluster {
	tb.Helper()
	c := &Cluster{}
	opts = append([]Option{Args(
		"--cluster-enabled", "yes", "--cluster-node-timeout", "5000",
		"--cluster-config-file", "nodes.conf",
	)}, opts...)
	for range clusterMasters {
		c.nodes = append(c.nodes, StartRedis(tb, opts...))
	}
	if err := c.form(tb.Context()); err != nil {
		tb.Fatalf("lab: form the cluster: %v", err)
	}
	c.client = redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: c.Addrs(), Password: c.nodes[0].set.password, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	tb.Cleanup(func() { _ = c.client.Close() }) // a test may have closed it itself
	return c
}

// Addrs are the addresses of all nodes as host:port.
func (c *Cluster) Addrs() []string {
	var addrs []string
	for _, n := range c.nodes {
		addrs = append(addrs, n.Addr())
	}
	return addrs
}

// URL is the address of the first node as redis://host:port.
func (c *Cluster) URL() string { return c.nodes[0].URL() }

// Nodes are the servers, in the order of their slots; each may be killed and
// restarted by itself.
func (c *Cluster) Nodes() []*Server { return append([]*Server(nil), c.nodes...) }

// Client returns the cluster's client, the same one at each call; it is closed when
// the test ends.
func (c *Cluster) Client() *redis.ClusterClient { return c.client }

// form spreads the slots evenly, introduces the nodes to one another and waits
// until every node sees all slots served and hears the others. ADDSLOTS rather than ADDSLOTSRANGE: the
// latter came with Redis 7.0.
func (c *Cluster) form(ctx context.Context) error {
	for i, n := range c.nodes {
		lo, hi := clusterSlots*i/clusterMasters, clusterSlots*(i+1)/clusterMasters
		slots := make([]int, 0, hi-lo)
		for slot := lo; slot < hi; slot++ {
			slots = append(slots, slot)
		}
		rdb := n.Client()
		// Distinct epochs from the start: nodes need not settle a collision first.
		if err := rdb.Do(ctx, "cluster", "set-config-epoch", i+1).Err(); err != nil {
			return fmt.Errorf("set the epoch of %s: %w", n.Addr(), err)
		}
		if err := rdb.ClusterAddSlots(ctx, slots...).Err(); err != nil {
			return fmt.Errorf("add slots to %s: %w", n.Addr(), err)
		}
		if err := rdb.ClusterMeet(ctx, "127.0.0.1", strconv.Itoa(c.nodes[0].Port())).Err(); err != nil {
			return fmt.Errorf("introduce %s: %w", n.Addr(), err)
		}
	}
	if err := await(ctx.Done(), pollEvery, func() string { return c.missing(ctx) }); err != nil {
		return err
	}
	for _, n := range c.nodes {
		if err := c.awaitHeard(ctx, n); err != nil {
			return fmt.Errorf("what is published does not reach %s: %w", n.Addr(), err)
		}
	}
	return nil
}

// missing names the first node that does not see the whole cluster, and what it sees.
func (c *Cluster) missing(ctx context.Context) string {
	for _, n := range c.nodes {
		info, err := n.Client().ClusterInfo(ctx).Result()
		if err != nil {
			return fmt.Sprintf("%s: %v", n.Addr(), err)
		}
		for _, want := range []string{
			"cluster_state:ok\r\n", "cluster_slots_ok:16384\r\n",
			fmt.Sprintf("cluster_size:%d\r\n", clusterMasters),
			fmt.Sprintf("cluster_known_nodes:%d\r\n", clusterMasters),
		} {
			if !strings.Contains(info, want) {
				return fmt.Sprintf("%s lacks %q", n.Addr(), strings.TrimSpace(want))
			}
		}
	}
	return ""
}

// awaitHeard waits until what any node publishes reaches node n. A node of Valkey drops a
// message, and closes the link over which it came, if the link is from before it knew the
// sender and no ping has come since: up to seconds after the cluster is complete.
func (c *Cluster) awaitHeard(ctx context.Context, n *Server) error {
	const channel = "lab:heard"
	sub := n.Client().Subscribe(ctx, channel)
	defer func() { _ = sub.Close() }()
	if _, err := sub.Receive(ctx); err != nil {
		return err
	}
	messages, heard := sub.Channel(), map[string]bool{}
	return await(ctx.Done(), pollEvery, func() string {
		for len(messages) > 0 {
			heard[(<-messages).Payload] = true
		}
		var silent []string
		for _, from := range c.nodes {
			if heard[from.Addr()] {
				continue
			}
			silent = append(silent, from.Addr())
			if err := from.Client().Publish(ctx, channel, from.Addr()).Err(); err != nil {
				silent = append(silent, err.Error())
			}
		}
		return strings.Join(silent, " ")
	})
}
