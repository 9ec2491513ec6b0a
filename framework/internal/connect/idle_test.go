package connect

import (
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
)

// After a rush of callers the connections that it needed stay for a moment; then few are left.
func TestIdleConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]func() redisapi.Client{
		"alone": func() redisapi.Client {
			srv := lab.StartRedis(t)
			return (&Redis{Options: Options{Addrs: []string{srv.Addr()}, PoolSize: 8}}).Shared()
		},
		"cluster": func() redisapi.Client {
			cluster := lab.StartCluster(t)
			return (&Redis{Options: Options{Addrs: cluster.Addrs(), IsClusterMode: true, PoolSize: 8}}).Shared()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rdb := client()
			t.Cleanup(func() { _ = rdb.Close() })
			idle := NewIdle(rdb, 2)
			for range 2 {
				rush(t, rdb)
				idle.look(t.Context())
				for _, node := range idle.present() {
					if n := node.(interface{ PoolStats() *redis.PoolStats }).PoolStats().IdleConns; n > 2 {
						t.Errorf("%d are idle", n)
					}
				}
			}
			if len(idle.present()) == 0 {
				t.Error("no node was seen")
			}
			idle.Start(t.Context())
			idle.Stop()
			_ = rdb.Close()
			idle.look(t.Context()) // of a client that is closed
		})
	}
}

// rush lets many use the client at once.
func rush(t *testing.T, rdb redisapi.Client) {
	t.Helper()
	var all sync.WaitGroup
	for _, key := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		for range 8 {
			all.Go(func() {
				if err := rdb.LPush(t.Context(), key, "x").Err(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
}
