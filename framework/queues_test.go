package framework_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

func TestHangingHandlerAndEmptyQueueDelayNoOtherQueue(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		empty, hanging, lively := stringQueue("empty"), stringQueue("hanging", registry.Grace(time.Hour)), stringQueue("lively")
		release := make(chan struct{})
		defer close(release)
		handle := func(context.Context, *handlers.Delivery[string]) error { return nil }
		frameworktest.HandleFunc(k, empty, handle)
		frameworktest.HandleFunc(k, hanging, func(context.Context, *handlers.Delivery[string]) error { <-release; return nil }, framework.Workers(1))
		frameworktest.HandleFunc(k, lively, handle)
		frameworktest.Offer(k, hanging, "x", 0)
		frameworktest.Offer(k, hanging, "y", 0)
		for i := range 50 {
			frameworktest.Offer(k, lively, fmt.Sprint(i), time.Duration(20*i)*time.Millisecond)
		}
		k.Advance(2 * time.Second)
		k.RequireHandled(lively, 50)
		for _, c := range k.Calls(lively) {
			if late := c.Started.Sub(c.Due); late > 2*time.Millisecond {
				t.Errorf("%v is late by %v beside a hanging and an empty queue", c.Payload, late)
			}
		}
	})
}

func TestOutageBurnsNoMessage(t *testing.T) {
	t.Parallel()
	const n = 1000
	b := setup(t)
	q := stringQueue("outage", registry.MaxAttempts(3))
	var down atomic.Bool
	down.Store(true)
	var calls, during atomic.Int64
	var mu sync.Mutex
	handled := map[string]int{}
	e := b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		calls.Add(1)
		if down.Load() {
			during.Add(1)
			return errors.New("dependency is down")
		}
		mu.Lock()
		defer mu.Unlock()
		handled[d.Payload]++
		return nil
	}), framework.Workers(4), framework.Breaker(framework.BreakerConfig{OpenFor: 100 * time.Millisecond, MaxOpenFor: 200 * time.Millisecond})))
	var values []any
	for i := range n {
		values = append(values, fmt.Sprintf("order %d", i))
	}
	if err := b.redis.RPush(t.Context(), "outage", values...).Err(); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "the intake is closed", func() bool { return e.Health().Queues[0].Intake == health.IntakeClosed })
	// While open nothing is popped: what is not being retried stays ready.
	lab.WaitFor(t, "several probes failed", func() bool { return during.Load() >= 12 })
	if got := during.Load(); got >= n {
		t.Fatalf("the handler was called %d times during the outage, want probes only", got)
	}
	down.Store(false)
	lab.Wait(t, func() string {
		mu.Lock()
		defer mu.Unlock()
		if len(handled) == n {
			return ""
		}
		return fmt.Sprintf("%d of %d are handled", len(handled), n)
	})
	if dead := b.dead(t, q); len(dead) != 0 {
		t.Fatalf("%d dead after an outage: %+v", len(dead), dead[0])
	}
	for v, times := range handled {
		if times != 1 {
			t.Errorf("%s handled %d times", v, times)
		}
	}
}

func TestStopFinishesWhatItCanAndGivesBackTheRestInOrder(t *testing.T) {
	t.Parallel()
	virtually(t, stopGivesBack)
}

func stopGivesBack(t *testing.T, b *bundle) {
	t.Helper()
	q := stringQueue("drain")
	started := make(chan string, 4)
	finish := make(chan struct{})
	interrupted := make(chan error, 1)
	e, err := framework.New(b.client, []framework.Consumer{framework.Consume(q, handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		started <- d.Payload
		if d.Payload == "finishes" {
			<-finish
			return nil
		}
		<-ctx.Done()
		interrupted <- context.Cause(ctx)
		return ctx.Err()
	}), framework.Workers(2))})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.redis.RPush(t.Context(), "drain", "finishes", "waits", "third", "fourth").Err(); err != nil {
		t.Fatal(err)
	}
	await(t, started, "first")
	await(t, started, "second")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Second)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- e.Stop(ctx) }()
	close(finish)
	if err := await(t, interrupted, "interruption"); !errors.Is(err, handlers.ErrDraining) {
		t.Fatalf("cause %v, want ErrDraining", err)
	}
	if err := await(t, stopped, "stop"); err != nil {
		t.Fatal(err)
	}
	list, err := b.redis.LRange(t.Context(), "drain", 0, -1).Result()
	if err != nil || strings.Join(list, " ") != "waits third fourth" {
		t.Fatalf("left %q %v, want waits third fourth", list, err)
	}
	keys, err := b.redis.Keys(t.Context(), "duequeue:*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		kind := strings.Split(k, ":")[1] // one delivery is counted, and since when all of them wait
		if !slices.Contains([]string{"attempts", "ids", "due"}, kind) && !queuetest.NotesPartitionsAlone(t, b.redis, k) {
			t.Errorf("key %s is left", k)
		}
	}
	if err := e.Start(t.Context()); !errors.Is(err, fault.ErrStarted) {
		t.Errorf("second start: %v", err)
	}
	if err := e.Stop(t.Context()); err != nil {
		t.Errorf("second stop: %v", err)
	}
}

