package watch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestWatcherDrainsAtStart(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		k := queuetest.NewQueue()
		b.offer(k, "left behind", 0)
		b.pass(time.Minute)
		w, a := b.watchOne(k, Options{})
		b.pass(time.Millisecond)
		if a.count() != 1 {
			t.Error("the overdue message was not moved at once")
		}
		b.stop(w)
	})
}

func TestWatcherOnTime(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		k := queuetest.NewQueue()
		known := b.offer(k, "known", 10*time.Second)
		w, a := b.watchOne(k, Options{})
		b.pass(time.Second)
		later := b.offer(k, "later", time.Hour)
		b.pass(time.Second)
		earlier := b.offer(k, "earlier", 3*time.Second)
		now := b.offer(k, "now", 0)
		b.pass(time.Hour + time.Second)
		for name, offered := range map[string]delayed.OfferResult{"known": known, "earlier": earlier, "now": now, "later": later} {
			if late := b.lateness(a, name, offered.DueMs); late < 0 || late > time.Millisecond {
				t.Errorf("%s: %v late", name, late)
			}
		}
		b.stop(w)
	})
}

// Nothing to do costs one script per sweep, and none in between, though the head
// is near or far.
func TestWatcherIdleCost(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		var queues []Queue
		for range 10 {
			k := queuetest.NewQueue()
			b.offer(k, "far", 24*time.Hour)
			queues = append(queues, Queue{Keys: k, DueTracking: true})
		}
		w := New(b.rdb, queues, Options{})
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.pass(time.Second)
		before := b.seen.get()
		b.pass(10 * time.Minute)
		perQueue := float64(b.seen.get()-before) / 10 / 600
		if perQueue > 0.21 || perQueue < 0.19 {
			t.Errorf("%.3f scripts per second and queue", perQueue)
		}
		if h := w.Health(); !h.Subscribed || len(h.Queues) != 10 || h.Queues[0].NextDueMs < 0 || h.LastError != nil {
			t.Errorf("health %+v", h)
		}
		b.stop(w)
	})
}

// An announcement that never came: the sweep finds it, the watcher becomes
// suspicious and asks the subscription for a sign of life.
func TestWatcherSweeps(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		k := queuetest.NewQueue()
		w, a := b.watchOne(k, Options{})
		b.pass(7 * time.Second)
		due := time.Now().Add(2 * time.Second).UnixMilli()
		b.rdb.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(due), Member: wire.Pack(wire.NewIDs().Next(), []byte("silent"))})
		b.pass(5 * time.Second)
		if late := b.lateness(a, "silent", due); late < 0 || late > 3*time.Second {
			t.Errorf("%v late", late)
		}
		if !w.Health().Subscribed {
			t.Error("the answer to the ping did not clear the doubt")
		}
		b.stop(w)
	})
}

// Messages of the channel that are no numbers, old or absurd: one look each, and
// no hot loop.
func TestWatcherGarbageOnChannel(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		k := queuetest.NewQueue()
		w, a := b.watchOne(k, Options{})
		b.pass(time.Second)
		before := b.seen.get()
		for _, junk := range []string{"not-a-number", "", "-5", "99999999999999999999", "1e300", "NaN", "9007199254740993"} {
			b.mini.Publish(k.Channel, junk)
			b.pass(time.Millisecond)
		}
		for range 1000 {
			b.mini.Publish(k.Channel, "0")
		}
		b.pass(time.Second)
		if n := b.seen.get() - before; n > 400 {
			t.Errorf("%d scripts for nothing", n)
		}
		offered := b.offer(k, "x", time.Second)
		b.pass(2 * time.Second)
		if late := b.lateness(a, "x", offered.DueMs); late > time.Millisecond {
			t.Errorf("%v late", late)
		}
		b.stop(w)
	})
}

func TestParseDue(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]int64{
		"1700000000000": 1700000000000, "+5": 5, " 7\n": 7, "1700000000000.5": 1700000000001, "-5": 0,
		"not-a-number": 0, "": 0, "1e17": -1, "9007199254740992": -1, "99999999999999999999": -1, "NaN": -1, "-inf": 0,
	} {
		if got := parseDue(payload); got != want {
			t.Errorf("%q: got %d, want %d", payload, got, want)
		}
	}
}

