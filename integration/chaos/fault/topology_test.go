package fault_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

func startSentinel(t *testing.T) *fault.Sentinel {
	t.Helper()
	g, err := fault.StartSentinel(bounded(t), 1, fault.ServerOptions{})
	noError(t, err)
	t.Cleanup(func() { closed(t, g) })
	return g
}

// TestPrimaryKill: there and back; what was replicated is there each time.
func TestPrimaryKill(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	g := startSentinel(t)
	rdb := g.Client()
	defer closed(t, rdb)
	f := fault.PrimaryKill(g)
	for round := range 2 {
		noError(t, rdb.RPush(ctx, "list", round).Err())
		if n, err := rdb.Wait(ctx, 1, 5*time.Second).Result(); n != 1 {
			t.Fatalf("%d replicas have it: %v", n, err)
		}
		old, err := g.Primary(ctx)
		noError(t, err)
		strike(t, f)
		if old.Running() {
			t.Error("the primary runs on")
		}
		heal(t, f)
		now, err := g.Primary(ctx)
		noError(t, err)
		if now == old || !old.Running() {
			t.Errorf("primary %s, was %s, which runs: %v", now.Addr(), old.Addr(), old.Running())
		}
		wantRefused(t, old.Client().Set(ctx, "k", "v", 0).Err(), "READONLY")
		if n := now.Client().LLen(ctx, "list").Val(); n != int64(round+1) {
			t.Errorf("the new primary has %d entries, want %d", n, round+1)
		}
		wantTally(t, f, round+1, round+1)
		eventually(t, func() error { return rdb.Ping(ctx).Err() }) // the client follows
	}
}

// TestSentinelFailover: there and back, and there again, with no rest between.
func TestSentinelFailover(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	g := startSentinel(t)
	f := fault.SentinelFailover(g)
	for round := range 4 {
		old, err := g.Primary(ctx)
		noError(t, err, old.Client().RPush(ctx, "list", round).Err(), old.Client().Wait(ctx, 1, 5*time.Second).Err())
		strike(t, f)
		now, err := g.Primary(ctx)
		noError(t, err)
		if now == old {
			t.Fatal("the primary is the same")
		}
		heal(t, f)
		wantTally(t, f, round+1, round+1)
		if n := now.Client().LLen(ctx, "list").Val(); n != int64(round+1) {
			t.Errorf("the new primary has %d entries, want %d", n, round+1)
		}
	}
}

// TestSentinelFailoverAsksAgain: one that comes to nothing, because the chosen replica
// does not become a primary, is not waited for in vain.
func TestSentinelFailoverAsksAgain(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	g := startSentinel(t)
	old, err := g.Primary(ctx)
	noError(t, err)
	replica := g.Servers()[1].Client()
	noError(t, replica.Do(ctx, "acl", "setuser", "default", "-slaveof", "-replicaof").Err())
	asked := redis.NewSentinelClient(&redis.Options{Addr: g.Addrs()[0]})
	defer closed(t, asked)
	f := fault.SentinelFailover(g)
	struck := make(chan error, 1)
	go func() { struck <- f.Strike(ctx) }()
	eventually(t, func() error {
		if state := asked.Master(ctx, g.MasterName()).Val()["failover-state"]; state != "wait_promotion" {
			return fmt.Errorf("the Sentinel is at %q", state)
		}
		return nil
	})
	noError(t, replica.Do(ctx, "acl", "setuser", "default", "+slaveof", "+replicaof").Err(), <-struck)
	heal(t, f)
	if now, err := g.Primary(ctx); err != nil || now == old {
		t.Errorf("the primary is the same (%v)", err)
	}
	wantTally(t, f, 1, 1)
}

func eventually(t *testing.T, ok func() error) {
	t.Helper()
	ctx := bounded(t)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ok()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-tick.C:
		}
	}
}

func startCluster(t *testing.T) *fault.Cluster {
	t.Helper()
	c, err := fault.StartCluster(bounded(t), fault.ServerOptions{})
	noError(t, err)
	t.Cleanup(func() { closed(t, c) })
	return c
}

// TestSlotMove: all the way round. While the slot is open half of its keys are here and
// half are there, single keys are found all the same, and pairs are refused.
func TestSlotMove(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	c := startCluster(t)
	rdb := c.Client()
	const keys = 20
	name := func(i int) string { return fmt.Sprintf("{q}:%d", i) }
	for i := range keys {
		noError(t, rdb.Set(ctx, name(i), i, 0).Err())
	}
	f := fault.SlotMove(c, "{q}")
	first, err := c.Owner(ctx, "{q}")
	noError(t, err)
	for round := range 3 {
		owner, err := c.Owner(ctx, "{q}")
		noError(t, err)
		next := (owner + 1) % 3
		before := f.Tally().Effects
		strike(t, f)
		here, there := size(ctx, t, c.Nodes()[owner]), size(ctx, t, c.Nodes()[next])
		if here == 0 || there == 0 || here+there != keys {
			t.Errorf("round %d: %d keys here, %d there", round, here, there)
		}
		refused := 0
		for i := range keys {
			if got, err := rdb.Get(ctx, name(i)).Int(); err != nil || got != i {
				t.Errorf("%s = %d, %v", name(i), got, err)
			}
			node := c.Nodes()[owner].Client()
			if err := node.MGet(ctx, name(i), name((i+1)%keys)).Err(); err != nil {
				refused++
			}
		}
		if refused == 0 {
			t.Error("no command was sent away")
		}
		heal(t, f)
		if now, err := c.Owner(ctx, "{q}"); err != nil || now != next {
			t.Errorf("owned by %d (%v), want %d", now, err, next)
		}
		if here, there := size(ctx, t, c.Nodes()[owner]), size(ctx, t, c.Nodes()[next]); here != 0 || there != keys {
			t.Errorf("after it: %d keys here, %d there", here, there)
		}
		if got := f.Tally(); got.Effects-before < refused || got.Strikes != round+1 {
			t.Errorf("%v, at least %d more", got, refused)
		}
	}
	if last, err := c.Owner(ctx, "{q}"); err != nil || last != first {
		t.Errorf("came back to %d (%v), from %d", last, err, first)
	}
}

func size(ctx context.Context, t *testing.T, s *fault.Server) int64 {
	t.Helper()
	n, err := s.Client().DBSize(ctx).Result()
	noError(t, err)
	return n
}

// TestSlotMoveOfAnEmptySlot: a slot without keys can be open too.
func TestSlotMoveOfAnEmptySlot(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	c := startCluster(t)
	owner, err := c.Owner(ctx, "{q}")
	noError(t, err)
	f := fault.SlotMove(c, "{q}")
	strike(t, f)
	wantRefused(t, c.Nodes()[owner].Client().Get(ctx, "{q}").Err(), "ASK")
	noError(t, c.Client().Set(ctx, "{q}", "v", 0).Err())
	heal(t, f)
	if got := c.Client().Get(ctx, "{q}").Val(); got != "v" {
		t.Errorf("got %q", got)
	}
}

func TestNodeKill(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	c := startCluster(t)
	noError(t, c.Client().Set(ctx, "{q}", "v", 0).Err())
	owner, err := c.Owner(ctx, "{q}")
	noError(t, err)
	f := fault.NodeKill(c, "{q}")
	strike(t, f)
	if c.Nodes()[owner].Running() {
		t.Error("the node runs on")
	}
	heal(t, f)
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: c.Addrs()})
	defer closed(t, rdb)
	if got, err := rdb.Get(ctx, "{q}").Result(); got != "v" {
		t.Errorf("got %q, %v", got, err)
	}
	wantTally(t, f, 1, 1)
}