func TestLostLeaseCancelsItsHandlers(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *framework.Config) { c.Lease, c.Block = 2*time.Second, time.Second })
	q := stringQueue("lost")
	causes, started := make(chan error, 1), make(chan struct{}, 1)
	b.run(t, framework.Consume(q, handlers.Func[string](func(ctx context.Context, _ *handlers.Delivery[string]) error {
		started <- struct{}{}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return ctx.Err()
	}), framework.Workers(2)))
	b.offer(t, q, "x")
	rdb := b.redis
	await(t, started, "a handler")
	// As a reaper finds a process that was paused past its lease.
	sessions, err := rdb.ZRange(t.Context(), "duequeue:sessions:{lost}", 0, -1).Result()
	if err != nil || len(sessions) != 1 {
		t.Fatalf("sessions %v %v", sessions, err)
	}
	if _, err := rdb.TxPipelined(t.Context(), func(p redis.Pipeliner) error {
		p.ZRem(t.Context(), "duequeue:sessions:{lost}", sessions[0])
		p.HDel(t.Context(), "duequeue:leases:{lost}", sessions[0])
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := await(t, causes, "cancelled handler"); !errors.Is(err, handlers.ErrLeaseLost) {
		t.Fatalf("cause %v, want ErrLeaseLost", err)
	}
}

func TestWrongTypeIsReportedAndRecoveredFrom(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *framework.Config) { c.Block = time.Second })
	q := stringQueue("wrong")
	rdb := b.redis
	if err := rdb.Set(t.Context(), "wrong", "a string", 0).Err(); err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	e := b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		got <- d.Payload
		return nil
	})))
	lab.WaitFor(t, "health says why", func() bool {
		h := e.Health()
		return !h.Ready && strings.Contains(strings.Join(h.Reasons, " "), `"wrong" holds a string`)
	})
	if err := rdb.Del(t.Context(), "wrong").Err(); err != nil {
		t.Fatal(err)
	}
	b.offer(t, q, "x")
	await(t, got, "delivery after the key was deleted")
	lab.WaitFor(t, "ready again", func() bool { return e.Health().Ready })
}

func TestTransferOnlyMovesAndTakesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("moved")
	b.run(t, framework.TransferOnly(q))
	b.offer(t, q, "x")
	lab.WaitFor(t, "the message is ready", func() bool {
		n, err := framework.Bind(b.client, q).Counts(t.Context())
		return err == nil && n.Ready == 1 && n.Delayed == 0
	})
}

func TestPendingShowsWhatIsOffered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("pending")
	receipt, err := framework.Bind(b.client, q).Offer(t.Context(), "later", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	soonReceipt, err := framework.Bind(b.client, q).OfferAt(t.Context(), "sooner", time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	ms, err := framework.Bind(b.client, q).Pending().Page(t.Context(), 0, 10)
	if err != nil || len(ms) != 2 {
		t.Fatalf("pending %v %v", ms, err)
	}
	if ms[0].Payload != "sooner" || ms[0].ID != soonReceipt.ID || ms[1].Payload != "later" || ms[1].ID != receipt.ID {
		t.Fatalf("pending %+v", ms)
	}
	due, err := receipt.ID.Due()
	if err != nil || !due.Equal(ms[1].Due) {
		t.Fatalf("due %v %v, want %v", due, err, ms[1].Due)
	}
}
