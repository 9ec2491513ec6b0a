package framework_test

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
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// ledger remembers what was accepted and what was handled.
type ledger struct {
	mu       sync.Mutex
	accepted map[string]bool
	handled  map[string]int
}

func newLedger() *ledger { return &ledger{accepted: map[string]bool{}, handled: map[string]int{}} }

func (l *ledger) accept(v string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accepted[v] = true
}

func (l *ledger) handle(_ context.Context, d *handlers.Delivery[string]) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handled[d.Payload]++
	return nil
}

// missing lists what was accepted and not handled.
func (l *ledger) missing() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for v := range l.accepted {
		if l.handled[v] == 0 {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

func (l *ledger) counts() (accepted, handled int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.accepted), len(l.handled)
}

// offerUntil offers numbered messages until stop; those that are refused are nobody's.
func (l *ledger) offerUntil(ctx context.Context, b *bundle, q *registry.Queue[string], stop <-chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		v := fmt.Sprintf("%s %d", q.Code(), i)
		if _, err := framework.Bind(b.client, q).Offer(ctx, v, time.Duration(i%5)*10*time.Millisecond); err == nil {
			l.accept(v)
		}
	}
}

func short(c *framework.Config) {
	c.Lease, c.Block = 2*time.Second, time.Second
	c.Redis.ReadTimeout, c.Redis.DialTimeout = time.Second, time.Second
}

func TestRestartOfRedisUnderLoadLosesNothing(t *testing.T) {
	t.Parallel()
	b := setupOn(t, lab.StartRedis(t, lab.AppendOnly()), short)
	q, l := stringQueue("restarted"), newLedger()
	b.run(t, framework.Consume(q, handlers.Func[string](l.handle), framework.Workers(4)))
	stop, offered := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(offered)
		l.offerUntil(t.Context(), b, q, stop)
	}()
	for round := range 2 {
		seen, _ := l.counts()
		lab.WaitFor(t, "offers are accepted", func() bool { n, _ := l.counts(); return n >= seen+100 })
		if round == 0 {
			b.server.Kill()
		}
		b.server.Restart()
	}
	seen, _ := l.counts()
	lab.WaitFor(t, "offers are accepted again", func() bool { n, _ := l.counts(); return n >= seen+100 })
	close(stop)
	await(t, offered, "end of the offers")
	lab.WaitFor(t, "all accepted messages are handled", func() bool { return len(l.missing()) == 0 })
	if dead := b.dead(t, q); len(dead) != 0 {
		t.Fatalf("%d dead: %+v", len(dead), dead[0])
	}
}

func TestScriptFlushUnderLoadIsNotNoticed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, l := stringQueue("flushed"), newLedger()
	b.run(t, framework.Consume(q, handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		if d.Attempt() == 1 && strings.HasSuffix(d.Payload, "7") {
			return handlers.RetryAfter(0, nil) // nacks are scripts too
		}
		return l.handle(ctx, d)
	}), framework.Workers(4)))
	stop, flushed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(flushed)
		for {
			select {
			case <-stop:
				return
			default:
				_ = b.redis.ScriptFlush(t.Context()).Err()
				<-time.After(time.Millisecond)
			}
		}
	}()
	for i := range 200 {
		v := fmt.Sprint("message ", i)
		b.offer(t, q, v)
		l.accept(v)
	}
	lab.WaitFor(t, "all messages are handled", func() bool { return len(l.missing()) == 0 })
	close(stop)
	await(t, flushed, "end of the flushes")
	for v, n := range l.handled {
		if n != 1 {
			t.Errorf("%s handled %d times", v, n)
		}
	}
}

func TestCutConnectionIsRecoveredFrom(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	line := lab.StartProxy(t, srv.Addr())
	b := setupOn(t, srv, short, func(c *framework.Config) { c.Redis.URL = line.URL() })
	q, l := stringQueue("cut"), newLedger()
	causes := make(chan error, 1)
	var once atomic.Bool
	e := b.run(t, framework.Consume(q, handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		if d.Payload == "long" && once.CompareAndSwap(false, true) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return ctx.Err()
		}
		return l.handle(ctx, d)
	}), framework.Workers(2)))
	push := func(vs ...string) {
		for _, v := range vs {
			l.accept(v)
			if err := srv.Client().RPush(t.Context(), "cut", v).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	push("long")
	lab.WaitFor(t, "the long one runs", func() bool { return e.Health().Queues[0].Running == 1 })
	line.Cut()
	if err := await(t, causes, "cancelled handler"); !errors.Is(err, handlers.ErrLeaseLost) {
		t.Fatalf("cause %v, want ErrLeaseLost", err)
	}
	push("one", "two", "three")
	lab.WaitFor(t, "health tells it", func() bool { return !e.Health().Ready })
	line.Mend()
	lab.WaitFor(t, "all are handled", func() bool { return len(l.missing()) == 0 })
	lab.WaitFor(t, "ready again", func() bool { return e.Health().Ready })
	lab.WaitFor(t, "nothing is left", func() bool { return b.gone(t, q) })
}

// A session that is gone and a fence that is closed must not wait for each other.
func TestRedisThatForgetsTheSessionIsServedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, short)
	q, got := stringQueue("forgotten"), make(chan string, 1)
	interrupted := make(chan error, 1)
	e := b.run(t, framework.Consume(q, handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		if d.Payload == "before" {
			<-ctx.Done()
			interrupted <- context.Cause(ctx)
			return nil
		}
		got <- d.Payload
		return nil
	}), framework.Workers(1)))
	b.offer(t, q, "before")
	lab.WaitFor(t, "it runs", func() bool { return e.Health().Queues[0].Running == 1 })
	b.server.Kill()
	if err := await(t, interrupted, "fence"); !errors.Is(err, handlers.ErrLeaseLost) {
		t.Fatalf("cause %v, want ErrLeaseLost", err)
	}
	b.server.Restart() // empty: nothing was kept on disk
	lab.WaitFor(t, "offers are accepted", func() bool {
		_, err := framework.Bind(b.client, q).Offer(t.Context(), "after", 0)
		return err == nil
	})
	if v := await(t, got, "delivery after the restart"); v != "after" {
		t.Fatal(v)
	}
	lab.WaitFor(t, "ready again", func() bool { return e.Health().Ready })
}

// Many queues must not fence one after the other.
func TestHangingRedisFencesAllQueuesInTime(t *testing.T) {
	t.Parallel()
	b := setup(t, short, func(c *framework.Config) { c.Lease = 9 * time.Second })
	const n = 8
	var cs []framework.Consumer
	running, fenced := make(chan string, n), make(chan time.Time, n)
	for i := range n {
		q := stringQueue(fmt.Sprint("hang", i))
		cs = append(cs, framework.Consume(q, handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
			running <- d.Code()
			<-ctx.Done()
			if errors.Is(context.Cause(ctx), handlers.ErrLeaseLost) {
				fenced <- time.Now()
			}
			return ctx.Err()
		}), framework.Workers(1)))
		b.offer(t, q, "x")
	}
	b.run(t, cs...)
	for range n {
		await(t, running, "handler")
	}
	b.server.Pause()
	defer b.server.Resume()
	paused := time.Now()
	for range n {
		if at := await(t, fenced, "fence").Sub(paused); at > 9*time.Second {
			t.Errorf("fenced %v after Redis was heard last, the lease is 9 s", at)
		}
	}
}
