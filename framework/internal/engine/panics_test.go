package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// trap is a hook of a Redis client that panics once: in the first call whose goroutine is in a function.
func trap(in string) queuetest.EachTrip {
	var told atomic.Bool
	return func(context.Context, []redis.Cmder) {
		if strings.Contains(string(debug.Stack()), in) && told.CompareAndSwap(false, true) {
			panic("the trap")
		}
	}
}

// Whichever goroutine of the engine panics: the process lives on, and either all messages are
// handled or health says that the process must be restarted. The engine stops in any case.
func TestAPanicOnAnyGoroutineEndsNoProcess(t *testing.T) {
	t.Parallel()
	const messages = 100
	srv := lab.StartRedis(t)
	for in, live := range map[string]bool{
		"engine.(*taker).loop":              false, // what it had taken is not known
		"engine.(*settling).retry":          false, // what became of the message is not known
		"control.(*Follower).lookAt":        false, // a pause may not be in force
		"deadstore.KeepBounds":              true,
		"deadstore.(*teller).run":           true,
		"lease.(*Reapers).lookAt":           true,
		"control.(*Announcer).run":          true,
		"sessions.(*Session).Flush":         true,
		"watch.(*Watcher).transfer":         true,
		"engine.(*Engine).lookForeign.func": true,
	} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			h := trap(in)
			c := openFor(t, srv, func(c *Client) {
				c.Lease, c.Block, c.Sweep = 3*time.Second, time.Second, 200*time.Millisecond
				c.Panics = background.NewPanics(slog.New(slog.DiscardHandler))
				c.Foreign = func(registry.Descriptor) registry.ForeignMode { return registry.ForeignWarn }
				own := lab.Connect(t, srv.Addr())
				own.AddHook(h)
				c.Redis = own
			})
			q := registry.Define[string](queuetest.NewQueue().Queue, "", registry.Codec(codecs.String()), registry.DeadLimit(10))
			var handled, failed atomic.Int64
			tell := func(context.Context, partitions.Letter) error { return nil }
			e := New(c, []Consumer{consume(q, Policy{Workers: 2, Tell: tell}, func(context.Context, *handlers.Delivery[string]) error {
				if failed.Add(1) == 1 {
					return errors.New("the first one fails")
				}
				handled.Add(1)
				return nil
			})})
			err := e.Start(t.Context())
			if strings.Contains(in, "Engine") {
				if _, ok := errors.AsType[*handlers.PanicError](err); !ok {
					t.Error(err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			rdb := lab.Connect(t, srv.Addr())
			for i := range messages {
				if err := rdb.RPush(t.Context(), wire.KeysOf(q.Key()).Queue, fmt.Sprint("m", i)).Err(); err != nil {
					t.Fatal(err)
				}
			}
			lab.WaitFor(t, "it panics, and all is handled or told", func() bool {
				return len(c.Panics.All()) > 0 && (!e.Health().Live || handled.Load() >= messages-1)
			})
			told := strings.Join(e.Health().Degraded, "\n")
			if e.Health().Live != live || !strings.Contains(told, "a goroutine of duequeue panicked") || strings.Contains(told, "; restart the process") == live {
				t.Errorf("live %v, health says %s", e.Health().Live, told)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			_ = e.Stop(ctx) // what the goroutine has left may be an error
			if h := e.Health(); h.Live || h.Ready {
				t.Error("it has not stopped")
			}
		})
	}
}
