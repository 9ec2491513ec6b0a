package endtoend_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// TestMigrateMany: a long queue of both of Redisson's layouts, in an order of due times
// that is not that of the list, is rewritten in many short scripts; so are elements that are
// not in the list.
func TestMigrateMany(t *testing.T) {
	t.Parallel()
	fill := mixedLayouts{name: "long", n: size(20_000, 1_000_000)}
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	fill.write(t, rdb)
	fill.check(t, rdb, false)
	client := rig.Open(t, srv.URL())
	migrate := func() admin.LayoutCounts {
		t.Helper()
		counts, err := admin.MigrateLayout(t.Context(), client, fill.name, admin.MigrateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return counts
	}
	counts := migrate()
	fill.counted(t, counts)
	fill.check(t, rdb, true)
	const most = 1000 // that one script looks at
	if counts.Scripts < fill.n/most {
		t.Errorf("%d scripts for %d elements", counts.Scripts, fill.n)
	}

	const unlisted = 3
	for i := range unlisted {
		e := mixedLayouts{name: fill.name, n: fill.n}.element(3 * i)
		if err := rdb.ZAdd(t.Context(), fill.set(), redis.Z{Score: fillBase, Member: e}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if again := migrate(); again.Rewritten != unlisted || again.Left() != 0 {
		t.Errorf("of %d elements that the list lacks: %+v", unlisted, again)
	}
}

// TestMigrateOnCluster: queues on each node of a cluster.
func TestMigrateOnCluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	client := rig.OpenConfig(t, framework.Config{Redis: framework.RedisConfig{Addrs: cluster.Addrs(), Mode: framework.ModeCluster}})
	nodes := map[int64]bool{}
	for i := range 6 {
		fill := mixedLayouts{name: fmt.Sprint("migrate ", i), n: size(1000, 5000)}
		nodes[cluster.Client().ClusterKeySlot(t.Context(), fill.name).Val()*3/16384] = true
		fill.write(t, cluster.Client())
		counts, err := admin.MigrateLayout(t.Context(), client, fill.name, admin.MigrateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		fill.counted(t, counts)
		fill.check(t, cluster.Client(), true)
	}
	if len(nodes) != 3 {
		t.Errorf("the queues fall on %d of 3 nodes: give them other names", len(nodes))
	}
}

// TestMigrateThroughFailover: the master dies in the middle of a migration through
// Sentinel. The migration ends with an error; run again at the new master, it does what
// is left, and every message is there with its due time.
func TestMigrateThroughFailover(t *testing.T) {
	t.Parallel()
	group := lab.StartSentinel(t)
	client := rig.OpenConfig(t, framework.Config{Redis: framework.RedisConfig{
		Addrs: group.Addrs(), MasterName: group.MasterName(), Mode: framework.ModeSentinel,
	}})
	fill := mixedLayouts{name: "failover", n: size(10_000, 50_000)}
	rdb := group.Client()
	fill.write(t, rdb)
	if n, err := rdb.Wait(t.Context(), 1, 10*time.Second).Result(); err != nil || n != 1 {
		t.Fatalf("WAIT = %d, %v", n, err)
	}
	killed := false
	counts, err := admin.MigrateLayout(t.Context(), client, fill.name, admin.MigrateOptions{
		Progress: func(c admin.LayoutCounts) {
			if !killed && c.Rewritten > int64(fill.n)/4 {
				killed = true
				group.Master().Kill()
			}
		},
	})
	if err == nil {
		t.Fatal("the master was killed, and the migration noticed nothing")
	}
	t.Logf("ended by %v after %d", err, counts.Rewritten)
	first := counts.Rewritten
	lab.Wait(t, func() string {
		counts, err = admin.MigrateLayout(t.Context(), client, fill.name, admin.MigrateOptions{})
		if err != nil {
			return err.Error()
		}
		return ""
	})
	if counts.Left() != 0 || counts.Universal != int64(fill.n) || counts.Rewritten == 0 {
		t.Errorf("at the new master: %+v", counts)
	}
	fill.check(t, rdb, true)
	t.Logf("report: a migration of %d elements through Sentinel: %d before the master was killed, %d at the new one, nothing lost", fill.n, first, counts.Rewritten)
}
