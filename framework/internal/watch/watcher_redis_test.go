package watch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// subscribers returns how many subscribe to the queue's channel.
func subscribers(t *testing.T, rdb *redis.Client, k wire.Keys) int64 {
	t.Helper()
	return queuetest.Must[map[string]int64](t)(rdb.PubSubNumSub(t.Context(), k.Channel).Result())[k.Channel]
}

// watchReal watches a new queue of a server and waits for the subscription.
func watchReal(t *testing.T, rdb, admin *redis.Client, opts Options) (*Watcher, wire.Keys, *arrivals) {
	t.Helper()
	k, a := queuetest.NewQueue(), newArrivals()
	w := watch(t, rdb, []Queue{{Keys: k, DueTracking: true, Served: a.serve(t.Context(), admin, k)}}, opts)
	lab.WaitFor(t, "the subscription", func() bool { return w.Health().Subscribed })
	return w, k, a
}

func offerNow(t *testing.T, rdb *redis.Client, k wire.Keys, payload string) {
	t.Helper()
	queuetest.Must[delayed.OfferResult](t)(delayed.Offer(t.Context(), rdb, k, delayed.OfferArgs{Payload: []byte(payload)}))
}

func TestWatcherSubscriptionKilled(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	admin := srv.Client()
	w, k, a := watchReal(t, srv.NewClient(nil), admin, Options{})
	for i := range 3 {
		if err := admin.Do(t.Context(), "CLIENT", "KILL", "TYPE", "pubsub").Err(); err != nil {
			t.Fatal(err)
		}
		lab.WaitFor(t, "the loss to be noticed", func() bool { return w.Health().LastError != nil })
		offerNow(t, admin, k, fmt.Sprint(i))
		lab.WaitFor(t, "the message", func() bool { return a.count() == i+1 })
		lab.WaitFor(t, "the new subscription", func() bool { return w.Health().Subscribed && subscribers(t, admin, k) == 1 })
	}
}

// A connection that stays open and says nothing: found by the ping, replaced, and
// meanwhile the sweep does its work.
func TestWatcherSubscriptionSilent(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	admin := srv.Client()
	p := lab.StartProxy(t, srv.Addr())
	rdb := lab.Connect(t, p.Addr())
	w, k, a := watchReal(t, rdb, admin, Options{
		Ping: 100 * time.Millisecond, PingTimeout: 100 * time.Millisecond, Timeout: 300 * time.Millisecond,
	})
	p.Mute()
	offerNow(t, admin, k, "while it is silent")
	lab.WaitFor(t, "doubt", func() bool { return !w.Health().Subscribed })
	lab.WaitFor(t, "the message", func() bool { return a.count() == 1 })
	lab.WaitFor(t, "the new subscription", func() bool { return w.Health().Subscribed })
	offerNow(t, admin, k, "afterwards")
	lab.WaitFor(t, "the second message", func() bool { return a.count() == 2 })
}

func TestWatcherRedisRestart(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t, lab.AppendOnly())
	admin := srv.Client()
	w, k, a := watchReal(t, srv.NewClient(nil), admin, Options{})
	offered := queuetest.Must[delayed.OfferResult](t)(delayed.Offer(t.Context(), admin, k, delayed.OfferArgs{Payload: []byte("x"), Delay: 300 * time.Millisecond}))
	srv.Kill()
	lab.WaitFor(t, "errors", func() bool { h := w.Health(); return h.Queues[0].Failures > 0 && !h.Subscribed })
	if h := w.Health(); !rediserr.IsTransient(h.LastError) {
		t.Errorf("health %+v", h)
	}
	srv.Restart()
	lab.WaitFor(t, "the message", func() bool { return a.count() == 1 })
	if at, _ := a.when("x"); at.UnixMilli() < offered.DueMs {
		t.Error("early")
	}
	lab.WaitFor(t, "the subscription", func() bool { return w.Health().Subscribed && subscribers(t, admin, k) == 1 })
	admin.ScriptFlush(t.Context())
	offerNow(t, admin, k, "after a flush")
	lab.WaitFor(t, "the second message", func() bool { return a.count() == 2 })
}

// A user who may not subscribe: said clearly, and the sweep goes on.
func TestWatcherMayNotSubscribe(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	k, a := queuetest.NewQueue(), newArrivals()
	var mu sync.Mutex
	var refused *fault.PermissionError
	w := watch(t, lab.AsUser(t, srv, "-subscribe"), []Queue{{Keys: k, Served: a.serve(t.Context(), srv.Client(), k)}},
		Options{DoubtSweep: 50 * time.Millisecond, OnError: func(queue string, err error) {
			mu.Lock()
			defer mu.Unlock()
			if p, ok := errors.AsType[*fault.PermissionError](err); ok && queue == "" {
				refused = p
			}
		}})
	offerNow(t, srv.Client(), k, "x")
	lab.WaitFor(t, "the message", func() bool { return a.count() == 1 })
	lab.WaitFor(t, "the refusal", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return refused != nil && refused.Grant() == "+subscribe"
	})
	if w.Health().Subscribed {
		t.Error("subscribed without permission")
	}
}

