package watch

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// bubble is a miniredis with a client inside a synctest bubble: time passes only
// while everybody waits.
type bubble struct {
	t    *testing.T
	mini *miniredis.Miniredis
	rdb  *redis.Client
	seen *commandCount
}

// inBubble runs a test in a bubble of its own.
func inBubble(t *testing.T, test func(t *testing.T, b *bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		mini := miniredis.NewMiniRedis()
		b := &bubble{t: t, mini: mini, seen: &commandCount{}}
		b.rdb = redis.NewClient(&redis.Options{
			Dialer: func(context.Context, string, string) (net.Conn, error) {
				c, err := mini.Dial()
				if err != nil {
					return nil, err
				}
				return pump(c), nil
			},
			MaxRetries: -1, DisableIdentity: true, ContextTimeoutEnabled: true,
			MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		})
		b.rdb.AddHook(b.seen)
		defer func() {
			_ = b.rdb.Close()
			mini.Close()
		}()
		test(t, b)
	})
}

// commandCount counts the commands a client sends, except plain reads of tests.
type commandCount struct {
	mu      sync.Mutex
	scripts int
}

func (c *commandCount) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *commandCount) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.add(cmd)
		return next(ctx, cmd)
	}
}

func (c *commandCount) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.add(cmds...)
		return next(ctx, cmds)
	}
}

func (c *commandCount) add(cmds ...redis.Cmder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cmd := range cmds {
		if cmd.Name() == "evalsha" || cmd.Name() == "eval" {
			c.scripts++
		}
	}
}

func (c *commandCount) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.scripts
}

// arrivals notes when messages reached the ready list, which it empties.
type arrivals struct {
	mu  sync.Mutex
	at  map[string]time.Time
	all []string
	got chan struct{} // a signal after each arrival
}

func newArrivals() *arrivals {
	return &arrivals{at: make(map[string]time.Time), got: make(chan struct{}, 1)}
}

// serve returns a Served callback for the queue.
func (a *arrivals) serve(ctx context.Context, rdb redis.UniversalClient, k wire.Keys) func(delayed.TransferResult) {
	return func(delayed.TransferResult) {
		list, err := rdb.LPopCount(ctx, k.Queue, 100_000).Result()
		if err != nil {
			return // empty, or the server is away
		}
		now := time.Now()
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, m := range list {
			a.at[m] = now
			a.all = append(a.all, m)
		}
		select {
		case a.got <- struct{}{}:
		default:
		}
	}
}

func (a *arrivals) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.all)
}

func (a *arrivals) when(m string) (time.Time, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, ok := a.at[m]
	return at, ok
}

// watch starts a watcher and stops it with the test.
func watch(t *testing.T, rdb redis.UniversalClient, queues []Queue, opts Options) *Watcher {
	t.Helper()
	w := New(rdb, queues, opts)
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return w
}

// watchOne watches one queue in the bubble; the caller stops it.
func (b *bubble) watchOne(k wire.Keys, opts Options) (*Watcher, *arrivals) {
	b.t.Helper()
	return b.watch(Queue{Keys: k}, opts)
}

// watch is watchOne for a queue with a view, for example.
func (b *bubble) watch(q Queue, opts Options) (*Watcher, *arrivals) {
	b.t.Helper()
	a := newArrivals()
	q.DueTracking, q.Served = true, a.serve(b.t.Context(), b.rdb, q.Keys)
	w := New(b.rdb, []Queue{q}, opts)
	if err := w.Start(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	return w, a
}

// pass lets virtual time pass.
func (b *bubble) pass(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
	synctest.Wait()
}

func (b *bubble) offer(k wire.Keys, payload string, delay time.Duration) delayed.OfferResult {
	b.t.Helper()
	return queuetest.Must[delayed.OfferResult](b.t)(delayed.Offer(b.t.Context(), b.rdb, k, delayed.OfferArgs{Payload: []byte(payload), Delay: delay}))
}

func (b *bubble) stop(w *Watcher) {
	b.t.Helper()
	if err := w.Stop(b.t.Context()); err != nil {
		b.t.Error(err)
	}
}

// lateness returns how long after its due time a message arrived.
func (b *bubble) lateness(a *arrivals, payload string, dueMs int64) time.Duration {
	b.t.Helper()
	at, ok := a.when(payload)
	if !ok {
		b.t.Fatalf("%s did not arrive", payload)
	}
	return at.Sub(time.UnixMilli(dueMs))
}

// offerMany offers n messages, "0", "1" and so on, each with its delay; nil: none.
func offerMany(t *testing.T, rdb redis.UniversalClient, k wire.Keys, n int, delay func(i int) time.Duration) {
	t.Helper()
	offers := func(yield func(delayed.OfferArgs) bool) {
		for i := range n {
			args := delayed.OfferArgs{Payload: fmt.Append(nil, i)}
			if delay != nil {
				args.Delay = delay(i)
			}
			if !yield(args) {
				return
			}
		}
	}
	delayed.OfferAll(t.Context(), rdb, k, offers, func(i int, _ delayed.OfferResult, err error) {
		if err != nil {
			t.Errorf("offer %d: %v", i, err)
		}
	})
}
