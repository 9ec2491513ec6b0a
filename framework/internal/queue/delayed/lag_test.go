package delayed

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// lagOf is the lag after a while of at least 20 ms, within which what waits must have waited.
func lagOf(t *testing.T, rdb *redis.Client, k wire.Keys) Lag {
	t.Helper()
	n := queuetest.Must[QueueCounts](t)(Counts(t.Context(), rdb, k))
	return n.Lag
}

// moved transfers what is due.
func moved(t *testing.T, rdb *redis.Client, k wire.Keys, want int) {
	t.Helper()
	if r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{})); r.Moved != want {
		t.Fatalf("moved %d, want %d", r.Moved, want)
	}
}

// Exact where Go transferred, whoever pushed behind; a lower bound where Java did.
func TestLag(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("b", 2<<20)
	rdb := lab.Shared.Client()
	ctx := t.Context()
	now := queuetest.NowMs(t, rdb)
	put := func(k wire.Keys, ago int64, payload string) {
		queuetest.Put(t, rdb, k, now-ago, wire.Pack(wire.NewIDs().Next(), []byte(payload)))
	}
	for name, c := range map[string]struct {
		make    func(k wire.Keys)
		least   int64 // ms
		atLeast bool
	}{
		"empty":   {func(wire.Keys) {}, 0, false},
		"pending": {func(k wire.Keys) { put(k, -60_000, "later") }, 0, false},
		"overdue": {func(k wire.Keys) { put(k, 7000, "a"); put(k, 9000, "b") }, 9000, false},
		"negative, never due": {func(k wire.Keys) {
			rdb.ZAdd(ctx, k.Timeout, redis.Z{Score: -5, Member: "x"})
		}, 0, false},
		"ready":         {func(k wire.Keys) { put(k, 7000, "a"); put(k, 9000, "b"); moved(t, rdb, k, 2) }, 9000, false},
		"large payload": {func(k wire.Keys) { put(k, 9000, strings.Repeat("p", 5000)); moved(t, rdb, k, 1) }, 9000, false},
		"huge payload":  {func(k wire.Keys) { put(k, 9000, big); moved(t, rdb, k, 1) }, 0, true},
		"ready and overdue": {func(k wire.Keys) {
			put(k, 9000, "a")
			moved(t, rdb, k, 1)
			put(k, 20_000, "b")
		}, 20_000, false},
		"Java behind": {func(k wire.Keys) {
			put(k, 9000, "a")
			moved(t, rdb, k, 1)
			rdb.RPush(ctx, k.Queue, "by Java", "and again")
		}, 9000, false},
		"Java before": {func(k wire.Keys) {
			rdb.RPush(ctx, k.Queue, "by Java")
			put(k, 9000, "a")
			moved(t, rdb, k, 1)
		}, 0, true},
		"Java alone": {func(k wire.Keys) { rdb.RPush(ctx, k.Queue, "by Java") }, 0, true},
		"taken, then Java": {func(k wire.Keys) {
			put(k, 9000, "a")
			moved(t, rdb, k, 1)
			rdb.LPop(ctx, k.Queue)
			moved(t, rdb, k, 0) // sees that nothing is ready
			rdb.RPush(ctx, k.Queue, "a")
		}, 0, true},
		"no list of due records": {func(k wire.Keys) {
			rdb.RPush(ctx, k.Queue, "x")
			rdb.Set(ctx, k.Due, "text", 0)
		}, 0, true},
		"mark of another type": {func(k wire.Keys) {
			rdb.RPush(ctx, k.Queue, "x")
			rdb.HSet(ctx, k.Head, "a", "b")
		}, 0, true},
		"mark that is none": {func(k wire.Keys) {
			rdb.RPush(ctx, k.Queue, "x")
			rdb.Set(ctx, k.Head, "nonsense", 0)
		}, 0, true},
	} {
		k := queuetest.NewQueue()
		c.make(k)
		got := lagOf(t, rdb, k)
		if got.Ms < c.least || got.Ms > c.least+60_000 || got.AtLeast != c.atLeast {
			t.Errorf("%s: %+v, want %d ms or more, at least: %v", name, got, c.least, c.atLeast)
		}
	}
}

// A message that Java put there waits since it was first seen at the head, by whomever, until it is
// taken or the clock is put back.
func TestLagOfWhatJavaTransferred(t *testing.T) {
	t.Parallel()
	clock := time.UnixMilli(4102444800000)
	rdb := queuetest.WithClock(t, func() time.Time { return clock })
	ctx, k := t.Context(), queuetest.NewQueue()
	want := func(what string, lag time.Duration) {
		t.Helper()
		if got := lagOf(t, rdb, k); got.Ms != lag.Milliseconds() {
			t.Errorf("%s: %+v, want %v", what, got, lag)
		}
	}
	rdb.RPush(ctx, k.Queue, "a", "b")
	want("at once", 0)
	clock = clock.Add(time.Hour)
	if want("after an hour", time.Hour); !lagOf(t, rdb, k).AtLeast {
		t.Error("after an hour: nobody knows how long it waited before")
	}
	rdb.RPush(ctx, k.Queue, "c", "d")
	clock = clock.Add(time.Hour)
	want("more behind it", 2*time.Hour)
	rdb.LPop(ctx, k.Queue)
	want("another head", 0)
	clock = clock.Add(time.Minute)
	rdb.RPush(ctx, k.Queue, "b") // an equal one
	rdb.LPop(ctx, k.Queue)
	rdb.LPop(ctx, k.Queue)
	rdb.LPop(ctx, k.Queue)
	want("an equal one, and fewer messages", 0)
	clock = clock.Add(-2 * time.Hour)
	want("after the clock went back", 0)
	clock = clock.Add(time.Minute)
	want("a minute later", time.Minute)
}

// An equal payload that Java offers again, once all was taken, is not as old as the first one.
func TestLagOfEqualPayloadsBeginsAnew(t *testing.T) {
	t.Parallel()
	clock := time.UnixMilli(4102444800000)
	rdb, k := queuetest.WithClock(t, func() time.Time { return clock }), queuetest.NewQueue()
	look := func(want int64) {
		t.Helper()
		if got := lagOf(t, rdb, k).Ms; got != want {
			t.Errorf("lag %d ms, want %d", got, want)
		}
	}
	rdb.RPush(t.Context(), k.Queue, "same")
	look(0)
	clock = clock.Add(time.Minute)
	look(60_000)
	rdb.LPop(t.Context(), k.Queue)
	look(0)
	rdb.RPush(t.Context(), k.Queue, "same")
	look(0)
}
