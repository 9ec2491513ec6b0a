package connect

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// shared makes a shared client that is closed with the test.
func shared(t *testing.T, at redis.UniversalOptions) redis.UniversalClient {
	t.Helper()
	rdb := (&Redis{Options: at, Name: "duequeue"}).Shared()
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// TestNothingIsSentTwice cuts the connection while a script runs: the script has
// run, its reply is lost, and the client must say so instead of running it again.
func TestNothingIsSentTwice(t *testing.T) {
	t.Parallel()
	single, cluster := lab.Start(t), lab.StartCluster(t)
	for name, tc := range map[string]struct {
		at    redis.UniversalOptions
		admin redis.UniversalClient
	}{
		"standalone": {redis.UniversalOptions{Addrs: []string{single.Addr()}}, single.Client()},
		"cluster":    {redis.UniversalOptions{Addrs: cluster.Addrs(), IsClusterMode: true}, cluster.Client()},
	} {
		for kind, send := range map[string]func(t *testing.T, rdb redis.UniversalClient, key string) error{
			"single": func(t *testing.T, rdb redis.UniversalClient, key string) error {
				return rdb.Eval(t.Context(), countAndStall, []string{key}).Err()
			},
			"pipeline": func(t *testing.T, rdb redis.UniversalClient, key string) error {
				pipe := rdb.Pipeline()
				first := pipe.Eval(t.Context(), countAndStall, []string{key})
				pipe.Get(t.Context(), key)
				_, err := pipe.Exec(t.Context())
				return errors.Join(err, first.Err())
			},
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				at := tc.at
				at.ReadTimeout = 100 * time.Millisecond // shorter than the script runs
				rdb := shared(t, at)
				key := "{count}:" + name + kind
				err := send(t, rdb, key)
				var timeout net.Error
				if !errors.As(err, &timeout) && !errors.Is(err, io.EOF) {
					t.Errorf("error %T: %v", err, err)
				}
				// The server is busy until the script is done; a second one would be
				// seen by then, since it was queued behind the first.
				if n, err := tc.admin.Get(t.Context(), key).Int(); err != nil || n != 1 {
					t.Errorf("ran %d times (%v)", n, err)
				}
			})
		}
	}
}

// countAndStall counts its runs and keeps the server busy for a quarter of a second. Where
// scripts have os.clock, their TIME stands still (Redis 7.2, Valkey).
const countAndStall = `
redis.call('incr', KEYS[1])
local clock = rawget(_G, 'os') and rawget(_G, 'os').clock
local function now()
  if clock then return clock() * 1000 end
  local t = redis.call('time'); return t[1] * 1000 + t[2] / 1000
end
local stop = now() + 250
while now() < stop do end
return 'done'`

// TestClusterFollowsMovedSlots moves a slot under the client's feet.
func TestClusterFollowsMovedSlots(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	rdb := shared(t, redis.UniversalOptions{Addrs: cluster.Addrs(), IsClusterMode: true})
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
