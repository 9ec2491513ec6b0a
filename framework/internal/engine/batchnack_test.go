package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/planted"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// nackTrips notes how many nacks each round trip carries.
type nackTrips struct {
	redis.Hook
	sha string

	mu    sync.Mutex
	trips []int
}

func (h *nackTrips) note(cmds ...redis.Cmder) {
	n := 0
	for _, c := range cmds {
		if len(c.Args()) > 1 && c.Args()[1] == h.sha {
			n++
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if n > 0 {
		h.trips = append(h.trips, n)
	}
}

func (h *nackTrips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *nackTrips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		h.note(cmd)
		return next(ctx, cmd)
	}
}

func (h *nackTrips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		h.note(cmds...)
		return next(ctx, cmds)
	}
}

// What fails in a batch is offered again in one round trip, in its order; each message
// is charged and dies by itself.
func TestBatchIsOfferedAgainAtOnce(t *testing.T) {
	t.Parallel()
	f := newFaultyCodec(t, registry.MaxAttempts(2), registry.Backoff(registry.Steps(time.Hour)))
	hook := &nackTrips{}
	for _, s := range lease.Scripts() {
		if s.Name() == "nack" {
			hook.sha = s.SHA()
		}
	}
	f.client.Redis.AddHook(hook)
	keys := wire.KeysOf(f.queue.Key())
	// The first one: in a row of failures nobody is charged for the last attempt.
	if err := planted.Record(t.Context(), f.server.Client(), keys, "m00", "1,1,0"); err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range 40 {
		all = append(all, fmt.Sprintf("m%02d", i))
	}
	f.push(t, all...)
	p := Policy{Workers: 1, BatchSize: 40, Breaker: gate.Settings{Failures: 1000}}
	run(t, f.client, consumeBatch(f.queue, p, func(_ context.Context, ds []*handlers.Delivery[string]) error {
		errs := make([]error, len(ds))
		for i, d := range ds {
			if d.Payload != "m05" {
				errs[i] = errors.New("no")
			}
		}
		return handlers.PerItem(errs)
	}))
	rdb := f.server.Client()
	lab.WaitFor(t, "38 pending and one dead", func() bool {
		return rdb.ZCard(t.Context(), keys.Timeout).Val() == 38 && rdb.XLen(t.Context(), keys.Dead).Val() == 1
	})
	var got []string
	for _, m := range rdb.ZRange(t.Context(), keys.Timeout, 0, -1).Val() {
		_, body, err := wire.Parse([]byte(m), false)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(body))
	}
	if want := slices.DeleteFunc(all, func(m string) bool { return m == "m00" || m == "m05" }); !slices.Equal(got, want) {
		t.Errorf("pending in the order %q", got)
	}
	hook.mu.Lock()
	defer hook.mu.Unlock()
	if len(hook.trips) > 2 || slices.Max(hook.trips) != 39 { // the second one where Redis lacks the script
		t.Errorf("nacks by round trip: %v", hook.trips)
	}
}
