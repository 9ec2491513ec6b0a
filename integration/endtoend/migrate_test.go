package endtoend_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// scriptLimit is how long Redis may be held at a time.
const scriptLimit = 10 * time.Millisecond

// TestMigrateMany: a long queue of both of Redisson's layouts, in an order of due times
// that is not that of the list, is rewritten in scripts of at most 10 ms. An element that
// is not in the list costs a search of all of it, which is told.
func TestMigrateMany(t *testing.T) {
	t.Parallel()
	fill := mixedLayouts{name: "long", n: 100_000}
	if longForm() {
		fill.n = 1_000_000
	}
	srv := lab.Start(t)
	rdb := srv.Client()
	fill.write(t, rdb)
	fill.check(t, rdb, false)
	client := rig.Open(t, srv.URL())

	began := time.Now()
	counts, worst, over := migrateWatched(t, client, srv, fill.name)
	took := time.Since(began)
	fill.counted(t, counts)
	fill.check(t, rdb, true)
	// What is measured is the processor time of Redis between two scripts: now and then
	// it has other work in it, as giving memory back.
	if over > counts.Scripts/200 {
		t.Errorf("%d of %d scripts took more than %v", over, counts.Scripts, scriptLimit)
	}

	const unlisted = 3
	for i := range unlisted {
		e := mixedLayouts{name: fill.name, n: fill.n}.element(3 * i)
		if err := rdb.ZAdd(t.Context(), fill.set(), redis.Z{Score: fillBase, Member: e}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	again, search, _ := migrateWatched(t, client, srv, fill.name)
	if again.Rewritten != unlisted || again.Left() != 0 {
		t.Errorf("of %d elements that the list lacks: %+v", unlisted, again)
	}
	t.Logf("report: %d pending elements made universal in %v by %d scripts, of which the longest held the processor for %v; one that searched the list of %d for an element that is not there: %v",
		counts.Rewritten, took.Round(time.Millisecond), counts.Scripts, worst, fill.n, search)
}

// migrateWatched migrates a queue and tells for how long the longest script held the
// processor, and how many held it for longer than they may.
func migrateWatched(t *testing.T, client *framework.Client, srv *lab.Server, queue string) (counts admin.LayoutCounts, worst time.Duration, over int) {
	t.Helper()
	before := onCPU(t, srv.PID())
	counts, err := admin.MigrateLayout(t.Context(), client, queue, admin.MigrateOptions{
		Progress: func(admin.LayoutCounts) {
			now := onCPU(t, srv.PID())
			spent := now - before
			before, worst = now, max(worst, spent)
			if spent > scriptLimit {
				over++
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return counts, worst, over
}

// onCPU is how long the server's only thread for commands has run: what a script costs
// whatever else the machine is busy with.
func onCPU(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/schedstat", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(ns)
}

// TestMigrateOnCluster: queues on each node of a cluster.
func TestMigrateOnCluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	client := rig.OpenConfig(t, framework.Config{Redis: framework.RedisConfig{Addrs: cluster.Addrs(), Mode: framework.ModeCluster}})
	nodes := map[int64]bool{}
	for i := range 6 {
		fill := mixedLayouts{name: fmt.Sprint("migrate ", i), n: 5000}
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
	fill := mixedLayouts{name: "failover", n: 50_000}
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
	rig.Eventually(t, time.Minute, func() string {
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
