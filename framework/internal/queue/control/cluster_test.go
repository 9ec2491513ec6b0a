package control

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// A node that hangs holds up the control of its own queues alone.
func TestFollowerOnAClusterWithANodeThatHangs(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	// As connect makes it. Otherwise its first command asks any node for COMMAND, which the
	// one that hangs answers after seconds or never.
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: cluster.Addrs(), DisableRoutingPolicies: true, ReadTimeout: time.Hour})
	defer func() { _ = rdb.Close() }()
	// The others are not to declare the cluster down meanwhile, which they do after this time.
	for _, n := range cluster.Nodes() {
		if err := n.Client().ConfigSet(t.Context(), "cluster-node-timeout", "60000").Err(); err != nil {
			t.Fatal(err)
		}
	}
	told := make(chan string, 100)
	var queues []Queue
	keys := map[string]wire.Keys{}
	for i := range 9 {
		k := wire.KeysOf(fmt.Sprintf("q%d", i))
		keys[k.Queue] = k
		queues = append(queues, Queue{Name: k.Queue, Key: k.Control, Log: quiet, Apply: func(s State) {
			if s.Pause != nil {
				told <- k.Queue
			}
		}})
	}
	f := NewFollower(rdb, queues, 200*time.Millisecond, quiet)
	f.LookAll(t.Context())
	ctx, end := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); f.Run(ctx) }()
	defer func() { end(); <-done }()

	hangs := cluster.Nodes()[0]
	hangs.Pause()
	defer hangs.Resume()
	var healthy []string
	for name, k := range keys {
		if node, err := rdb.MasterForKey(t.Context(), k.Queue); err != nil || node.Options().Addr == hangs.Addr() {
			continue
		}
		healthy = append(healthy, name)
		if _, _, err := PauseFor(t.Context(), rdb, k, Pause{Reason: "x"}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if len(healthy) == 0 || len(healthy) == len(keys) {
		t.Fatalf("%d of %d queues are elsewhere", len(healthy), len(keys))
	}
	for _, name := range healthy {
		f.Told(changeMark + name)
	}
	seen := map[string]bool{}
	lab.Wait(t, func() string {
		for len(told) > 0 {
			seen[<-told] = true
		}
		if len(seen) < len(healthy) {
			return fmt.Sprintf("%d of %d queues are told", len(seen), len(healthy))
		}
		return ""
	})
}
