package endtoend_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// TestSlotMoves: the slot of a queue moves around a cluster of three, key by key as
// redis-cli --cluster reshard does it, while messages are offered, cancelled and
// handled. What was accepted is cancelled or handled, once.
func TestSlotMoves(t *testing.T) {
	t.Parallel()
	moves := size(2, 15)
	cluster := lab.StartCluster(t)
	config := framework.Config{
		Redis: framework.RedisConfig{Addrs: cluster.Addrs(), Mode: framework.ModeCluster}, Lease: 10 * time.Second, Block: time.Second,
	}
	queue := define(t, "", registry.Backoff(registry.Steps(50*time.Millisecond)))
	load := &slotLoad{t: t, queue: queue, state: map[string]*slotMessage{}, errors: map[string]int{}}
	for range 2 { // consumers, as two processes would be
		rig.Run(t, rig.OpenConfig(t, config), framework.Consume(queue, load, framework.Workers(4)))
	}
	client := rig.OpenConfig(t, config)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var producing sync.WaitGroup
	for i := range 3 {
		producing.Go(func() { load.produce(ctx, client, i) })
	}
	slot := int(cluster.Client().ClusterKeySlot(t.Context(), queue.Key()).Val())
	at := slot * 3 / 16384
	var torn time.Duration
	for range moves {
		load.await(200)
		torn += moveSlot(t, cluster, slot, at, (at+1)%3)
		at = (at + 1) % 3
	}
	load.await(200)
	stop()
	producing.Wait()

	lab.Wait(t, func() string {
		if n := load.open(); n > 0 {
			return fmt.Sprintf("%d messages are missing; %s", n, rig.Standing(t, client, queue))
		}
		return ""
	})
	lab.Wait(t, func() string {
		if c := rig.Counts(t, client, queue); c.Ready+c.Delayed+c.Dead != 0 {
			return fmt.Sprintf("left over: %+v", c)
		}
		return ""
	})
	load.judge(moves, torn)
}

// moveSlot moves a slot from one node to another, key by key, and returns how long the
// queue was on both.
func moveSlot(t *testing.T, cluster *lab.Cluster, slot, from, to int) time.Duration {
	t.Helper()
	began := time.Now()
	source, target := cluster.Nodes()[from], cluster.Nodes()[to]
	id := func(n *lab.Server) string {
		text, err := n.Client().Do(t.Context(), "cluster", "myid").Text()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	do := func(n *lab.Server, args ...any) {
		t.Helper()
		if err := n.Client().Do(t.Context(), args...).Err(); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
	}
	do(target, "cluster", "setslot", slot, "importing", id(source))
	do(source, "cluster", "setslot", slot, "migrating", id(target))
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	keys := 0
	for {
		found, err := source.Client().ClusterGetKeysInSlot(t.Context(), slot, 1).Result()
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			break
		}
		err = source.Client().Migrate(t.Context(), "127.0.0.1", strconv.Itoa(target.Port()), found[0], 0, 5*time.Second).Err()
		if err != nil {
			t.Fatalf("migrate %s: %v", found[0], err)
		}
		keys++
		<-tick.C // so that the queue is torn apart for a while
	}
	// The target first, so that the slot is never without an owner.
	for _, n := range append([]*lab.Server{target, source}, cluster.Nodes()...) {
		do(n, "cluster", "setslot", slot, "node", id(target))
	}
	if keys == 0 {
		t.Error("the slot was empty: nothing was moved")
	}
	t.Logf("slot %d moved from %s to %s, %d keys", slot, source.Addr(), target.Addr(), keys)
	return time.Since(began)
}
