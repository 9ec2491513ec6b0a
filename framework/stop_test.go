package framework_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/fx"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/planted"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// start is run without the stop at the end of the test.
func (b *bundle) start(t *testing.T, cs ...framework.Consumer) *framework.Engine {
	t.Helper()
	e, err := framework.New(b.client, cs)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// hanging is what hangs while an engine is stopped.
type hanging struct {
	hangs bool // a handler that ignores its context
	fault func(*bundle)
	fails bool
}

func TestStopReturnsInTimeWhateverHangs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]hanging{
		"idle, redis killed":            {fault: func(b *bundle) { b.server.Kill() }, fails: true},
		"idle, redis hangs":             {fault: func(b *bundle) { b.server.Pause() }, fails: true},
		"handler hangs":                 {hangs: true, fault: func(*bundle) {}},
		"handler hangs and redis hangs": {hangs: true, fault: func(b *bundle) { b.server.Pause() }, fails: true},
		"handler hangs, redis killed":   {hangs: true, fault: func(b *bundle) { b.server.Kill() }, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBudgets(t, 4*time.Second, tc.stop)
		})
	}
}

func (tc hanging) stop(t *testing.T, budget time.Duration) error {
	t.Helper()
	b := setup(t)
	q := stringQueue("stopped")
	release, running := make(chan struct{}), make(chan struct{}, 1)
	t.Cleanup(func() { close(release) })
	e := b.start(t, framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		running <- struct{}{}
		<-release
		return nil
	})))
	if tc.hangs {
		b.offer(t, q, "x")
		await(t, running, "handler")
	}
	lab.WaitFor(t, "it has taken", func() bool { return b.redis.ZCard(t.Context(), "duequeue:sessions:{stopped}").Val() == 1 })
	tc.fault(b)
	defer b.server.Resume()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), budget)
	defer cancel()
	err := e.Stop(ctx)
	if ctx.Err() != nil {
		return fmt.Errorf("%w: Stop used up its whole time: %w", errLate, err)
	}
	if err != nil && !tc.fails {
		return err
	}
	if err == nil && tc.fails {
		t.Error("a stop that could not give back what it held says nothing")
	}
	if h := e.Health(); h.Live || h.Ready {
		t.Errorf("health %+v", h)
	}
	return nil
}

func TestInterruptedMessagesGoBackInTheirOrder(t *testing.T) {
	t.Parallel()
	virtually(t, interruptedGoBack)
}

func interruptedGoBack(t *testing.T, b *bundle) {
	t.Helper()
	q := stringQueue("ordered")
	var want []string
	for i := range 8 {
		want = append(want, fmt.Sprint("message ", i))
	}
	running := make(chan struct{}, len(want))
	var ended atomic.Int64
	e := b.start(t, framework.Consume(q, handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		running <- struct{}{}
		<-ctx.Done()
		n := slices.Index(want, d.Payload) * 5 % 8 // each ends in another turn
		for ended.Load() < int64(n) {
			runtime.Gosched()
		}
		ended.Add(1)
		return ctx.Err()
	}), framework.Workers(8)))
	for _, v := range append(slices.Clone(want), "last") {
		if err := b.redis.RPush(t.Context(), "ordered", v).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for range want {
		await(t, running, "handler")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Second)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	got, err := b.redis.LRange(t.Context(), "ordered", 0, -1).Result()
	if err != nil || !slices.Equal(got, append(want, "last")) {
		t.Fatalf("left %q %v", got, err)
	}
	if keys := b.redis.Keys(t.Context(), "duequeue:sessions:*").Val(); len(keys) != 0 {
		t.Fatalf("left %q", keys)
	}
}

func TestHealthAnswersDuringStop(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("answers")
	running, release := make(chan struct{}, 1), make(chan struct{})
	e := b.start(t, framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		running <- struct{}{}
		<-release
		return nil
	})))
	b.offer(t, q, "x")
	await(t, running, "handler")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	stopped := make(chan error, 2)
	go func() { stopped <- e.Stop(ctx) }()
	lab.WaitFor(t, "health says stopping", func() bool {
		h := e.Health()
		return h.Live && !h.Ready && h.Reasons[0] == "stopping"
	})
	hasty, end := context.WithTimeout(ctx, 10*time.Millisecond)
	defer end()
	if err := e.Stop(hasty); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second Stop that may not wait: %v", err)
	}
	go func() { stopped <- e.Stop(ctx) }()
	close(release)
	for range 2 {
		if err := await(t, stopped, "stop"); err != nil {
			t.Error(err)
		}
	}
}

func TestStopBeforeStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e, err := framework.New(b.client, []framework.Consumer{framework.TransferOnly(stringQueue("never"))})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); !errors.Is(err, fault.ErrClosed) {
		t.Fatalf("start after stop: %v", err)
	}
}

func TestStartThatFailsMayBeRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("again")
	e, err := framework.New(b.client, []framework.Consumer{framework.TransferOnly(q)})
	if err != nil {
		t.Fatal(err)
	}
	b.server.Kill()
	if err := e.Start(t.Context()); err == nil {
		t.Fatal("started without Redis")
	}
	if h := e.Health(); h.Ready || len(h.Queues) != 0 {
		t.Errorf("health %+v", h)
	}
	b.server.Restart()
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestStartThatFailsClosesTheClientOfTheGraph(t *testing.T) {
	t.Parallel()
	var client *framework.Client
	q := stringQueue("closed")
	app := fx.New(quietly(t), framework.Module, fx.Supply(framework.Config{Redis: framework.RedisConfig{URL: "redis://127.0.0.1:1"}}),
		framework.HandleFunc(q, func(context.Context, *handlers.Delivery[string]) error { return nil }), fx.Populate(&client))
	if err := app.Start(t.Context()); err == nil {
		t.Fatal("started")
	}
	if _, err := framework.Bind(client, q).Offer(t.Context(), "x", 0); !errors.Is(err, redis.ErrClosed) && !errors.Is(err, fault.ErrClosed) {
		t.Fatalf("offer: %v, want that the client is closed", err)
	}
}

