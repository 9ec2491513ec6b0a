package watch

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Queues on each of three nodes, one subscription, and a node that hangs holds up only its
// own queues.
func TestWatcherCluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	rdb := cluster.Client()
	ctx := t.Context()
	a := newArrivals()
	var queues []Queue
	nodes := make(map[string][]wire.Keys)
	for range 24 {
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
	lateness := func(where string, keys []wire.Keys) (late []time.Duration) {
		for i, k := range keys {
			name := fmt.Sprintf("%s %d", where, i)
			offered := queuetest.Must[delayed.OfferResult](t)(delayed.Offer(ctx, rdb, k, delayed.OfferArgs{Payload: []byte(name), Delay: 200 * time.Millisecond}))
			lab.WaitFor(t, "the message "+where, func() bool { _, ok := a.when(name); return ok })
			at, _ := a.when(name)
			late = append(late, at.Sub(time.UnixMilli(offered.DueMs)))
		}
		slices.Sort(late)
		return late
	}
	calm := lateness("while all nodes answer", nodes[slices.Sorted(maps.Keys(nodes))[0]]) // what this machine is up to

	// One node hangs, not the one that holds the subscription; messages of the
	// others stay on time.
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
	var healthy []wire.Keys
	for node, keys := range nodes {
		if node != hung.Addr() {
			healthy = append(healthy, keys...)
		}
	}
	late := lateness("beside the node that hangs", healthy)
	median, limit := late[len(late)/2], 50*time.Millisecond+2*calm[len(calm)-1]
	t.Logf("lateness beside a node that hangs: p50 %v, max %v; at most %v while all answered", median, late[len(late)-1], calm[len(calm)-1])
	if median > limit {
		t.Errorf("%v late on median, want at most %v", median, limit)
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
