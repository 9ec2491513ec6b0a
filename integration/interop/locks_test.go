package interop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/rlock"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

func newLocker(t testing.TB, b *bench, opts ...rlock.Option) *rlock.Locker {
	t.Helper()
	l, err := rlock.New(rig.Open(t, b.srv.URL()), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func acquire(t testing.TB, l *rlock.Locker, name string, opts ...rlock.AcquireOption) *rlock.Lock {
	t.Helper()
	lock, err := l.Acquire(t.Context(), name, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

func unlock(t testing.TB, lock *rlock.Lock) {
	t.Helper()
	if err := lock.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// isHeld asks Redis once.
func isHeld(t testing.TB, l *rlock.Locker, name string) bool {
	t.Helper()
	lock, err := l.TryAcquire(t.Context(), name, 0)
	if err == nil {
		unlock(t, lock)
		return false
	}
	if !errors.As(err, new(*rlock.HeldError)) {
		t.Fatal(err)
	}
	return true
}

// locksExclude: two languages raise a counter by reading and writing it under the lock.
func locksExclude(t testing.TB, b *bench) {
	const each, name, counter = 30, "lock-exclude", "lock-exclude-counter"
	rdb, java, l := b.srv.Client(), b.jvm.Open(t, b.srv.URL()), newLocker(t, b)
	rdb.Set(t.Context(), counter, 0, 0)
	var all sync.WaitGroup
	for range 2 {
		holder := java.Holder(t)
		all.Go(func() {
			if _, err := holder.Try(t.Context(), "raise", fmt.Sprintf("%s %s %d", name, counter, each)); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			for range each {
				lock, err := l.Acquire(t.Context(), name)
				if err != nil {
					t.Error(err)
					return
				}
				n, err := rdb.Get(t.Context(), counter).Int()
				if err == nil {
					err = rdb.Set(t.Context(), counter, n+1, 0).Err()
				}
				if err := errors.Join(err, lock.Release(t.Context())); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n, err := rdb.Get(t.Context(), counter).Int(); err != nil || n != 4*each {
		t.Errorf("counted %d of %d, %v", n, 4*each, err)
	}
}

// goLocksJava: what Java holds Go cannot take, also beyond the lease of its watchdog; a release, a
// forced one and a death give it to Go.
func goLocksJava(t testing.TB, b *bench) {
	const name = "lock-java"
	java, l := b.jvm.Open(t, b.srv.URL()), newLocker(t, b)
	holder, other := java.Holder(t), java.Holder(t)
	holder.Do(t, "lock", name+" -1")
	holder.Do(t, "lock", name+" -1")
	if lock, err := l.TryAcquire(t.Context(), name, jvm.Watchdog+jvm.Watchdog/2); err == nil {
		t.Fatal("Go took what Java holds: ", lock.Name())
	}
	holder.Do(t, "unlock", name)
	if !isHeld(t, l, name) {
		t.Error("the first of two holds freed the lock")
	}
	holder.Do(t, "unlock", name)
	lock := acquire(t, l, name)
	if other.Do(t, "try", name+" 50") != "false" {
		t.Error("Java took what Go holds")
	}
	unlock(t, lock)
	holder.Do(t, "lock", name+" -1")
	if other.Do(t, "force", name) != "true" || isHeld(t, l, name) {
		t.Error("a forced release did not free the lock")
	}
	dying := b.jvm.Open(t, b.srv.URL())
	dying.Holder(t).Do(t, "lock", name+" -1")
	dying.Close(t)
	unlock(t, acquire(t, l, name))
}

// javaLocksGo is the other way round: Java waits for a release of Go, for the end of a lease, and
// forces Go out.
func javaLocksGo(t testing.TB, b *bench) {
	const name = "lock-go"
	java, l := b.jvm.Open(t, b.srv.URL()), newLocker(t, b, rlock.Watchdog(time.Second))
	holder := java.Holder(t)
	lock := acquire(t, l, name)
	waited := make(chan error, 1)
	go func() {
		answer, err := holder.Try(t.Context(), "try", name+" 60000")
		if err == nil && answer != "true" {
			err = errors.New("Java did not get the lock")
		}
		waited <- err
	}()
	if holder := java.Holder(t); holder.Do(t, "try", name+" 1500") != "false" { // longer than the lease
		t.Error("Java took what Go holds")
	}
	unlock(t, lock)
	if err := <-waited; err != nil {
		t.Fatal(err)
	}
	holder.Do(t, "unlock", name)

	lock = acquire(t, l, name)
	if holder.Do(t, "force", name) != "true" {
		t.Error("Java could not force the lock")
	}
	<-lock.Context().Done()
	if cause := context.Cause(lock.Context()); !errors.As(cause, new(*rlock.LostError)) {
		t.Error(cause)
	}

	client := rig.Open(t, b.srv.URL())
	dying, err := rlock.New(client, rlock.Watchdog(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	acquire(t, dying, name)
	_ = client.Close() // nobody renews it
	holder.Do(t, "lock", name+" 1000")
	holder.Do(t, "unlock", name)
}

// locksOfOtherKinds: a read-write lock is refused, and tokens of a fenced one go on.
func locksOfOtherKinds(t testing.TB, b *bench) {
	java, l := b.jvm.Open(t, b.srv.URL()), newLocker(t, b)
	holder := java.Holder(t)
	holder.Do(t, "read", "lock-read-write")
	if _, err := l.Acquire(t.Context(), "lock-read-write"); !errors.Is(err, rlock.ErrReadWrite) {
		t.Error(err)
	}
	if slices.Index(jvm.Versions(), b.version) < slices.Index(jvm.Versions(), "3.19.2") {
		return // getFencedLock came with 3.19.1
	}
	for _, name := range []string{"lock-fenced", "lock-{fenced}"} {
		for want := int64(1); want < 6; want += 2 {
			lock := acquire(t, l, name, rlock.Fenced())
			if lock.Token() != want {
				t.Errorf("token %d, want %d", lock.Token(), want)
			}
			unlock(t, lock)
			if got := holder.Do(t, "fenced", name); got != strconv.FormatInt(want+1, 10) {
				t.Errorf("Java's token is %s, want %d", got, want+1)
			}
		}
	}
}

// handlerWaitsForJava: a handler under Around does not run while Java holds the lock of its
// message, which comes again without a charge.
func handlerWaitsForJava(t testing.TB, b *bench) {
	const name = "lock-handler"
	l, client, java := newLocker(t, b), rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	around, err := rlock.Around(l, func(d *handlers.Delivery[string]) string { return d.Payload }, rlock.Wait(0), rlock.Again(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	queue := define[string](t, "locked", b.codec, registry.MaxAttempts(2))
	var free atomic.Bool
	var back atomic.Int64
	counting := func(next handlers.Next) handlers.Next {
		return func(ctx context.Context, m *handlers.Message) error {
			err := next(ctx, m)
			if errors.As(err, new(*rlock.HeldError)) {
				back.Add(1)
			}
			return err
		}
	}
	handled := make(chan struct{}, 1)
	handler := handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		if !free.Load() {
			t.Error("handled while Java holds the lock")
		}
		if rlock.Held(ctx) == nil || d.Failed() != 0 {
			t.Error("charged", d.Failed())
		}
		handled <- struct{}{}
		return nil
	})
	holder := java.Holder(t)
	holder.Do(t, "lock", name+" -1")
	rig.Run(t, client, framework.Consume(queue, handler, framework.Use(counting, around)))
	q := framework.Bind(client, queue)
	if _, err := q.Offer(t.Context(), name, 0); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "a message that goes back and comes again", func() bool { return back.Load() > 2 })
	free.Store(true)
	holder.Do(t, "unlock", name)
	<-handled
}
