package framework_test

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

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// push puts bodies on the ready list.
func (b *bundle) push(t *testing.T, q registry.Descriptor, bodies ...string) {
	t.Helper()
	values := make([]any, len(bodies))
	for i, v := range bodies {
		values[i] = v
	}
	if err := b.redis.RPush(t.Context(), q.Code(), values...).Err(); err != nil {
		t.Fatal(err)
	}
}

func bodies(n int) (vs []string) {
	for i := range n {
		vs = append(vs, fmt.Sprint("message ", i))
	}
	return vs
}

// A stop interrupts a batch: what is done is done, the rest goes back to the head in
// its order, with what was never started behind it, and nobody is charged.
func TestInterruptedBatchGoesBackInOrder(t *testing.T) {
	t.Parallel()
	for name, ending := range map[string]func(ctx context.Context, n int, release <-chan struct{}) error{
		"it listens": func(ctx context.Context, _ int, _ <-chan struct{}) error {
			<-ctx.Done()
			return ctx.Err()
		},
		"half is done": func(ctx context.Context, n int, _ <-chan struct{}) error {
			<-ctx.Done()
			errs := make([]error, n)
			for i := n / 2; i < n; i++ {
				errs[i] = ctx.Err()
			}
			return handlers.PerItem(errs)
		},
		"it ignores its context": func(_ context.Context, _ int, release <-chan struct{}) error {
			<-release
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			virtually(t, func(t *testing.T, b *bundle) {
				q := stringQueue("batches")
				running, release := make(chan int, 1), make(chan struct{})
				t.Cleanup(func() { close(release) })
				all := bodies(12)
				b.push(t, q, all...)
				e := b.start(t, framework.ConsumeBatch(q, handlers.BatchFunc[string](func(ctx context.Context, ds []*handlers.Delivery[string]) error {
					running <- len(ds)
					return ending(ctx, len(ds), release)
				}), framework.Workers(1), framework.BatchSize(8)))
				if n := await(t, running, "batch"); n != 8 {
					t.Fatalf("a batch of %d", n)
				}
				ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Second)
				defer cancel()
				if err := e.Stop(ctx); err != nil {
					t.Error(err)
				}
				want := all
				if name == "half is done" {
					want = all[4:]
				}
				got, err := b.redis.LRange(t.Context(), "batches", 0, -1).Result()
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("left %q %v", got, err)
				}
				for field, counts := range b.redis.HGetAll(t.Context(), "duequeue:attempts:{batches}").Val() {
					if !strings.HasPrefix(counts, "1,0,0;") {
						t.Errorf("%s is charged: %s", field, counts)
					}
				}
			})
		})
	}
}

func TestSuspectJoinsNoBatch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("batches")
	b.push(t, q, bodies(4)...)
	b.suspect(t, q, "killer")
	b.push(t, q, "last")
	got := make(chan []string, 10)
	b.run(t, framework.ConsumeBatch(q, handlers.BatchFunc[string](func(_ context.Context, ds []*handlers.Delivery[string]) error {
		var vs []string
		for _, d := range ds {
			vs = append(vs, d.Payload)
		}
		got <- vs
		return nil
	}), framework.BatchWait(time.Second)))
	if vs := await(t, got, "suspect"); !slices.Equal(vs, []string{"killer"}) {
		t.Fatalf("first %q", vs)
	}
	if vs := await(t, got, "the others"); len(vs) != 5 {
		t.Fatalf("then %q", vs)
	}
}

// Every message ends in one place only, whatever becomes of its batches, and through
// stops and starts in between.
func TestBatchesOnRedisLoseNothing(t *testing.T) {
	t.Parallel()
	const n = 3000
	b := setup(t)
	q := stringQueue("batches", registry.MaxAttempts(3))
	var mu sync.Mutex
	done := map[string]int{}
	h := handlers.BatchFunc[string](func(_ context.Context, ds []*handlers.Delivery[string]) error {
		if rand.IntN(20) == 0 {
			return errors.New("the whole batch")
		}
		if rand.IntN(50) == 0 {
			panic("the whole batch")
		}
		errs := make([]error, len(ds))
		mu.Lock()
		defer mu.Unlock()
		for i, d := range ds {
			switch rand.IntN(12) {
			case 0:
				errs[i] = handlers.Reject("never")
			case 1:
				errs[i] = errors.New("failed")
			case 2:
				errs[i] = handlers.RetryAfter(5*time.Millisecond, nil)
			default:
				done[d.Payload]++
			}
		}
		return handlers.PerItem(errs)
	})
	consumer := func() framework.Consumer {
		return framework.ConsumeBatch(q, h, framework.Workers(3), framework.BatchSize(40), framework.BatchWait(2*time.Millisecond),
			framework.Breaker(framework.BreakerConfig{Disabled: true}))
	}
	b.push(t, q, bodies(n)...)
	for range 3 {
		e := b.start(t, consumer())
		before := b.redis.LLen(t.Context(), "batches").Val()
		lab.WaitFor(t, "a third is taken", func() bool {
			left := b.redis.LLen(t.Context(), "batches").Val()
			return left == 0 || left <= before-n/3
		})
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		if err := e.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	b.run(t, consumer())
	lab.WaitFor(t, "all have ended", func() bool { return b.gone(t, q) })
	places := map[string]int{}
	for v, times := range done {
		places[v] += times
	}
	for cursor := ""; ; {
		page, err := framework.Bind(b.client, q).Dead().Page(t.Context(), cursor, 500)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, d := range page {
			places[string(d.Body)]++
		}
		cursor = page[len(page)-1].Entry
	}
	if len(places) != n {
		t.Errorf("%d of %d messages have ended", len(places), n)
	}
	for v, times := range places {
		if times != 1 {
			t.Errorf("%s ended %d times", v, times)
		}
	}
}
