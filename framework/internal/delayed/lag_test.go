package delayed

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// lagOf is the lag after a while of at least 20 ms, within which what waits must have waited.
func lagOf(t *testing.T, s queuetest.Server, k wire.Keys) Lag {
	t.Helper()
	n := queuetest.Must[QueueCounts](t)(Counts(t.Context(), s.Client, k))
	return n.Lag
}

// moved transfers what is due.
func moved(t *testing.T, s queuetest.Server, k wire.Keys, want int) {
	t.Helper()
	if r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), s.Client, k, TransferArgs{})); r.Moved != want {
		t.Fatalf("moved %d, want %d", r.Moved, want)
	}
}

// Exact where Go transferred, whoever pushed behind; a lower bound where Java did.
func TestLag(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("b", 2<<20)
	queuetest.OnBoth(t, func(t *testing.T, s queuetest.Server) {
		ctx := t.Context()
		now := queuetest.NowMs(t, s.Client)
		put := func(k wire.Keys, ago int64, payload string) {
			queuetest.Put(t, s.Client, k, now-ago, wire.Pack(wire.NewIDs().Next(), []byte(payload)))
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
				s.Client.ZAdd(ctx, k.Timeout, redis.Z{Score: -5, Member: "x"})
			}, 0, false},
			"ready":         {func(k wire.Keys) { put(k, 7000, "a"); put(k, 9000, "b"); moved(t, s, k, 2) }, 9000, false},
			"large payload": {func(k wire.Keys) { put(k, 9000, strings.Repeat("p", 5000)); moved(t, s, k, 1) }, 9000, false},
			"huge payload":  {func(k wire.Keys) { put(k, 9000, big); moved(t, s, k, 1) }, 0, true},
			"ready and overdue": {func(k wire.Keys) {
				put(k, 9000, "a")
				moved(t, s, k, 1)
				put(k, 20_000, "b")
			}, 20_000, false},
			"Java behind": {func(k wire.Keys) {
				put(k, 9000, "a")
				moved(t, s, k, 1)
				s.Client.RPush(ctx, k.Queue, "by Java", "and again")
			}, 9000, false},
			"Java before": {func(k wire.Keys) {
				s.Client.RPush(ctx, k.Queue, "by Java")
				put(k, 9000, "a")
				moved(t, s, k, 1)
			}, 0, true},
			"Java alone": {func(k wire.Keys) { s.Client.RPush(ctx, k.Queue, "by Java") }, 0, true},
			"taken, then Java": {func(k wire.Keys) {
				put(k, 9000, "a")
				moved(t, s, k, 1)
				s.Client.LPop(ctx, k.Queue)
				moved(t, s, k, 0) // sees that nothing is ready
				s.Client.RPush(ctx, k.Queue, "a")
			}, 0, true},
			"no list of due records": {func(k wire.Keys) {
				s.Client.RPush(ctx, k.Queue, "x")
				s.Client.Set(ctx, k.Due, "text", 0)
			}, 0, true},
			"mark of another type": {func(k wire.Keys) {
				s.Client.RPush(ctx, k.Queue, "x")
				s.Client.HSet(ctx, k.Head, "a", "b")
			}, 0, true},
			"mark that is none": {func(k wire.Keys) {
				s.Client.RPush(ctx, k.Queue, "x")
				s.Client.Set(ctx, k.Head, "nonsense", 0)
			}, 0, true},
		} {
			k := queuetest.NewQueue()
			c.make(k)
			got := lagOf(t, s, k)
			if got.Ms < c.least || got.Ms > c.least+60_000 || got.AtLeast != c.atLeast {
				t.Errorf("%s: %+v, want %d ms or more, at least: %v", name, got, c.least, c.atLeast)
			}
		}
	})
}

// A message that Java put there waits since it was first seen at the head, by whomever, until it is
// taken or the clock is put back.
func TestLagOfWhatJavaTransferred(t *testing.T) {
	t.Parallel()
	queuetest.OnBoth(t, func(t *testing.T, s queuetest.Server) {
		ctx, k := t.Context(), queuetest.NewQueue()
		clock := time.UnixMilli(queuetest.NowMs(t, s.Client))
		pass := func(d time.Duration) {
			if clock = clock.Add(d); s.Mini != nil {
				s.Mini.SetTime(clock)
			} else if d > 0 {
				<-time.After(min(d, 100*time.Millisecond))
			}
		}
		least := func(d time.Duration) int64 { // what must have passed
			if s.Mini == nil {
				d = min(d, 100*time.Millisecond)
			}
			return d.Milliseconds()
		}
		pass(0)
		s.Client.RPush(ctx, k.Queue, "a", "b")
		lagOf(t, s, k)
		pass(time.Hour)
		if got := lagOf(t, s, k); got.Ms < least(time.Hour) || !got.AtLeast {
			t.Errorf("after a while: %+v", got)
		}
		s.Client.RPush(ctx, k.Queue, "c", "d")
		pass(time.Hour)
		if got := lagOf(t, s, k); got.Ms < least(2*time.Hour) && s.Mini != nil {
			t.Errorf("more behind it: %+v", got)
		}
		s.Client.LPop(ctx, k.Queue)
		if got := lagOf(t, s, k); got.Ms > 50 {
			t.Errorf("another head: %+v", got)
		}
		pass(time.Minute)
		s.Client.RPush(ctx, k.Queue, "b") // an equal one
		s.Client.LPop(ctx, k.Queue)
		s.Client.LPop(ctx, k.Queue)
		s.Client.LPop(ctx, k.Queue)
		if got := lagOf(t, s, k); got.Ms > 50 {
			t.Errorf("an equal one, and fewer messages: %+v", got)
		}
		if s.Mini == nil {
			return
		}
		pass(-2 * time.Hour)
		if got := lagOf(t, s, k); got.Ms != 0 {
			t.Errorf("after the clock went back: %+v", got)
		}
		pass(time.Minute)
		if got := lagOf(t, s, k); got.Ms != 60_000 {
			t.Errorf("a minute later: %+v", got)
		}
	})
}
