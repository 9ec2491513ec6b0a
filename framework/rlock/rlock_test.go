package rlock_test

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

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/rlock"
	"github.com/duequeue/duequeue/handlers"
)

func TestMain(m *testing.M) { lab.Main(m) }

func locker(t *testing.T, url string, opts ...rlock.Option) *rlock.Locker {
	t.Helper()
	client := queuetest.Must[*framework.Client](t)(framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: url}}))
	t.Cleanup(func() { _ = client.Close() })
	l := queuetest.Must[*rlock.Locker](t)(rlock.New(client, opts...))
	t.Cleanup(l.Close)
	return l
}

func url() string { return "redis://" + lab.Shared.Addr() }

// Two lockers with many goroutines raise a counter that nothing else guards.
func TestExclusion(t *testing.T) {
	t.Parallel()
	const each = 40
	lockers := []*rlock.Locker{locker(t, url()), locker(t, url())}
	var counter, inside atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range each {
				lock, err := lockers[i%2].Acquire(t.Context(), t.Name())
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two hold the lock")
				}
				counter.Add(1)
				inside.Add(-1)
				if err := lock.Release(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if counter.Load() != 8*each {
		t.Errorf("counted %d of %d", counter.Load(), 8*each)
	}
}

// A lock that another holds is refused with the rest of its lease, and free when that is over.
func TestHeldByAnother(t *testing.T) {
	t.Parallel()
	l := locker(t, url())
	if err := lab.Shared.Client().HSet(t.Context(), t.Name(), "5d3b0f5e-7b6e-4a43-8d9f-000000000000:1", 1).Err(); err != nil {
		t.Fatal(err)
	}
	var held *rlock.HeldError
	if _, err := l.TryAcquire(t.Context(), t.Name(), 0); !errors.As(err, &held) || held.Left >= 0 {
		t.Fatal(err, held)
	}
	if err := lab.Shared.Client().PExpire(t.Context(), t.Name(), time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.TryAcquire(t.Context(), t.Name(), 0); !errors.As(err, &held) || held.Left <= 0 {
		t.Fatal(err, held)
	}
	if err := lab.Shared.Client().PExpire(t.Context(), t.Name(), 300*time.Millisecond).Err(); err != nil {
		t.Fatal(err)
	}
	lock := queuetest.Must[*rlock.Lock](t)(l.Acquire(t.Context(), t.Name()))
	if err := lock.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// The context of a held lock takes the lock again, and the last release frees it.
func TestReentrant(t *testing.T) {
	t.Parallel()
	l := locker(t, url())
	first := queuetest.Must[*rlock.Lock](t)(l.Acquire(t.Context(), t.Name(), rlock.Fenced()))
	second := queuetest.Must[*rlock.Lock](t)(l.TryAcquire(first.Context(), t.Name(), 0, rlock.Fenced()))
	if first.Token() != 1 || second.Token() != 1 {
		t.Error("tokens", first.Token(), second.Token())
	}
	holds := lab.Shared.Client().HVals(t.Context(), t.Name()).Val()
	if len(holds) != 1 || holds[0] != "2" {
		t.Error("holds", holds)
	}
	for range 2 { // the second call does nothing
		if err := second.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Context().Err(); err != nil {
		t.Error("the lock is held, but its context has ended", err)
	}
	if _, err := l.TryAcquire(t.Context(), t.Name(), 0); !errors.As(err, new(*rlock.HeldError)) {
		t.Error("another took a held lock", err)
	}
	if err := first.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if cause := context.Cause(first.Context()); !errors.Is(cause, rlock.ErrReleased) {
		t.Error(cause)
	}
	third := queuetest.Must[*rlock.Lock](t)(l.TryAcquire(t.Context(), t.Name(), 0, rlock.Fenced()))
	if third.Token() != 2 {
		t.Error("token", third.Token())
	}
	_ = third.Release(t.Context())
}

// The watchdog renews beyond the lease, and the context tells of a loss.
func TestWatchdogAndLoss(t *testing.T) {
	t.Parallel()
	l := locker(t, url(), rlock.Watchdog(6*time.Second))
	ctx, cancel := context.WithCancel(t.Context())
	lock := queuetest.Must[*rlock.Lock](t)(l.Acquire(ctx, t.Name()))
	cancel() // ends what uses the lock, not the lock
	rdb := lab.Shared.Client()
	renewed := 0
	for last := 6 * time.Second; renewed < 1; {
		left := rdb.PTTL(t.Context(), t.Name()).Val()
		if left < 0 {
			t.Fatal("the lock is gone")
		}
		if left > last {
			renewed++
		}
		last = left
	}
	rdb.Del(t.Context(), t.Name())
	if err := lock.Release(t.Context()); !errors.As(err, new(*rlock.LostError)) {
		t.Error(err)
	}
	lock = queuetest.Must[*rlock.Lock](t)(l.Acquire(t.Context(), t.Name()))
	rdb.Del(t.Context(), t.Name())
	<-lock.Context().Done()
	if cause := context.Cause(lock.Context()); !errors.As(cause, new(*rlock.LostError)) {
		t.Error(cause)
	}
	lock = queuetest.Must[*rlock.Lock](t)(l.Acquire(t.Context(), t.Name(), rlock.Lease(100*time.Millisecond)))
	<-lock.Context().Done()
	if cause := context.Cause(lock.Context()); !errors.As(cause, new(*rlock.LostError)) {
		t.Error(cause)
	}
}

// Where Redis does not confirm the lock for two thirds of its lease, it counts as lost.
func TestRedisDoesNotConfirm(t *testing.T) {
	t.Parallel()
	server := lab.StartRedis(t)
	l := locker(t, server.URL(), rlock.Watchdog(6*time.Second))
	lock := queuetest.Must[*rlock.Lock](t)(l.Acquire(t.Context(), "order"))
	server.Pause()
	<-lock.Context().Done()
	var lost *rlock.LostError
	if cause := context.Cause(lock.Context()); !errors.As(cause, &lost) || lost.Err == nil {
		t.Error(cause)
	}
	server.Resume()
}

// What is no RLock is named, and nothing is written.
func TestWrongKeys(t *testing.T) {
	t.Parallel()
	l, rdb := locker(t, url()), lab.Shared.Client()
	rdb.HSet(t.Context(), t.Name()+"rw", "mode", "read", "x:1", 1)
	if _, err := l.Acquire(t.Context(), t.Name()+"rw"); !errors.Is(err, rlock.ErrReadWrite) {
		t.Error(err)
	}
	rdb.Set(t.Context(), t.Name()+"text", "x", 0)
	if _, err := l.Acquire(t.Context(), t.Name()+"text"); !errors.As(err, new(*fault.WrongTypeError)) {
		t.Error(err)
	}
	if _, err := l.Acquire(t.Context(), ""); !errors.As(err, new(*rlock.LockError)) {
		t.Error(err)
	}
	if _, err := l.Acquire(t.Context(), "x", rlock.Lease(time.Millisecond)); !errors.As(err, new(*rlock.LockError)) {
		t.Error(err)
	}
}

// Around holds the lock of a message while its handler runs; one whose lock another holds comes
// again without a charge.
func TestAround(t *testing.T) {
	t.Parallel()
	l := locker(t, url(), rlock.Watchdog(6*time.Second))
	around := queuetest.Must[handlers.Middleware](t)(rlock.Around(l, func(d *handlers.Delivery[string]) string { return d.Payload }, rlock.Again(time.Minute), rlock.Wait(0)))
	run := func(payload string, f func(ctx context.Context) error) handlers.Outcome {
		step := around(func(ctx context.Context, _ *handlers.Message) error { return f(ctx) })
		return handlers.Settle(t.Context(), step(t.Context(), &handlers.Message{Value: payload}))
	}
	out := run(t.Name(), func(ctx context.Context) error {
		if rlock.Held(ctx) == nil || rlock.Held(ctx).Name() != t.Name() {
			t.Error("no lock in the handler's context")
		}
		busy := run(t.Name(), func(context.Context) error {
			t.Error("called without the lock")
			return nil
		})
		if busy.Kind != handlers.Retried || !busy.Transient || busy.CountsForBreaker || busy.Delay > 6*time.Second {
			t.Errorf("%+v", busy)
		}
		return nil
	})
	if out.Kind != handlers.Done {
		t.Errorf("%+v", out)
	}
	out = run("", func(ctx context.Context) error {
		if rlock.Held(ctx) != nil {
			t.Error("a lock without a name")
		}
		return nil
	})
	if out.Kind != handlers.Done {
		t.Errorf("%+v", out)
	}
	out = run(t.Name(), func(ctx context.Context) error {
		lab.Shared.Client().Del(ctx, t.Name())
		<-ctx.Done()
		return ctx.Err()
	})
	if out.Kind != handlers.Retried || !out.Transient || !errors.As(out.Err, new(*rlock.LostError)) {
		t.Errorf("%+v", out)
	}
	out = run("redisson_delay_queue:{order}", func(context.Context) error { return nil })
	if out.Kind != handlers.Rejected || out.CountsForBreaker {
		t.Errorf("%+v", out)
	}
	if _, err := rlock.Around[string](nil, nil, rlock.Again(0), rlock.Wait(-1)); err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Error(err)
	}
}

// Locks that are held are listed, other keys are not, and a forced release frees one.
func TestHeldLocks(t *testing.T) {
	t.Parallel()
	server := lab.StartRedis(t)
	client := queuetest.Must[*framework.Client](t)(framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: server.URL()}}))
	defer func() { _ = client.Close() }()
	l := queuetest.Must[*rlock.Locker](t)(rlock.New(client))
	lock := queuetest.Must[*rlock.Lock](t)(l.Acquire(t.Context(), "order:1"))
	rdb := server.Client()
	rdb.HSet(t.Context(), "java", "5d3b0f5e-7b6e-4a43-8d9f-000000000000:17", 2)
	rdb.HSet(t.Context(), "other", "field", 2)
	rdb.HSet(t.Context(), "rw", "mode", "write", "5d3b0f5e-7b6e-4a43-8d9f-000000000000:17:write", 1)
	rdb.Set(t.Context(), "text", "x", 0)
	list := func(pattern string) (names []string) {
		for held, err := range rlock.HeldLocks(t.Context(), client, pattern) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, fmt.Sprint(held.Name, " ", held.Holds, " ", held.Left > 0))
		}
		slices.Sort(names)
		return names
	}
	if got := list(""); !slices.Equal(got, []string{"java 2 false", "order:1 1 true"}) {
		t.Error(got)
	}
	if got := list("order:*"); !slices.Equal(got, []string{"order:1 1 true"}) {
		t.Error(got)
	}
	for _, want := range []bool{true, false} {
		if held := queuetest.Must[bool](t)(rlock.Unlock(t.Context(), client, "order:1")); held != want {
			t.Error(held)
		}
	}
	if err := lock.Release(t.Context()); !errors.As(err, new(*rlock.LostError)) {
		t.Error(err)
	}
	if _, err := rlock.Unlock(t.Context(), client, "rw"); !errors.Is(err, rlock.ErrReadWrite) {
		t.Error(err)
	}
}
