package watch

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Queues on each of three nodes, one subscription, and a node that hangs holds up only its
// own queues.
func TestWatcherCluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	// Nobody gives up what hangs; see connect for the routing.
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: cluster.Addrs(), DisableRoutingPolicies: true, ReadTimeout: time.Hour})
	t.Cleanup(func() { _ = rdb.Close() })
	ctx := t.Context()
	a := newArrivals()
	var queues []Queue
	nodes := make(map[string][]wire.Keys)
	for range 12 {
		k := queuetest.NewQueue()
		queues = append(queues, Queue{Keys: k, DueTracking: true, Served: a.serve(ctx, rdb, k)})
		node := queuetest.Must[*redis.Client](t)(rdb.MasterForKey(ctx, k.Queue)).Options().Addr
		nodes[node] = append(nodes[node], k)
	}
	if len(nodes) != 3 {
		t.Fatalf("the queues lie on %d nodes", len(nodes))
	}
	w := watch(t, rdb, queues, Options{})
	lab.WaitFor(t, "the subscription", func() bool { return w.Health().Subscribed })
	for i, q := range queues {
		queuetest.Must[delayed.OfferResult](t)(delayed.Offer(ctx, rdb, q.Keys, delayed.OfferArgs{Payload: fmt.Appendf(nil, "%d", i), Delay: 100 * time.Millisecond}))
	}
	lab.WaitFor(t, "a message of each queue", func() bool { return a.count() == len(queues) })
	// One node hangs, not the one that holds the subscription; messages of the
	// others come meanwhile.
	at := slices.IndexFunc(cluster.Nodes(), func(n *lab.Server) bool {
		return subscribers(t, n.Client(), queues[0].Keys) == 0
	})
	hung := cluster.Nodes()[at]
	// A busy machine may need longer than the nodes wait before they give one up.
	for _, n := range cluster.Nodes() {
		queuetest.Must[string](t)(n.Client().ConfigSet(ctx, "cluster-require-full-coverage", "no").Result())
	}
	hung.Pause()
	defer hung.Resume()
	come := 0
	for node, keys := range nodes {
		if node == hung.Addr() {
			continue
		}
		for _, k := range keys {
			name := fmt.Sprintf("beside the node that hangs %d", come)
			queuetest.Must[delayed.OfferResult](t)(delayed.Offer(ctx, rdb, k, delayed.OfferArgs{Payload: []byte(name), Delay: 20 * time.Millisecond}))
			lab.WaitFor(t, "the message "+name, func() bool { _, ok := a.when(name); return ok })
			come++
		}
	}
	hung.Resume()
	for i, k := range nodes[hung.Addr()] {
		name := fmt.Sprintf("back %d", i)
		lab.WaitFor(t, "the node to be back", func() bool {
			_, err := delayed.Offer(ctx, rdb, k, delayed.OfferArgs{Payload: []byte(name)})
			return err == nil
		})
		lab.WaitFor(t, "its message", func() bool { _, ok := a.when(name); return ok })
	}
}
