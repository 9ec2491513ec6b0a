package framework_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
)

// Where one node of a cluster is down, its queues stand still and the others go on: for services that
// run, for those that start meanwhile, and for the tools, which name the node.
func TestOneNodeOfAClusterIsDown(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t, lab.Args("--cluster-require-full-coverage", "no"))
	onNode := func(node int) string {
		for i := 0; ; i++ {
			name := fmt.Sprintf("q%d", i)
			if wire.Slot(name)*3/16384 == node {
				return name
			}
		}
	}
	live, gone := stringQueue(onNode(0)), stringQueue(onNode(1))
	down := cluster.Nodes()[1]
	if err := down.Stop(); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "the others know that it is gone", func() bool {
		info, _ := cluster.Nodes()[0].Client().ClusterNodes(t.Context()).Result()
		return strings.Contains(info, "fail ") || strings.Contains(info, "fail,") || strings.Contains(info, ",fail")
	})
	for range 5 { // whichever node the client asks first
		client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{Mode: framework.ModeCluster, Addrs: cluster.Addrs()}, Lease: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		handled := make(chan string, 1)
		h := handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error { handled <- d.Payload; return nil })
		e, err := framework.New(client, []framework.Consumer{framework.Consume(live, h), framework.Consume(gone, h)})
		if err != nil {
			t.Fatal(err)
		}
		if err = e.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		queuetest.Must[framework.Receipt](t)(framework.Bind(client, live).Offer(t.Context(), "x", 0))
		lab.WaitFor(t, "it is handled", func() bool { return len(handled) == 1 })
		found, err := admin.Diagnose(t.Context(), client, nil, admin.DiagnoseOptions{})
		said := fmt.Sprint(found, err)
		if !strings.Contains(said, down.Addr()) {
			t.Errorf("no word about %s: %s", down.Addr(), said)
		}
		lab.WaitFor(t, "it listens", func() bool {
			all, err := admin.StatusOf(t.Context(), client, live.Key())
			return err == nil && all[0].Takers == 1 && all[0].Listeners == 1
		})
		queues, _, err := admin.Queues(t.Context(), client, admin.QueuesOptions{})
		if err == nil || !strings.Contains(err.Error(), down.Addr()) {
			t.Errorf("queues: %v", err)
		}
		for _, q := range queues {
			if v := admin.Judge(q); q.Queue == live.Key() && v.State != admin.StateFine || q.Queue == gone.Key() && (v.State != "unreadable" || !strings.Contains(v.Text(), down.Addr())) {
				t.Errorf("%s: %s", q.Queue, v.Text())
			}
		}
		named, err := admin.DiagnoseQueue(t.Context(), client, gone.Key(), admin.DiagnoseOptions{})
		if err != nil || named.State != "unreadable" || !strings.Contains(named.Text(), down.Addr()) {
			t.Errorf("%s by its name: %s, %v", gone.Key(), named.Text(), err)
		}
		if err = e.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		_ = client.Close()
	}
}