// suspect puts a message in front that was in flight in two processes that died.
func (b *bundle) suspect(t *testing.T, q registry.Descriptor, body string) {
	t.Helper()
	rdb := b.redis
	if err := planted.Record(t.Context(), rdb, wire.KeysOf(q.Code()), body, "2,0,2"); err != nil {
		t.Fatal(err)
	}
	if err := rdb.LPush(t.Context(), q.Code(), body).Err(); err != nil {
		t.Fatal(err)
	}
}

func TestSuspectRunsAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	started, finish := make(chan string, 10), make(chan struct{})
	h := handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		started <- d.Payload
		if d.Payload != "free" {
			<-finish
		}
		return nil
	})
	one, two := stringQueue("one"), stringQueue("two")
	e := b.run(t, framework.Consume(one, h), framework.Consume(two, h))
	b.offer(t, two, "busy")
	await(t, started, "busy one")
	b.suspect(t, one, "killer")
	lab.WaitFor(t, "the suspect waits", func() bool { return e.Health().Queues[1].HeldSince != nil })
	b.offer(t, two, "free", "free")
	none := func(when string) {
		select {
		case v := <-started:
			t.Fatalf("%q started %s", v, when)
		case <-time.After(200 * time.Millisecond):
		}
	}
	none("while the suspect waits")
	finish <- struct{}{}
	if v := await(t, started, "suspect"); v != "killer" {
		t.Fatalf("%q started first", v)
	}
	b.offer(t, one, "free")
	none("beside the suspect")
	finish <- struct{}{}
	for range 3 {
		if v := await(t, started, "the rest"); v != "free" {
			t.Fatal(v)
		}
	}
	lab.WaitFor(t, "nothing is left", func() bool { return b.gone(t, one) })
}

func TestStopWhileASuspectWaitsForAHungHandler(t *testing.T) {
	t.Parallel()
	virtually(t, stopBesideAHungHandler)
}

func stopBesideAHungHandler(t *testing.T, b *bundle) {
	t.Helper()
	started, release := make(chan string, 10), make(chan struct{})
	t.Cleanup(func() { close(release) })
	h := handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		started <- d.Payload
		<-release
		return nil
	})
	one, two := stringQueue("one"), stringQueue("two")
	e := b.start(t, framework.Consume(one, h), framework.Consume(two, h))
	b.offer(t, two, "hangs")
	await(t, started, "handler")
	b.suspect(t, one, "killer")
	lab.WaitFor(t, "the suspect waits", func() bool { return e.Health().Queues[1].HeldSince != nil })
	b.offer(t, two, "waits")
	lab.WaitFor(t, "another one waits for it", func() bool { return e.Health().Queues[1].Running == 2 })
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Second)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	rdb := b.redis
	left := append(rdb.LRange(t.Context(), "one", 0, -1).Val(), rdb.LRange(t.Context(), "two", 0, -1).Val()...)
	if strings.Join(left, " ") != "killer hangs waits" || len(started) != 0 {
		t.Fatalf("left %q, started %d more", left, len(started))
	}
}

func TestHungHandlerThatExitsIsNoZombie(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("exits", registry.Timeout(50*time.Millisecond), registry.Grace(50*time.Millisecond))
	release := make(chan struct{})
	e := b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		if d.Attempt() == 1 {
			<-release
			runtime.Goexit()
		}
		return nil
	})))
	b.offer(t, q, "x")
	lab.WaitFor(t, "a zombie", func() bool { return e.Health().Queues[0].Zombies == 1 })
	close(release)
	lab.WaitFor(t, "none any more", func() bool { return e.Health().Queues[0].Zombies == 0 })
}

func TestNilFuncIsAMistake(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := framework.New(b.client, []framework.Consumer{framework.Consume(stringQueue("nil"), handlers.Func[string](nil))})
	var reg *fault.RegistrationError
	if !errors.As(err, &reg) || !strings.Contains(err.Error(), "handler is nil") {
		t.Fatalf("error %v", err)
	}
}

// fx gives all hooks one budget: those that come after the engine's need some too.
func TestHungHandlerLeavesTimeForOtherHooksOfFx(t *testing.T) {
	t.Parallel()
	signals := make(chan os.Signal, 1) // fx would start the goroutine of package os/signal in the bubble
	signal.Notify(signals, os.Interrupt)
	signal.Stop(signals)
	synctest.Test(t, stopWithOtherHooks)
}

func stopWithOtherHooks(t *testing.T) {
	running, release := make(chan struct{}, 1), make(chan struct{})
	defer close(release)
	var stopped atomic.Bool
	var client *framework.Client
	q := stringQueue("hooks")
	app := fx.New(quietly(t), framework.Module, embedded.Module,
		fx.Provide(func(lc fx.Lifecycle) framework.Config { // built before the engine, so stopped after it
			lc.Append(fx.StopHook(func() { stopped.Store(true) }))
			return framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL, PoolSize: 1000}}
		}),
		framework.HandleFunc(q, func(context.Context, *handlers.Delivery[string]) error {
			running <- struct{}{}
			<-release
			return nil
		}), fx.Populate(&client))
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := framework.Bind(client, q).Offer(t.Context(), "x", 0); err != nil {
		t.Fatal(err)
	}
	await(t, running, "handler")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 3*time.Second)
	defer cancel()
	if err := app.Stop(ctx); err != nil || !stopped.Load() {
		t.Errorf("%v, the other hook ran: %v", err, stopped.Load())
	}
}
