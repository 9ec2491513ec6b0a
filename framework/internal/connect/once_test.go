package connect

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
)

// shared makes a shared client that is closed with the test.
func shared(t *testing.T, at Options) redisapi.Client {
	t.Helper()
	rdb := (&Redis{Options: at, Name: "duequeue"}).Shared()
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// TestNothingIsSentTwice holds a server up while a command is on its way: the command runs
// later, its reply is lost, and the client must say so instead of sending it again.
func TestNothingIsSentTwice(t *testing.T) {
	t.Parallel()
	single, cluster := lab.StartRedis(t), lab.StartCluster(t)
	for name, tc := range map[string]struct {
		at    Options
		admin redisapi.Client
		nodes []*lab.Server
	}{
		"standalone": {Options{Addrs: []string{single.Addr()}}, single.Client(), []*lab.Server{single}},
		"cluster":    {Options{Addrs: cluster.Addrs(), IsClusterMode: true}, cluster.Client(), cluster.Nodes()},
	} {
		for kind, send := range map[string]func(t *testing.T, rdb redisapi.Client, key string) error{
			"single": func(t *testing.T, rdb redisapi.Client, key string) error {
				return rdb.Incr(t.Context(), key).Err()
			},
			"pipeline": func(t *testing.T, rdb redisapi.Client, key string) error {
				pipe := rdb.Pipeline()
				first := pipe.Incr(t.Context(), key)
				pipe.Get(t.Context(), key)
				_, err := pipe.Exec(t.Context())
				return errors.Join(err, first.Err())
			},
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				at := tc.at
				at.ReadTimeout = 200 * time.Millisecond // shorter than the server stands still
				rdb := shared(t, at)
				key := "{count}:" + name + kind
				if err := rdb.Get(t.Context(), key).Err(); !errors.Is(err, redis.Nil) { // it is connected
					t.Fatal(err)
				}
				for _, n := range tc.nodes {
					n.Pause()
				}
				time.AfterFunc(500*time.Millisecond, func() { // a second try would end after that
					for _, n := range tc.nodes {
						n.Resume()
					}
				})
				err := send(t, rdb, key)
				var timeout net.Error
				if !errors.As(err, &timeout) && !errors.Is(err, io.EOF) {
					t.Errorf("error %T: %v", err, err)
				}
				count := func() (n int) {
					n, _ = tc.admin.Get(t.Context(), key).Int()
					return n
				}
				lab.WaitFor(t, "it did not run", func() bool { return count() > 0 })
				if n := count(); n != 1 {
					t.Errorf("ran %d times", n)
				}
			})
		}
	}
}

// TestClusterFollowsMovedSlots moves a slot under the client's feet.
func TestClusterFollowsMovedSlots(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	rdb := shared(t, Options{Addrs: cluster.Addrs(), IsClusterMode: true})
	const key = "moving"
	slot, err := cluster.Client().ClusterKeySlot(t.Context(), key).Result()
	if err != nil {
		t.Fatal(err)
	}
	if err := rdb.Get(t.Context(), key).Err(); !errors.Is(err, redis.Nil) {
		t.Fatal(err)
	}
	from := int(slot) * 3 / 16384
	target := cluster.Nodes()[(from+1)%3]
	id, err := target.Client().ClusterMyID(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []*lab.Server{target, cluster.Nodes()[from]} {
		if err := n.Client().Do(t.Context(), "cluster", "setslot", slot, "node", id).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := rdb.Set(t.Context(), key, "v", 0).Err(); err != nil {
		t.Errorf("SET after the move: %v", err)
	}
	pipe := rdb.Pipeline()
	got := pipe.Get(t.Context(), key)
	if _, err := pipe.Exec(t.Context()); err != nil || got.Val() != "v" {
		t.Errorf("pipeline after the move: %q, %v", got.Val(), err)
	}
	tx := rdb.TxPipeline()
	got = tx.Get(t.Context(), key)
	if _, err := tx.Exec(t.Context()); err != nil || got.Val() != "v" {
		t.Errorf("transaction after the move: %q, %v", got.Val(), err)
	}
}
