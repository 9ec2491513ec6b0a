package endtoend_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// TestCluster handles queues on every node of a cluster of three, among them a name
// with a hash tag of its own.
func TestCluster(t *testing.T) {
	t.Parallel()
	const queues, each = 9, 50
	cluster := lab.StartCluster(t)
	client := rig.OpenConfig(t, framework.Config{Redis: framework.RedisConfig{Addrs: cluster.Addrs(), Mode: framework.ModeCluster}})

	collectors := make([]rig.Collector[string], queues)
	var all []*registry.Queue[string]
	var consumers []framework.Consumer
	nodes := map[int64]bool{}
	for i := range queues {
		q := define(t, fmt.Sprintf("_%d", i))
		if i == 0 {
			q = define(t, "_{tagged}")
		}
		slot, err := cluster.Client().ClusterKeySlot(t.Context(), q.Key()).Result()
		if err != nil {
			t.Fatal(err)
		}
		nodes[slot*3/16384] = true
		all = append(all, q)
		consumers = append(consumers, framework.Consume(q, &collectors[i]))
	}
	if len(nodes) != 3 {
		t.Fatalf("the queues fall on %d of 3 nodes: give them other names", len(nodes))
	}
	rig.Run(t, client, consumers...)
	for n := range each {
		for _, q := range all {
			rig.Offer(t, client, q, fmt.Sprint(n), time.Duration(n)*10*time.Millisecond)
		}
	}
	for i, q := range all {
		seen := map[string]int{}
		for _, g := range collectors[i].Await(t, each) {
			seen[g.Payload]++
			if g.Due.IsZero() || g.Lateness < 0 {
				t.Errorf("%s: due %v, lateness %v", q.Code(), g.Due, g.Lateness)
			}
		}
		if len(seen) != each {
			t.Errorf("%s: %d of %d messages", q.Code(), len(seen), each)
		}
	}
}