// Redis answers errors for a while: backed off, reported, then all is moved.
func TestWatcherSurvivesErrors(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		k := queuetest.NewQueue()
		var mu sync.Mutex
		failures := 0
		w, a := b.watchOne(k, Options{OnError: func(queue string, err error) {
			mu.Lock()
			defer mu.Unlock()
			if queue == k.Queue && rediserr.IsTransient(err) {
				failures++
			}
		}})
		b.pass(time.Second)
		offered := b.offer(k, "x", 2*time.Second)
		b.mini.SetError("LOADING Redis is loading the dataset in memory")
		b.pass(30 * time.Second)
		h := w.Health()
		var server *fault.ServerError
		if !errors.As(h.LastError, &server) || server.Kind != fault.KindNotReady || h.Queues[0].Failures == 0 || h.Queues[0].LastError == nil {
			t.Errorf("health %+v", h)
		}
		mu.Lock()
		if failures < 20 || failures > 120 {
			t.Errorf("%d failures in 28 s", failures)
		}
		mu.Unlock()
		b.mini.SetError("")
		back := time.Now()
		b.pass(2 * time.Second)
		if at, ok := a.when("x"); !ok || at.Sub(back) > retryMax || offered.DueMs == 0 {
			t.Errorf("moved %v after the errors ended", at.Sub(back))
		}
		if h = w.Health(); h.Queues[0].Failures != 0 || h.Queues[0].LastError != nil || h.LastErrorAt.IsZero() {
			t.Errorf("health %+v", h)
		}
		b.stop(w)
	})
}

// A big backlog of one queue and a message of another.
func TestWatcherBacklogIsFair(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	big, small := queuetest.NewQueue(), queuetest.NewQueue()
	ids := wire.NewIDs()
	pipe := rdb.Pipeline()
	const n = 20_000 // more than are moved while nobody consumes
	for i := range n {
		element := wire.Pack(ids.Next(), fmt.Appendf(nil, "%d", i))
		pipe.ZAdd(t.Context(), big.Timeout, redis.Z{Score: 1000, Member: element})
	}
	queuetest.Must[[]redis.Cmder](t)(pipe.Exec(t.Context()))
	fromSmall := newArrivals()
	moved := make(chan int, n)
	watch(t, rdb, []Queue{
		{Keys: big, Served: func(r delayed.TransferResult) {
			moved <- r.Moved
			_ = rdb.LPopCount(t.Context(), big.Queue, 500).Err()
		}},
		{Keys: small, Served: fromSmall.serve(t.Context(), rdb, small)},
	}, Options{})
	sum := 0
	lab.Wait(t, func() string {
		for len(moved) > 0 {
			sum += <-moved
		}
		if sum < n {
			return fmt.Sprintf("%d of %d moved", sum, n)
		}
		return ""
	})
	queuetest.Must[delayed.OfferResult](t)(delayed.Offer(t.Context(), rdb, small, delayed.OfferArgs{Payload: []byte("x")}))
	lab.WaitFor(t, "the other queue's message", func() bool { return fromSmall.count() == 1 })
}

// Several processes: every message once, on time, and the losers do not all ask
// at the due time.
func TestWatcherSeveralProcesses(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		k := queuetest.NewQueue()
		a := newArrivals()
		var watchers []*Watcher
		for range 3 {
			w := New(b.rdb, []Queue{{
				Keys: k, Served: a.serve(t.Context(), b.rdb, k), Processes: func() int { return 3 },
			}}, Options{})
			if err := w.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			watchers = append(watchers, w)
		}
		b.pass(time.Second)
		due := make(map[string]int64)
		for i := range 200 {
			name := fmt.Sprint(i)
			due[name] = b.offer(k, name, 10*time.Second).DueMs
			b.pass(20 * time.Millisecond)
		}
		b.pass(20 * time.Second)
		if a.count() != 200 {
			t.Errorf("%d arrivals", a.count())
		}
		sum := time.Duration(0)
		for name, d := range due {
			late := b.lateness(a, name, d)
			if late < 0 || late > 6*time.Millisecond {
				t.Errorf("%s: %v late", name, late)
			}
			sum += late
		}
		if mean := sum / 200; mean > time.Millisecond {
			t.Errorf("%v late on average: nobody asks at once", mean)
		}
		for _, w := range watchers {
			b.stop(w)
		}
	})
}

func TestWatcherBuries(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		k := queuetest.NewQueue()
		var mu sync.Mutex
		bad := map[string]int{}
		w, _ := b.watchOne(k, Options{OnBuried: func(queue, reason string, n int) {
			mu.Lock()
			defer mu.Unlock()
			if queue == k.Queue {
				bad[reason] += n
			}
		}})
		b.pass(time.Second)
		queuetest.Put(t, b.rdb, k, 5, []byte("garbage"))
		queuetest.Put(t, b.rdb, k, -5, []byte("garbage, negative"))
		queuetest.Put(t, b.rdb, k, -5, wire.Pack(wire.NewIDs().Next(), []byte("overflowed")))
		b.pass(6 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		if bad["malformed"] != 2 || bad["overflowed"] != 1 {
			t.Errorf("buried %v", bad)
		}
		b.stop(w)
	})
}

