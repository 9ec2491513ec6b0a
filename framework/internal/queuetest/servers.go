package queuetest

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

var queueNumber atomic.Int64

// NewQueue returns the keys of a queue nobody else uses.
func NewQueue() wire.Keys { return wire.KeysOf(fmt.Sprintf("test:q%d", queueNumber.Add(1))) }

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
