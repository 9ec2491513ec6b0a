package rlock

import (
	"context"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// losing loses the reply of every second script.
type losing struct {
	mu      sync.Mutex
	scripts int
}

func (*losing) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *losing) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if cmd.Name() != "evalsha" || err != nil && err != redis.Nil { //nolint:errorlint // not loaded yet
			return err
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.scripts++; h.scripts%2 == 1 {
			err = context.DeadlineExceeded
			cmd.SetErr(err)
		}
		return err
	}
}

func (*losing) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// A script whose reply is lost is sent again, and counts once.
func TestLostReplies(t *testing.T) {
	t.Parallel()
	l := own(t)
	l.redis.Redis.AddHook(&losing{})
	ctx, rdb := t.Context(), lab.Shared.Client()
	var locks []*Lock
	for want := range 3 {
		lock, err := l.Acquire(ctx, t.Name(), Fenced())
		if err != nil {
			t.Fatal(err)
		}
		if got := rdb.HVals(ctx, t.Name()).Val(); len(got) != 1 || got[0] != string(rune('1'+want)) || lock.Token() != 1 {
			t.Fatal(got, lock.Token())
		}
		ctx, locks = lock.Context(), append(locks, lock) //nolint:fatcontext // the holder takes it again
	}
	for _, lock := range locks {
		if err := lock.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := rdb.Exists(t.Context(), t.Name()).Val(); n != 0 {
		t.Error("the lock is not free")
	}
}