// Stop does not wait for a server that hangs longer than its context allows.
func TestWatcherStopWhileRedisHangs(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb := srv.NewClient(func(o *redis.Options) { o.ReadTimeout = time.Second })
	w, k, _ := watchReal(t, rdb, srv.Client(), Options{})
	queuetest.Must[delayed.OfferResult](t)(delayed.Offer(t.Context(), srv.Client(), k, delayed.OfferArgs{Delay: 100 * time.Millisecond}))
	srv.Pause()
	defer srv.Resume()
	seen := 0 // in a row: one alone may have been answered just before the pause
	lab.WaitFor(t, "a transfer without an answer", func() bool {
		w.state.Lock()
		defer w.state.Unlock()
		if seen++; !w.queues[0].busy {
			seen = 0
		}
		return seen >= 20
	})
	tooLong := errors.New("no patience")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, tooLong)
	defer cancel()
	if err := w.Stop(ctx); !errors.Is(err, tooLong) {
		t.Errorf("got %v", err)
	}
}

// The queues of a process share its connections.
func TestWatcherConnections(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	var queues []Queue
	for range 5 {
		queues = append(queues, Queue{Keys: queuetest.NewQueue()})
	}
	w := watch(t, srv.NewClient(nil), queues, Options{})
	lab.WaitFor(t, "the first transfers", func() bool {
		return !slices.ContainsFunc(w.Health().Queues, func(q QueueHealth) bool { return q.LastSuccess.IsZero() })
	})
	clients := queuetest.Must[string](t)(srv.Client().ClientList(t.Context()).Result())
	if n := strings.Count(clients, "\n"); n >= 2+len(queues) { // of the test, subscription, and fewer than one for each queue
		t.Errorf("%d connections:\n%s", n, clients)
	}
}

// One queue whose key has the wrong type does not disturb its neighbour.
func TestWatcherBrokenNeighbour(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	broken, good, a := queuetest.NewQueue(), queuetest.NewQueue(), newArrivals()
	rdb.Set(t.Context(), broken.Queue, "a string", 0)
	w := watch(t, rdb, []Queue{{Keys: broken}, {Keys: good, Served: a.serve(t.Context(), rdb, good)}}, Options{})
	for i := range 5 {
		lab.WaitFor(t, "failures", func() bool { return w.Health().Queues[0].Failures > i })
		offerNow(t, rdb, good, fmt.Sprint(i))
		lab.WaitFor(t, "the message", func() bool { return a.count() == i+1 })
	}
	if h := w.Health(); h.Queues[1].LastError != nil || h.Queues[0].LastError == nil {
		t.Errorf("health %+v", h)
	}
}

// Never early by the clock of Redis; how late is logged, since this machine is
// shared. Goals are checked by the benchmark.
func TestWatcherNeverEarly(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	k := queuetest.NewQueue()
	const n = 300
	var mu sync.Mutex
	late := make(map[string]int64)
	due := make(map[string]int64)
	served := func(delayed.TransferResult) {
		for {
			m, err := rdb.LPop(t.Context(), k.Queue).Result()
			if err != nil {
				return
			}
			now := queuetest.Must[time.Time](t)(rdb.Time(t.Context()).Result())
			mu.Lock()
			late[m] = now.UnixMicro()
			mu.Unlock()
		}
	}
	watch(t, rdb, []Queue{{Keys: k, DueTracking: true, Served: served}}, Options{})
	for i := range n {
		name := fmt.Sprint(i)
		delay := time.Duration(rand.Int64N(int64(time.Second)))
		due[name] = queuetest.Must[delayed.OfferResult](t)(delayed.Offer(t.Context(), rdb, k, delayed.OfferArgs{Payload: []byte(name), Delay: delay})).DueMs
	}
	lab.WaitFor(t, "all messages", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(late) == n
	})
	var sorted []time.Duration
	for name, at := range late {
		l := time.Duration(at-due[name]*1000) * time.Microsecond
		if l < 0 {
			t.Errorf("%s was %v early", name, -l)
		}
		sorted = append(sorted, l)
	}
	slices.Sort(sorted)
	t.Logf("lateness p50 %v, p99 %v", sorted[n/2], sorted[n*99/100])
}

// What Redis sees of a start, an offer and its due time.
func TestMonitorTranscript(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	k := wire.KeysOf("orders")
	rdb := srv.NewClient(nil)
	// The script is cached already, as on any server in use.
	for _, s := range []*script.Script{delayed.OfferScripts()[0], delayed.TransferScript(false)} {
		if err := rdb.ScriptLoad(t.Context(), s.Source()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	lines := lab.Monitor(t, srv)
	done := make(chan struct{})
	w := watch(t, rdb, []Queue{{Keys: k, DueTracking: true, Served: func(r delayed.TransferResult) {
		if r.Moved > 0 {
			close(done)
		}
	}}}, Options{})
	lab.WaitFor(t, "the first transfer", func() bool { return !w.Health().LastSuccess.IsZero() })
	ids := wire.IDsAt(func() time.Time { return time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC) }, 5)
	queuetest.Must[delayed.OfferResult](t)(delayed.Offer(t.Context(), rdb, k, delayed.OfferArgs{Payload: []byte("hello"), Delay: 400 * time.Millisecond, IDs: ids}))
	<-done
	if err := w.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	got := once(normalise(lines()))
	want := readGolden(t, "monitor.txt", got)
	if got != want {
		t.Errorf("transcript:\n%s\nwant:\n%s", got, want)
	}
}
