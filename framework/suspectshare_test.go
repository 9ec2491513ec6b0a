package framework_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// suspects is a process with three queues in virtual time: one with messages that were
// in flight in two processes that died, one whose handlers are slow and one whose
// handlers are fast. The latter two always have work.
type suspects struct {
	count      int
	run        time.Duration // of a suspect's handler
	slow, fast time.Duration // of the others' handlers
	timeout    time.Duration // of all handlers; zero is the default
	stretch    time.Duration // for how long it is looked at
	within     time.Duration // all suspects have ended by then
	long       bool          // of the long form of the tests

	ended, slowEnded, fastEnded atomic.Int64
	running, alone              atomic.Int64
	company                     atomic.Bool
	last                        atomic.Int64 // when the last suspect ended, in ns from the start
}

func TestSuspectsLeaveOthersTheirTime(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]*suspects{
		// That of the audit: the fast queue fell from 3,800 to 10.
		"20 short ones beside handlers of 4 s":      {count: 20, run: 10 * time.Millisecond, slow: 4 * time.Second, fast: 20 * time.Millisecond, stretch: 20 * time.Second, within: 6 * time.Second},
		"20 short ones beside handlers of a minute": {count: 20, run: 10 * time.Millisecond, slow: time.Minute, fast: 200 * time.Millisecond, stretch: 6 * time.Minute, within: 62 * time.Second, long: true},
		// A window each: with those before it a suspect waits for five times the handlers'
		// and its own time.
		"3 of a minute beside handlers of a minute": {
			count: 3, run: time.Minute, slow: time.Minute, fast: 5 * time.Second, timeout: 61 * time.Second,
			stretch: 30 * time.Minute, within: 3 * 5 * 131 * time.Second,
		},
		"more than fit into a window": {count: 40, run: 700 * time.Millisecond, slow: 2 * time.Second, fast: 200 * time.Millisecond, stretch: 5 * time.Minute, within: 5 * time.Minute, long: true},
	} {
		if tt.long && !lab.LongForm() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			virtually(t, tt.test)
		})
	}
}

func (s *suspects) test(t *testing.T, b *bundle) {
	var opts []registry.Option
	if s.timeout > 0 {
		opts = []registry.Option{registry.Timeout(s.timeout), registry.Grace(time.Second)}
	}
	killers, slow, fast := stringQueue("killers", opts...), stringQueue("slow", opts...), stringQueue("fast", opts...)
	s.die(t, b.redis, killers)
	begin := time.Now()
	handle := func(d time.Duration, n *atomic.Int64) handlers.Func[string] {
		return func(context.Context, *handlers.Delivery[string]) error {
			if s.running.Add(1); s.alone.Load() > 0 {
				s.company.Store(true)
			}
			pass(d)
			s.running.Add(-1)
			n.Add(1)
			return nil
		}
	}
	e, err := framework.New(b.client, []framework.Consumer{
		framework.Consume(killers, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
			if s.alone.Add(1) > 1 || s.running.Load() > 0 {
				s.company.Store(true)
			}
			pass(s.run)
			s.alone.Add(-1)
			if s.ended.Add(1) == int64(s.count) {
				s.last.Store(int64(time.Since(begin)))
			}
			return nil
		})),
		framework.Consume(slow, handle(s.slow, &s.slowEnded), framework.Workers(4)),
		framework.Consume(fast, handle(s.fast, &s.fastEnded), framework.Workers(1)),
	})
	if err != nil {
		t.Fatal(err)
	}
	for q, n := range map[string]int{"slow": int(4 * s.stretch / s.slow), "fast": int(s.stretch/s.fast) + 100} {
		bodies := make([]any, n+8)
		for i := range bodies {
			bodies[i] = fmt.Sprintf("%s %d", q, i)
		}
		if err := b.redis.RPush(t.Context(), q, bodies...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Pause("others first", "", killers); err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	pass(time.Second)
	if err := e.Resume(killers); err != nil {
		t.Fatal(err)
	}
	begin = time.Now()
	fastBefore, slowBefore := s.fastEnded.Load(), s.slowEnded.Load()
	pass(s.slow / 2) // well within the first wait
	s.wantHealth(t, e.Health())
	pass(s.stretch - s.slow/2)
	full := int64(s.stretch / s.fast)
	if n := s.fastEnded.Load() - fastBefore; n < full*8/10 {
		t.Errorf("the fast queue handled %d of %d", n, full)
	}
	// What is cut off at the end of the stretch has not ended.
	if n, most := s.slowEnded.Load()-slowBefore, int64(4*s.stretch/s.slow); s.stretch > 10*s.slow && n < most*8/10-4 {
		t.Errorf("the slow queue handled %d of %d", n, most)
	}
	if n, took := s.ended.Load(), time.Duration(s.last.Load()); n != int64(s.count) || took > s.within {
		t.Errorf("%d of %d suspects have ended, the last after %v, want %v", n, s.count, took, s.within)
	}
	if s.company.Load() {
		t.Error("a suspect had company")
	}
	t.Logf("suspects ended after %v, fast %d of %d, slow %d of %d", time.Duration(s.last.Load()),
		s.fastEnded.Load(), full, s.slowEnded.Load(), int64(4*s.stretch/s.slow))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Hour)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// pass lets virtual time pass: it is called in bubbles of synctest only.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // virtual time
}

func (s *suspects) wantHealth(t *testing.T, h health.Report) {
	t.Helper()
	q := h.Queues[1]
	if q.Code != "killers" || q.Suspect == nil || q.Suspect.Waiting == 0 || q.Suspect.WaitingSince == nil || !h.Ready || len(h.Degraded) == 0 {
		t.Errorf("health %+v of %+v", q.Suspect, h)
	}
	if slow := h.Queues[2]; slow.HeldSince == nil {
		t.Errorf("the slow queue is not held: %+v", slow)
	}
}

// die lets two processes die with the messages.
func (s *suspects) die(t *testing.T, rdb *redis.Client, q registry.Descriptor) {
	t.Helper()
	keys := wire.KeysOf(q.Key())
	for i := range s.count {
		if err := rdb.RPush(t.Context(), q.Key(), fmt.Sprint("killer ", i)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		dying, err := lease.New(rdb, rdb, keys, lease.Options{Lease: 2 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := dying.Take(t.Context(), s.count, nil); err != nil || len(b.Messages) != s.count {
			t.Fatal(len(b.Messages), err)
		}
		pass(3 * time.Second)
		if h, err := lease.NewReaper(rdb, keys, lease.ReaperOptions{}).Reap(t.Context(), dying.ID()); err != nil || h.Bodies != s.count {
			t.Fatal(h, err)
		}
		if _, err := dying.Close(t.Context()); err != nil { // its connection
			t.Fatal(err)
		}
	}
}