func TestWatcherLifecycle(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		w := New(b.rdb, []Queue{{Keys: queuetest.NewQueue()}}, Options{})
		b.stop(w) // before Start
		ctx, cancel := context.WithCancel(t.Context())
		if err := w.Start(ctx); err != nil {
			t.Error(err)
		}
		if err := w.Start(ctx); !errors.Is(err, ErrStarted) {
			t.Errorf("second start: %v", err)
		}
		cancel() // the end of a start hook
		b.pass(11 * time.Second)
		if h := w.Health(); time.Since(h.LastSuccess) > 6*time.Second {
			t.Errorf("the watcher stopped with its start context; last success %v", h.LastSuccess)
		}
		b.stop(w)
		b.stop(w)
		none := New(b.rdb, nil, Options{})
		if err := none.Start(t.Context()); err != nil {
			t.Error(err)
		}
		b.pass(time.Minute)
		b.stop(none)
	})
}

func TestServerClock(t *testing.T) {
	t.Parallel()
	c := newServerClock()
	if c.at(5) != 0 {
		t.Error("a time before the first reply")
	}
	const ms = time.Millisecond
	c.observe(10*ms, 2*ms, 1_000_000+11_000) // one second ahead, 1 ms away
	c.observe(20*ms, 9*ms, 1_000_000+25_000)
	if got := c.at(2000); got != 999*ms+time.Microsecond {
		t.Errorf("2 s by the server: %v", got)
	}
	// The clock of Redis is set forward, or back.
	for _, us := range []int64{61_000_000, 500_000} {
		c.observe(30*ms, 2*ms, us+31_000)
		if ahead, _ := c.ahead(); ahead != us+999 {
			t.Errorf("after a step: ahead %d, want %d", ahead, us+999)
		}
	}
	// Later samples replace old ones after two buckets.
	for _, s := range []time.Duration{6 * time.Second, 12 * time.Second, 18 * time.Second} {
		c.observe(s, 2*ms, s.Microseconds()+3_000_000)
	}
	if ahead, _ := c.ahead(); ahead != 2_999_999 {
		t.Errorf("ahead %d", ahead)
	}
}

// Many processes: a due message costs the transfers of a few, and when the one that moved
// them last dies, another one takes its place.
func TestWatcherManyProcesses(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, b *bubble) {
		const processes, messages = 40, 100
		k := queuetest.NewQueue()
		a := newArrivals()
		serve := a.serve(t.Context(), b.rdb, k)
		var winner atomic.Int64
		watchers := make([]*Watcher, processes)
		for i := range watchers {
			watchers[i] = New(b.rdb, []Queue{{Keys: k, Processes: func() int { return processes }, Served: func(r delayed.TransferResult) {
				if r.Moved > 0 {
					winner.Store(int64(i))
				}
				serve(r)
			}}}, Options{})
			if err := watchers[i].Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		due := map[string]int64{}
		offer := func(name string) {
			due[name] = b.offer(k, name, 10*time.Second).DueMs
			b.pass(100 * time.Millisecond)
		}
		b.pass(10 * time.Second)
		for i := range messages {
			offer(fmt.Sprint(i))
		}
		before := b.seen.get()
		b.pass(10 * time.Second) // all fall due, in the time of their offers
		if each := float64(b.seen.get()-before) / messages; each > 15 {
			t.Errorf("%.1f transfers for each message of %d processes", each, processes)
		}
		for name, d := range due {
			if late := b.lateness(a, name, d); late < 0 || late > jitterNear {
				t.Errorf("%s: %v late", name, late)
			}
		}
		b.stop(watchers[winner.Load()])
		dead := int(winner.Load())
		clear(due)
		for i := range messages / 10 {
			offer(fmt.Sprint("after ", i))
		}
		b.pass(12 * time.Second)
		for name, d := range due {
			limit := jitterNear
			if name == "after 0" { // rarely none stands by: then one of all others comes soon
				limit = time.Second
			}
			if late := b.lateness(a, name, d); late > limit {
				t.Errorf("%s: %v late after the death of a process", name, late)
			}
		}
		for i, w := range watchers {
			if i != dead {
				b.stop(w)
			}
		}
	})
}
