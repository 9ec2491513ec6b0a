package redisson

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"go.uber.org/goleak"

	"github.com/duequeue/duequeue/framework/frameworktest/redisserver"
)

// realServer is shared by all tests that do not harm it; they use queues of
// their own.
var realServer *redisserver.Server

// longForm reports whether tests that have a long form run in it: CI wants it, make test
// does not.
func longForm() bool { return os.Getenv("DUEQUEUE_TEST_LONG") == "1" }

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if realServer, err = redisserver.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "these tests need redis-server:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := realServer.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// server is what a conformance test runs against.
type server struct {
	name string
	rdb  *redis.Client
	mini *miniredis.Miniredis // nil for the real one
}

var queueNumber atomic.Int64

// newQueue returns the keys of a queue nobody else uses.
func newQueue() Keys { return KeysOf(fmt.Sprintf("test:q%d", queueNumber.Add(1))) }

// onBoth runs a test against a real Redis and against miniredis.
func onBoth(t *testing.T, test func(t *testing.T, s server)) {
	t.Helper()
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		test(t, server{name: "redis", rdb: connect(t, realServer.Addr())})
	})
	t.Run("miniredis", func(t *testing.T) {
		t.Parallel()
		mini := miniredis.RunT(t)
		test(t, server{name: "miniredis", rdb: connect(t, mini.Addr()), mini: mini})
	})
}

// connect returns a client as the framework configures them.
func connect(t testing.TB, addr string) *redis.Client {
	t.Helper()
	rdb := redis.NewClient(&redis.Options{
		Addr: addr, MaxRetries: -1, ContextTimeoutEnabled: true, DisableIdentity: true,
		ReadTimeout:              time.Minute, // the fake takes seconds for large scripts on a busy machine
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// nowMs returns the server's time in ms, rounded down.
func nowMs(t testing.TB, rdb redis.UniversalClient) int64 {
	t.Helper()
	now, err := rdb.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	return now.UnixMilli()
}

// put adds a raw element to both delayed structures, as a producer would.
func put(t testing.TB, rdb redis.UniversalClient, k Keys, score any, element []byte) {
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

// ready returns the ready list as text.
func ready(t testing.TB, rdb redis.UniversalClient, k Keys) []string {
	t.Helper()
	list, err := rdb.LRange(t.Context(), k.Queue, 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// counts returns the lengths of ready list, timeout set, pending list and dead store.
func counts(t testing.TB, rdb redis.UniversalClient, k Keys) [4]int64 {
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

// eventually waits until ok returns true; it fails the test after a minute, which is
// for busy machines alone.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited a minute for: %s", what)
		}
	}
}

// must stops the test on an error.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
