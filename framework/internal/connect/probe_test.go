package connect

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// With all permissions the probe says yes and leaves no trace.
func TestProbe(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	queuetest.Put(t, rdb, k, queuetest.NowMs(t, rdb)+3_600_000, wire.Pack(wire.NewIDs().Next(), []byte("x")))
	before := queuetest.Must[[]string](t)(rdb.Keys(t.Context(), "*"+k.Queue+"*").Result())
	held := queuetest.Dump(t, rdb, k)
	if err := ProbeQueues(t.Context(), rdb, []wire.Keys{k}, nil)[0]; err != nil {
		t.Error(err)
	}
	after := queuetest.Must[[]string](t)(rdb.Keys(t.Context(), "*"+k.Queue+"*").Result())
	slices.Sort(before)
	slices.Sort(after)
	if !slices.Equal(before, after) || queuetest.Dump(t, rdb, k) != held {
		t.Errorf("keys before %v, after %v", before, after)
	}
}

// Each command the scripts use, taken away: the probe names it and what to grant.
func TestProbeNamesCommands(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	for _, command := range []string{
		"time", "type", "zadd", "zrem", "zscore", "zrank", "zrange", "zrangebyscore", "zcard", "zcount",
		"rpush", "lpush", "ltrim", "lrem", "llen", "lrange", "lmove", "hset", "hget", "hmget", "hdel", "hlen", "hsetnx", "hgetall",
		"hrandfield", "xadd", "xlen", "xrange", "xdel", "sadd", "srem", "smembers", "del", "publish", "evalsha", "subscribe",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			k := queuetest.NewQueue()
			rdb := lab.AsUser(t, srv, "-"+command)
			err := ProbeQueues(t.Context(), rdb, []wire.Keys{k}, nil)[0]
			p, ok := errors.AsType[*fault.PermissionError](err)
			if !ok || p.Grant() != "+"+command || !strings.Contains(err.Error(), "+"+command) {
				t.Errorf("got %v", err)
			}
			if keys := srv.Client().Keys(t.Context(), "*"+k.Queue+"*").Val(); len(keys) != 0 {
				t.Errorf("left behind: %v", keys)
			}
		})
	}
	t.Run("several at once", func(t *testing.T) {
		t.Parallel()
		err := ProbeQueues(t.Context(), lab.AsUser(t, srv, "-lrem", "-xadd", "-zrank"), []wire.Keys{queuetest.NewQueue()}, nil)[0]
		for _, grant := range []string{"+lrem", "+xadd", "+zrank"} {
			if err == nil || !strings.Contains(err.Error(), grant) {
				t.Errorf("%s is missing in %v", grant, err)
			}
		}
	})
	t.Run("network", func(t *testing.T) {
		t.Parallel()
		if err := ProbeQueues(t.Context(), lab.Connect(t, "127.0.0.1:1"), []wire.Keys{queuetest.NewQueue()}, nil)[0]; !rediserr.IsTransient(err) {
			t.Errorf("got %v", err)
		}
	})
}

func TestCheckVersion(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	version, err := Version(t.Context(), rdb)
	if err != nil || version == "" {
		t.Errorf("got %q, %v", version, err)
	}
	t.Run("without INFO", func(t *testing.T) {
		t.Parallel()
		srv := lab.StartRedis(t)
		if version, err := Version(t.Context(), lab.AsUser(t, srv, "-info")); err != nil || version != "" {
			t.Errorf("got %q, %v", version, err)
		}
		if version, err := Version(t.Context(), lab.AsUser(t, srv, "-info", "-hrandfield")); err != nil || version != "" {
			t.Errorf("got %q, %v", version, err)
		}
	})
	t.Run("network", func(t *testing.T) {
		t.Parallel()
		if _, err := Version(t.Context(), lab.Connect(t, "127.0.0.1:1")); !rediserr.IsTransient(err) {
			t.Errorf("got %v", err)
		}
	})
	for version, old := range map[string]bool{
		"6.2": false, "6.2.14": false, "7.0.15": false, "10.0": false, "6.0.20": true, "5.0.14": true, "6": true, "": true,
	} {
		if olderThan(version, MinVersion) != old {
			t.Errorf("%q: older is %v", version, !old)
		}
	}
	for _, e := range []*VersionError{{Version: "5.0.14", Min: MinVersion}, {Min: MinVersion, Missing: "HRANDFIELD"}} {
		if !strings.Contains(e.Error(), "6.2 or later") || errors.Unwrap(e) != nil {
			t.Error(e)
		}
	}
}
