package queuetest

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Server is what a conformance test runs against.
type Server struct {
	Name   string
	Client *redis.Client
	Mini   *miniredis.Miniredis // nil for the real one
}

var queueNumber atomic.Int64

// NewQueue returns the keys of a queue nobody else uses.
func NewQueue() wire.Keys { return wire.KeysOf(fmt.Sprintf("test:q%d", queueNumber.Add(1))) }

// OnBoth runs a test against a real Redis and against miniredis.
func OnBoth(t *testing.T, test func(t *testing.T, s Server)) {
	t.Helper()
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		test(t, Server{Name: "redis", Client: lab.Connect(t, lab.Shared.Addr())})
	})
	t.Run("miniredis", func(t *testing.T) {
		t.Parallel()
		mini := miniredis.RunT(t)
		test(t, Server{Name: "miniredis", Client: lab.Connect(t, mini.Addr()), Mini: mini})
	})
}

// NowMs returns the server's time in ms, rounded down.
func NowMs(t testing.TB, rdb redis.UniversalClient) int64 {
	t.Helper()
	now, err := rdb.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	return now.UnixMilli()
}

// Put adds a raw element to both delayed structures, as a producer would.
func Put(t testing.TB, rdb redis.UniversalClient, k wire.Keys, score any, element []byte) {
	t.Helper()
	// In one step, as every Redisson does: it offers by a script.
	_, err := rdb.TxPipelined(t.Context(), func(p redis.Pipeliner) error {
		p.Do(t.Context(), "ZADD", k.Timeout, score, element)
		p.RPush(t.Context(), k.Pending, element)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Ready returns the ready list as text.
func Ready(t testing.TB, rdb redis.UniversalClient, k wire.Keys) []string {
	t.Helper()
	list, err := rdb.LRange(t.Context(), k.Queue, 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Counts returns the lengths of ready list, timeout set, pending list and dead store.
func Counts(t testing.TB, rdb redis.UniversalClient, k wire.Keys) [4]int64 {
	t.Helper()
	ctx := t.Context()
	var n [4]int64
	for i, cmd := range []*redis.IntCmd{
		rdb.LLen(ctx, k.Queue), rdb.ZCard(ctx, k.Timeout), rdb.LLen(ctx, k.Pending), rdb.XLen(ctx, k.Dead),
	} {
		v, err := cmd.Result()
		if err != nil {
			t.Fatal(err)
		}
		n[i] = v
	}
	return n
}

// Must stops the test on an error.
func Must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
