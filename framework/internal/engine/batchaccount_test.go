package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Whatever batches run into, in the end each message is handled or dead, no worker's
// room is lost or doubled, and nothing lies in flight.
func TestBatchesKeepTheirAccounts(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]Policy{
		"at once":  {Workers: 2, BatchSize: 7},
		"gathered": {Workers: 3, BatchSize: 10, BatchWait: 20 * time.Millisecond},
		"limited":  {Workers: 2, BatchSize: 7, Rate: 400, Burst: 40, BatchWait: 5 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFaultyCodec(t, registry.Timeout(100*time.Millisecond), registry.Grace(50*time.Millisecond),
				registry.MaxAttempts(40), registry.Backoff(registry.Steps(time.Millisecond)))
			var handled sync.Map
			p.Breaker = gate.Settings{Failures: 3, OpenFor: 5 * time.Millisecond, MaxOpenFor: 10 * time.Millisecond}
			c := consumeBatch(f.queue, p, func(ctx context.Context, ds []*handlers.Delivery[string]) error {
				errs := make([]error, len(ds))
				switch rand.N(24) {
				case 0:
					panic("oops")
				case 1:
					runtime.Goexit()
				case 2:
					<-ctx.Done()
					return ctx.Err()
				case 3:
					<-time.After(200 * time.Millisecond)
					return errors.New("hung")
				case 4:
					return errors.New("all")
				case 5:
					return handlers.PerItem(errs[1:])
				case 6:
					return handlers.Transient(errors.New("down"))
				case 7:
					errs[rand.N(len(ds))] = errors.New("one")
				}
				for i, d := range ds {
					if errs[i] == nil {
						handled.Store(d.Payload, true)
					}
				}
				return handlers.PerItem(errs)
			})
			decode := c.Decode
			var undecodable atomic.Int64
			c.Decode = func(body []byte) (any, error) {
				if rand.N(100) == 0 && undecodable.Add(1) < 10 {
					return nil, &codecs.DecodeError{Codec: "string", Reason: "a whim"}
				}
				return decode(body)
			}
			e := run(t, f.client, c)
			const total = 400
			for i := range total {
				f.push(t, fmt.Sprint("m", i))
				if i%50 == 25 {
					if err := errors.Join(e.Pause("test", ""), e.Resume()); err != nil {
						t.Fatal(err)
					}
				}
			}
			rdb, r := f.server.Client(), e.intakes[0]
			lab.WaitFor(t, "the end", func() bool {
				n := rdb.XLen(t.Context(), wire.KeysOf(f.queue.Key()).Dead).Val()
				handled.Range(func(any, any) bool { n++; return true })
				busy, hung := r.pool.Counts()
				return n >= total && busy == 0 && hung == 0
			})
			lab.WaitFor(t, "the room of all workers", func() bool {
				r.pool.mu.Lock()
				defer r.pool.mu.Unlock()
				return r.pool.Free() == r.own.Room() && len(r.pool.slots) == r.own.Workers
			})
			if err := e.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if left := rdb.Keys(t.Context(), "*").Val(); len(left) > 0 {
				for _, k := range left {
					if k != wire.KeysOf(f.queue.Key()).Dead && !queuetest.NotesPartitionsAlone(t, rdb, k) {
						t.Errorf("left behind: %s", k)
					}
				}
			}
		})
	}
}
