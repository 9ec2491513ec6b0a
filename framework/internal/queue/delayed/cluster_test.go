package delayed

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// The whole wire on three nodes: queues on each of them, one subscription, and a
// node that hangs holds up only its own queues.
func TestCluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	rdb := cluster.Client()
	ctx := t.Context()

	t.Run("slots", func(t *testing.T) {
		for _, key := range []string{
			"q", "orders:eu", "a{b}c", "{{q}}", "a}b{c}", "a}b", "a{b", "a{}b", "{}", "x{}y{z}", "订单", "{user1000}.following",
		} {
			want := queuetest.Must[int64](t)(rdb.ClusterKeySlot(ctx, key).Result())
			if got := wire.Slot(key); int64(got) != want {
				t.Errorf("%q: got %d, the cluster says %d", key, got, want)
			}
		}
	})
	t.Run("names", func(t *testing.T) {
		for _, name := range []string{"cluster:q", "a{b}c", "a}b{c}", "a}b", "a{b", "a{}b"} {
			_, err := Offer(ctx, rdb, wire.KeysOf(name), OfferArgs{Delay: time.Hour})
			var slot *fault.SlotError
			var server *fault.ServerError
			if bad := errors.As(wire.CheckName(name), &slot); bad != (err != nil) {
				t.Errorf("%q: CheckName %v, offer %v", name, wire.CheckName(name), err)
			} else if bad && (!errors.As(err, &server) || server.Kind != fault.KindCrossSlot) {
				t.Errorf("%q: got %v", name, err)
			}
		}
	})
	t.Run("probe", func(t *testing.T) {
		if err := connect.ProbeQueues(ctx, rdb, []wire.Keys{queuetest.NewQueue()}, nil)[0]; err != nil {
			t.Error(err)
		}
		if version, err := connect.Version(ctx, rdb); err != nil || version == "" {
			t.Errorf("version %q, %v", version, err)
		}
	})
	t.Run("lost reply", func(t *testing.T) { testClusterLostReply(t, cluster) })
}

// A cluster client resends by itself; an offer must not be doubled by that.
func testClusterLostReply(t *testing.T, cluster *lab.Cluster) {
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: cluster.Addrs()})
	t.Cleanup(func() { _ = rdb.Close() })
	l := &lossy{plans: []loss{noLoss, lostReply, noLoss, lostCall}}
	rdb.OnNewNode(func(node *redis.Client) { node.AddHook(l) })
	k := queuetest.NewQueue()
	for i := range 3 {
		// Two tries at most by themselves; the script may be unknown to the node once.
		_, err := Offer(t.Context(), rdb, k, OfferArgs{Payload: fmt.Appendf(nil, "%d", i), Delay: time.Hour})
		if err != nil {
			t.Error(err)
		}
	}
	if n := queuetest.Counts(t, rdb, k); n != [4]int64{0, 3, 3, 0} {
		t.Errorf("ready, timeout, pending, dead = %v after %d calls", n, l.calls)
	}
	if l.calls < 5 {
		t.Errorf("%d calls: nothing was lost", l.calls)
	}
}
