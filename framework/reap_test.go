package framework_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
)

// crashed takes n messages as a process does that is killed then.
func (b *bundle) crashed(t *testing.T, queue string, n int, hold time.Duration) {
	t.Helper()
	rdb := b.redis
	s, err := lease.New(rdb, rdb, wire.KeysOf(queue), lease.Options{Lease: hold, Block: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	batch, err := s.Take(t.Context(), n, nil)
	if err != nil || len(batch.Messages) != n {
		t.Fatalf("took %d: %v", len(batch.Messages), err)
	}
}

// After a rollback to Java nobody is left who reaps: what was in flight is counted, and
// one call returns it, in its order.
func TestReapReturnsWhatTheDeadHeld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("stranded")
	rdb := b.redis
	rdb.RPush(t.Context(), "stranded", "a", "b", "c", "d")
	b.crashed(t, "stranded", 3, 2*time.Second)
	n, err := framework.Bind(b.client, q).Counts(t.Context())
	if err != nil || n.Ready != 1 || n.InFlight != 3 || n.Stranded != 0 || n.Sessions != 1 {
		t.Fatalf("counts %+v %v", n, err)
	}
	r, err := admin.Reap(t.Context(), b.client, "stranded", admin.ReapOptions{})
	if err != nil || r.Sessions != 0 || r.Open != 1 || r.InFlight != 3 || r.OpenUntil.IsZero() {
		t.Fatalf("while the lease holds: %+v %v", r, err)
	}
	lab.WaitFor(t, "the lease is over", func() bool {
		n, err = framework.Bind(b.client, q).Counts(t.Context())
		return err == nil && n.InFlight == 3 && n.Stranded == 3
	})
	names, err := admin.HeldQueues(t.Context(), b.client)
	if err != nil || !slices.Equal(names, []string{"stranded"}) {
		t.Errorf("held queues %v %v", names, err)
	}
	r, err = admin.Reap(t.Context(), b.client, "stranded", admin.ReapOptions{})
	if err != nil || r.Sessions != 1 || r.Messages != 3 || r.Open != 0 || r.InFlight != 0 {
		t.Fatalf("afterwards: %+v %v", r, err)
	}
	if list, err := rdb.LRange(t.Context(), "stranded", 0, -1).Result(); err != nil || strings.Join(list, "") != "abcd" {
		t.Errorf("ready %q %v", list, err)
	}
	if r, err = admin.Reap(t.Context(), b.client, "stranded", admin.ReapOptions{Wait: true}); err != nil || r != (admin.Reaped{Queue: "stranded"}) {
		t.Errorf("again: %+v %v", r, err)
	}
}

// Messages whose due time is not known keep their age: it goes on from when they were taken.
func TestLagGoesOnAfterAReap(t *testing.T) {
	t.Parallel()
	const lease = 2 * time.Second
	for name, behind := range map[string][]string{"alone": nil, "before others": {"c"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, queue := setup(t), "aged"
			for range 2 { // a second death is of messages that came back before
				b.redis.Del(t.Context(), queue)
				b.redis.RPush(t.Context(), queue, append([]string{"a", "b"}, behind...))
				b.crashed(t, queue, 2, lease)
				counts := func() framework.Counts {
					n, err := framework.Bind(b.client, stringQueue(queue)).Counts(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					return n
				}
				lab.WaitFor(t, "the lease is over", func() bool { return counts().Stranded == 2 })
				if r, err := admin.Reap(t.Context(), b.client, queue, admin.ReapOptions{}); err != nil || r.Messages != 2 {
					t.Fatalf("%+v %v", r, err)
				}
				for _, head := range []string{"a", "b"} {
					if n := counts(); n.Lag < lease || !n.LagAtLeast {
						t.Errorf("%q has waited for %v, at least: %v; want %v or more", head, n.Lag, n.LagAtLeast, lease)
					}
					b.redis.LPop(t.Context(), queue)
				}
			}
		})
	}
}

// Who waits returns what died a moment ago, and leaves alone who lives.
func TestReapWaitsForLeases(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *framework.Config) { c.Lease, c.Block = 3*time.Second, time.Second })
	q := stringQueue("waits")
	rdb := b.redis
	rdb.RPush(t.Context(), "waits", "first", "second", "third")
	running, finish := make(chan string, 3), make(chan struct{})
	b.run(t, framework.Consume(q, handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		running <- d.Payload
		select {
		case <-finish:
		case <-ctx.Done():
		}
		return nil
	}), framework.Workers(1)))
	defer close(finish)
	await(t, running, "first")
	b.crashed(t, "waits", 1, 2*time.Second)
	r, err := admin.Reap(t.Context(), b.client, "waits", admin.ReapOptions{Wait: true})
	if err != nil || r.Open != 0 || r.Alive != 1 || r.InFlight < 1 {
		t.Fatalf("%+v %v", r, err)
	}
	if list, err := rdb.LRange(t.Context(), "waits", 0, -1).Result(); err != nil || len(list) == 0 || list[0] != "second" {
		t.Errorf("ready %q %v", list, err)
	}
}
