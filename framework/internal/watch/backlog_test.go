package watch

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// slowTransfers makes each transfer that has a request of its own take 5 ms, and
// remembers how many ran at the same time.
type slowTransfers struct {
	mu        sync.Mutex
	now, most int
}

func (*slowTransfers) DialHook(next redis.DialHook) redis.DialHook { return next }

func (*slowTransfers) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (s *slowTransfers) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		args := cmd.Args()
		if cmd.Name() != "evalsha" || args[1] != delayed.TransferScript(true).SHA() {
			return next(ctx, cmd)
		}
		s.add(1)
		defer s.add(-1)
		timer := time.NewTimer(5 * time.Millisecond)
		defer timer.Stop()
		<-timer.C
		return next(ctx, cmd)
	}
}

func (s *slowTransfers) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now += n
	s.most = max(s.most, s.now)
}

// Many queues with a backlog each: two transfers at a time, in turn, so that none waits
// for the others to end and what falls due elsewhere waits for two scripts at most.
func TestWatcherBacklogsTakeTurns(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		const queues, each = 4, 1000
		var mu sync.Mutex
		moved, spread := make([]int, queues), 0
		watched := make([]Queue, queues)
		for i := range watched {
			k := queuetest.NewQueue()
			offerMany(t, b.rdb, k, each, nil)
			watched[i] = Queue{Keys: k, NoView: true, Served: func(r delayed.TransferResult) {
				mu.Lock()
				defer mu.Unlock()
				moved[i] += r.Moved
				least, most := each, 0
				for _, n := range moved {
					least, most = min(least, n), max(most, n)
				}
				spread = max(spread, most-least)
			}}
		}
		b.pass(time.Second)
		queuetest.Must[string](t)(b.rdb.ScriptLoad(t.Context(), delayed.TransferScript(true).Source()).Result())
		slow := &slowTransfers{}
		b.rdb.AddHook(slow)
		w := New(b.rdb, watched, Options{})
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.pass(3 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		for i, n := range moved {
			if n != each {
				t.Errorf("queue %d: %d of %d moved", i, n, each)
			}
		}
		// The chunks of one queue are 100, 200, 400 …; two run at once.
		if slow.most != backlogsAtOnce || spread > 800 {
			t.Errorf("%d transfers at the same time, the first queue %d messages before the last", slow.most, spread)
		}
		b.stop(w)
	})
}

// A queue that nobody consumes keeps what is pending where it can be cancelled, is asked
// now and then only, and goes on as soon as somebody consumes.
func TestWatcherKeepsAFullQueuePending(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		k := queuetest.NewQueue()
		const n = FullReady + 200
		waiting := make([]any, FullReady-100)
		for i := range waiting {
			waiting[i] = "waits"
		}
		queuetest.Must[int64](t)(b.rdb.RPush(t.Context(), k.Queue, waiting...).Result())
		offerMany(t, b.rdb, k, 300, nil)
		b.pass(time.Second)
		var asked atomic.Int64
		w := New(b.rdb, []Queue{{Keys: k, NoView: true, Served: func(delayed.TransferResult) { asked.Add(1) }}}, Options{Timeout: 10 * time.Second})
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.pass(10 * time.Second)
		ready := b.rdb.LLen(t.Context(), k.Queue).Val()
		if ready != FullReady {
			t.Errorf("%d ready", ready)
		}
		before := asked.Load()
		b.pass(10 * time.Second)
		if n := asked.Load() - before; n > 101 || n < 50 {
			t.Errorf("asked %d times in 10 s", n)
		}
		// Somebody consumes.
		queuetest.Must[string](t)(b.rdb.LTrim(t.Context(), k.Queue, 5000, -1).Result())
		b.pass(time.Second)
		if ready := b.rdb.LLen(t.Context(), k.Queue).Val(); ready != n-5000 {
			t.Errorf("%d ready", ready)
		}
		b.stop(w)
	})
}
