package tracking

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// On a cluster each node has a connection of its own, and a list whose slot moves is found
// on its new node.
func TestFollowsSlots(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	rdb := cluster.Client()
	tracker := track(t, rdb, Options{Name: "slots"})
	lists := make([]*watched, 24)
	for i := range lists {
		lists[i] = tracker.watched(queuetest.NewQueue().Queue)
		lists[i].Rest(false)
	}
	for _, l := range lists {
		lab.WaitFor(t, "registration", l.quiet)
		push(t, rdb, l.key)
		lab.WaitFor(t, "news", func() bool { return l.woken.Load() == 1 })
		l.Awake()
		queuetest.Must[string](t)(rdb.LPop(t.Context(), l.key).Result())
		l.Rest(true)
	}
	for _, n := range cluster.Nodes() {
		if n := connections(t, n.Client(), "slots"); n != 1 {
			t.Errorf("%d connections to a node", n)
		}
	}
	l := lists[0]
	lab.WaitFor(t, "registration", l.quiet)
	moveEmptySlot(t, cluster, l.key)
	push(t, rdb, l.key)
	lab.WaitFor(t, "news from the new node", func() bool { return l.woken.Load() > 1 })
}

// moveEmptySlot gives the slot of a key, in which there is nothing, to another node.
func moveEmptySlot(t *testing.T, cluster *lab.Cluster, key string) {
	t.Helper()
	ctx := t.Context()
	slot := queuetest.Must[int64](t)(cluster.Client().ClusterKeySlot(ctx, key).Result())
	at := queuetest.Must[*redis.Client](t)(cluster.Client().MasterForKey(ctx, key)).Options().Addr
	for _, target := range cluster.Nodes() {
		if target.Addr() == at {
			continue
		}
		id := queuetest.Must[string](t)(target.Client().Do(ctx, "cluster", "myid").Text())
		for _, n := range append([]*lab.Server{target}, cluster.Nodes()...) {
			if err := n.Client().Do(ctx, "cluster", "setslot", slot, "node", id).Err(); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
}
