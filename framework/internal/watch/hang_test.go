package watch

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// hanging lets the calls of some queues hang until they time out, as those of a node of
// a cluster that does not answer.
type hanging struct {
	on   atomic.Bool
	keys []string
}

func (*hanging) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *hanging) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (h *hanging) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		hangs := slices.ContainsFunc(cmd.Args(), func(arg any) bool {
			key, _ := arg.(string)
			return slices.Contains(h.keys, key)
		})
		if !hangs || !h.on.Load() {
			return next(ctx, cmd)
		}
		<-ctx.Done()
		cmd.SetErr(ctx.Err())
		return ctx.Err()
	}
}

// Backlogs of queues that hang do not hold up those of others.
func TestWatcherBacklogsThatHang(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		hung, queues := &hanging{}, []Queue{}
		const n = 1200 // more than one transfer moves
		for range 4 {
			k := queuetest.NewQueue()
			hung.keys = append(hung.keys, k.Timeout)
			queues = append(queues, Queue{Keys: k})
			offerMany(t, b.rdb, k, n, nil)
		}
		healthy := queuetest.NewQueue()
		offerMany(t, b.rdb, healthy, n, nil)
		a := newArrivals()
		first := a.serve(t.Context(), b.rdb, healthy)
		queues = append(queues, Queue{Keys: healthy, Served: func(r delayed.TransferResult) {
			hung.on.Store(true) // what is first is asked together
			first(r)
		}})
		b.pass(time.Second)
		b.rdb.AddHook(hung)
		w := New(b.rdb, queues, Options{})
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.pass(4 * time.Second)
		if got := a.count(); got != n {
			t.Errorf("%d of %d messages of the healthy queue came", got, n)
		}
		// Later too, when those that hang have waited longest.
		b.pass(30 * time.Second)
		for round := range 5 {
			before := a.count()
			offerMany(t, b.rdb, healthy, n, nil)
			b.pass(2 * time.Second)
			if got := a.count() - before; got != n {
				t.Errorf("round %d: %d of %d messages of the healthy queue came", round, got, n)
			}
		}
		hung.on.Store(false)
		b.pass(10 * time.Second)
		for _, q := range queues[:4] {
			if got := b.rdb.LLen(t.Context(), q.Keys.Queue).Val(); got != n {
				t.Errorf("%d of %d messages came after the hang", got, n)
			}
		}
		b.stop(w)
	})
}

// A backlog that is drained from the list's head is not held up by the view, though the
// last transfer that walked took long.
func TestLagIsOfWalksAlone(t *testing.T) {
	t.Parallel()
	q := newWatched(Queue{})
	now := time.Duration(0)
	step := func(r delayed.TransferResult) bool {
		now += 500 * time.Millisecond
		r.NowUs, r.NextDueMs = 1e15, 1
		q.send()
		q.answered(r, true, 1, now)
		_, told := q.newsOf(now)
		return told
	}
	for range 3 {
		step(delayed.TransferResult{Moved: 16, Walks: 16, ServerTime: 30 * time.Millisecond, Elapsed: 31 * time.Millisecond})
	}
	for range 40 {
		if step(delayed.TransferResult{Moved: 1000, Ready: 5000, ServerTime: 3 * time.Millisecond, Elapsed: 4 * time.Millisecond}) {
			t.Fatal("the view is blamed for a backlog that costs no walks")
		}
	}
	told := false
	for range 40 {
		told = step(delayed.TransferResult{Moved: 1, Walks: 1, ServerTime: 30 * time.Millisecond, Elapsed: 31 * time.Millisecond}) || told
	}
	if !told {
		t.Error("not told of walks that are too slow")
	}
}

// A full ready list is looked at now and then, and filled again when somebody takes.
// With walks it is full sooner here than in production: what the fake does for each
// message grows with the list.
func TestWatcherFullList(t *testing.T) {
	t.Parallel()
	full := 1000
	if lab.LongForm() {
		full = FullReady
	}
	inBubble(t, func(t *testing.T, b *bubble) {
		k := queuetest.NewQueue()
		n := full * 3 / 2
		queuetest.FillRandom(t, b.rdb, k, n, func(i int) int64 { return time.Now().UnixMilli() - int64(i*7919%1009) })
		w := New(b.rdb, []Queue{{Keys: k, DueTracking: true}}, Options{})
		w.queues[0].full = full
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.pass(30 * time.Second)
		before, length := b.seen.get(), b.rdb.LLen(t.Context(), k.Queue).Val()
		b.pass(10 * time.Second)
		if scripts := b.seen.get() - before; scripts < 90 || scripts > 110 {
			t.Errorf("%d scripts in 10 s for a full list", scripts)
		}
		if length < int64(full) || length > int64(full+1000) || b.rdb.LLen(t.Context(), k.Queue).Val() != length {
			t.Errorf("%d ready", length)
		}
		if !w.Health().Queues[0].Backlog {
			t.Error("no backlog")
		}
		taken := 0
		for range 200 {
			taken += len(b.rdb.LPopCount(t.Context(), k.Queue, 500).Val())
			b.pass(100 * time.Millisecond)
		}
		if taken != n {
			t.Errorf("%d of %d taken", taken, n)
		}
		b.stop(w)
	})
}
