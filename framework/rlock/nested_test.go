package rlock

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

func own(t *testing.T) *Locker {
	t.Helper()
	client := queuetest.Must[*framework.Client](t)(framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: "redis://" + lab.Shared.Addr()}}))
	t.Cleanup(func() { _ = client.Close() })
	l := queuetest.Must[*Locker](t)(New(client))
	t.Cleanup(l.Close)
	return l
}

// A second hold with a short lease does not shorten the lease of the first one, on which its watchdog relies.
func TestASecondHoldKeepsTheLease(t *testing.T) {
	t.Parallel()
	l := own(t)
	first, err := l.Acquire(t.Context(), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	second, err := l.Acquire(first.Context(), t.Name(), Lease(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if left := lab.Shared.Client().PTTL(t.Context(), t.Name()).Val(); left <= DefaultWatchdog/2 {
		t.Error("the lease of the first hold is cut to", left)
	}
	if err := errors.Join(second.Release(t.Context()), first.Release(t.Context())); err != nil {
		t.Error(err)
	}
}

// The context of a lock that is taken again is a child of the one with which that was done, and ends
// when the lock is lost.
func TestTheContextOfASecondHold(t *testing.T) {
	t.Parallel()
	l := own(t)
	first, err := l.Acquire(t.Context(), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(first.Context())
	second, err := l.Acquire(ctx, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	third, err := l.Acquire(context.WithoutCancel(ctx), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	if end(); second.Context().Err() == nil || third.Context().Err() != nil || first.Context().Err() != nil {
		t.Error(second.Context().Err(), third.Context().Err(), first.Context().Err())
	}
	if err := second.Release(t.Context()); err != nil {
		t.Error(err)
	}
	lab.Shared.Client().Del(t.Context(), t.Name())
	if err := first.Release(t.Context()); !errors.As(err, new(*LostError)) {
		t.Error(err)
	}
	<-third.Context().Done()
	if cause := context.Cause(third.Context()); !errors.As(cause, new(*LostError)) {
		t.Error(cause)
	}
	_ = third.Release(t.Context())
}

// A call that waits for a lock holds up no other call of its holder, and a holder forgets the locks
// that it has released.
func TestCallsOfOneHolder(t *testing.T) {
	t.Parallel()
	l, rdb := own(t), lab.Shared.Client()
	lock, err := l.Acquire(t.Context(), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(lock.Context())
	defer end()
	rdb.HSet(t.Context(), t.Name()+"other", "5d3b0f5e-7b6e-4a43-8d9f-000000000000:1", 1)
	waits := make(chan error, 1)
	go func() {
		_, err := l.Acquire(ctx, t.Name()+"other")
		waits <- err
	}()
	lab.WaitFor(t, "the call does not wait", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.lines) == 1
	})
	if _, err := l.TryAcquire(ctx, t.Name()+"other", 0); !errors.As(err, new(*HeldError)) {
		t.Error(err)
	}
	end()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := lock.Release(t.Context()); err != nil || len(lock.holder.locks) != 0 {
		t.Error(err, lock.holder.locks)
	}
}

// breaking loses the reply of the first acquisition; Redis refuses the second, and its user's context ends.
type breaking struct {
	mu    sync.Mutex
	tries int
	end   context.CancelFunc
}

func (*breaking) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *breaking) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() != "evalsha" {
			return next(ctx, cmd)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.tries == 1 {
			h.tries++
			h.end()
			cmd.SetErr(redis.ErrPoolTimeout)
			return redis.ErrPoolTimeout
		}
		err := next(ctx, cmd)
		if h.tries == 0 && err == nil {
			h.tries++
			err = context.DeadlineExceeded
			cmd.SetErr(err)
		}
		return err
	}
}

func (*breaking) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// Where a reply is lost and the next try is not sent at all, the lock is free afterwards.
func TestALostReplyIsGivenBack(t *testing.T) {
	t.Parallel()
	l := own(t)
	warm, err := l.Acquire(t.Context(), t.Name()) // loads the script
	if err != nil {
		t.Fatal(err)
	}
	if err := warm.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	h := &breaking{end: end}
	l.redis.Redis.AddHook(h)
	if _, err := l.Acquire(ctx, t.Name()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if h.tries != 2 || lab.Shared.Client().Exists(t.Context(), t.Name()).Val() != 0 {
		t.Error("the lock is not free until its lease ends", h.tries)
	}
}
