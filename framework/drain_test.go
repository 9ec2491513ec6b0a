package framework_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/planted"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// stopWithin stops an engine whose budget is d.
func stopWithin(t *testing.T, e *framework.Engine, d time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), d)
	defer cancel()
	return e.Stop(ctx)
}

// stopsAtOnce stops an engine that may take hours: it fails the test if the engine waits for
// anything.
func stopsAtOnce(t *testing.T, e *framework.Engine) error {
	t.Helper()
	stopped := make(chan error, 1)
	go func() { stopped <- stopWithin(t, e, 10*time.Hour) }()
	return await(t, stopped, "end of a stop that has nothing to wait for")
}

// leaves fails the test when goroutines remain that were not there at the call.
func leaves(t *testing.T) (nothing func()) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	return func() {
		t.Helper()
		var err error
		lab.WaitFor(t, "all goroutines have ended", func() bool {
			err = goleak.Find(before)
			return err == nil
		})
	}
}

func (b *bundle) list(t *testing.T, key string) []string {
	t.Helper()
	all, err := b.redis.LRange(t.Context(), key, 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (b *bundle) sessions(t *testing.T, key string) int64 {
	t.Helper()
	return b.redis.ZCard(t.Context(), "duequeue:sessions:{"+key+"}").Val()
}

// The tests of this file that count goroutines run one after the other.

func TestDrainWithAnOpenBreaker(t *testing.T) { //nolint:paralleltest // it counts goroutines
	b := setup(t)
	nothing := leaves(t)
	q := registry.Define[string]("open", "", registry.Codec(codecs.String()))
	e := b.start(t, framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		return errors.New("down")
	}), framework.Workers(1), framework.Breaker(framework.BreakerConfig{Failures: 1, OpenFor: time.Minute})))
	b.push(t, q, "first")
	lab.WaitFor(t, "the intake is closed", func() bool {
		h := e.Health().Queues[0]
		return h.Intake == health.IntakeClosed && h.Reason == health.BecauseBreaker
	})
	left := []string{"a", "b", "c"}
	b.push(t, q, left...)
	if err := stopsAtOnce(t, e); err != nil {
		t.Fatalf("stop: %v", err)
	}
	if got := b.list(t, "open"); !slices.Equal(got, left) || b.sessions(t, "open") != 0 {
		t.Errorf("left %q, %d sessions", got, b.sessions(t, "open"))
	}
	nothing()
}

func TestDrainWhileASuspectRunsAlone(t *testing.T) {
	t.Parallel()
	virtually(t, drainBesideASuspect)
}

func drainBesideASuspect(t *testing.T, b *bundle) {
	t.Helper()
	one, two := stringQueue("one"), stringQueue("two")
	running := make(chan string, 9)
	h := handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		running <- d.Payload
		<-ctx.Done()
		return ctx.Err()
	})
	e := b.start(t, framework.Consume(one, h), framework.Consume(two, h))
	b.suspect(t, one, "suspect")
	await(t, running, "suspect")
	if s := e.Health().Queues[0].Suspect; s == nil || s.Digest == "" || s.StartedAt.IsZero() {
		t.Errorf("health says %+v", s)
	}
	b.push(t, one, "behind")
	b.push(t, two, "elsewhere")
	lab.WaitFor(t, "others are left to other processes", func() bool { return len(b.list(t, "one"))+len(b.list(t, "two")) == 2 })
	if err := stopWithin(t, e, time.Second); err != nil {
		t.Fatal(err)
	}
	if got := append(b.list(t, "one"), b.list(t, "two")...); !slices.Equal(got, []string{"suspect", "behind", "elsewhere"}) {
		t.Errorf("left %q", got)
	}
	id := planted.ID("suspect").Raw
	counters := b.redis.HGet(t.Context(), "duequeue:attempts:{one}", "u"+string(id[:])).Val()
	if !strings.HasPrefix(counters, "3,0,2;") { // handed out once more, no death
		t.Errorf("counters %q", counters)
	}
	if len(running) != 0 {
		t.Errorf("%q was started beside it", <-running)
	}
}

// While a suspect runs alone in one process, others handle what comes: nothing waits in
// the hands of the first.
func TestOthersTakeWhatASuspectWouldHoldUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := stringQueue("one"), stringQueue("two")
	running, done, end := make(chan string, 9), make(chan string, 100), make(chan struct{})
	suspect := handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		running <- d.Payload
		<-end
		return nil
	})
	handle := handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		done <- d.Payload
		return nil
	})
	b.run(t, framework.Consume(one, suspect), framework.Consume(two, handle))
	b.suspect(t, one, "suspect")
	await(t, running, "suspect")
	b.run(t, framework.Consume(two, handle))
	defer close(end)
	for i := range 40 {
		b.push(t, two, fmt.Sprint(i))
	}
	for i := range 40 {
		await(t, done, fmt.Sprintf("message %d of 40 while the suspect runs in another process", i))
	}
}

func TestDrainWhileAcksWait(t *testing.T) { //nolint:paralleltest // it counts goroutines
	b := setup(t)
	nothing := leaves(t)
	q := stringQueue("acks")
	var handled atomic.Int64
	e := b.start(t, framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		handled.Add(1)
		return nil
	}), framework.Workers(64)))
	for range 20 {
		var some []string
		for i := range 25 {
			some = append(some, fmt.Sprint("message ", i))
		}
		b.push(t, q, some...)
	}
	for handled.Load() < 100 { // in the middle of it
		runtime.Gosched()
	}
	if err := stopWithin(t, e, patience); err != nil {
		t.Fatal(err)
	}
	if left := len(b.list(t, "acks")); left+int(handled.Load()) != 500 {
		t.Errorf("%d handled and %d left of 500", handled.Load(), left)
	}
	if b.sessions(t, "acks") != 0 {
		t.Error("a session is left")
	}
	nothing()
}

func TestDrainWhileTheReplyOfATakeIsUnderWay(t *testing.T) { //nolint:paralleltest // it counts goroutines
	srv := lab.StartRedis(t)
	line := lab.StartProxy(t, srv.Addr())
	b := setupOn(t, srv, func(c *framework.Config) { c.Redis.URL, c.Redis.PoolIdle = line.URL(), framework.DefaultPoolSize })
	nothing := leaves(t)
	q := stringQueue("reply")
	spareConnections(t, line, framework.Bind(b.client, q))
	var mu sync.Mutex
	var handled []string
	running, release := make(chan struct{}, 4), make(chan struct{})
	e := b.start(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		if strings.HasPrefix(d.Payload, "first") {
			running <- struct{}{}
			<-release
		}
		mu.Lock()
		defer mu.Unlock()
		handled = append(handled, d.Payload)
		return nil
	}), framework.Workers(4)))
	all := []string{"first 1", "first 2", "first 3", "first 4", "a", "b", "c", "d", "e", "f"}
	b.push(t, q, all...)
	for range 4 {
		await(t, running, "handler")
	}
	line.Hold()
	close(release)
	lab.WaitFor(t, "Redis has run the take", func() bool { return len(b.list(t, "reply")) < 6 })
	stopped := make(chan error, 1)
	go func() { stopped <- stopWithin(t, e, patience) }()
	lab.WaitFor(t, "it stops", func() bool { return e.Health().Drain != nil })
	line.Release()
	if err := await(t, stopped, "stop"); err != nil {
		t.Fatal(err)
	}
	left := b.list(t, "reply")
	if got := len(handled) + len(left); got != len(all) || !slices.Equal(left, all[len(all)-len(left):]) {
		t.Errorf("handled %q, left %q", handled, left)
	}
	if b.sessions(t, "reply") != 0 {
		t.Error("a session is left")
	}
	_ = b.client.Close() // the connections of its pool have goroutines in the proxy
	nothing()
}

// spareConnections leaves more of them in the pool than are in use at a time. A call that had to
// open one while replies are held would wait for those of the handshake, and not be sent.
func spareConnections(t *testing.T, line *lab.Proxy, q *framework.Queue[string]) {
	t.Helper()
	line.Hold()
	var all sync.WaitGroup
	for range framework.DefaultPoolSize - 2 {
		all.Go(func() {
			if _, err := q.Counts(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	lab.WaitFor(t, "a connection for each", func() bool { return line.Connections() >= framework.DefaultPoolSize-2 })
	line.Release()
	all.Wait()
}

func TestDrainWhileRedisHangs(t *testing.T) { //nolint:paralleltest // it counts goroutines
	inBudgets(t, 2*time.Second, drainWhileRedisHangs)
}

func drainWhileRedisHangs(t *testing.T, budget time.Duration) error {
	t.Helper()
	b := setup(t, short)
	nothing := leaves(t)
	q := stringQueue("hanging")
	running := make(chan string, 9)
	h := handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		running <- d.Payload
		<-ctx.Done()
		return ctx.Err()
	})
	e := b.start(t, framework.Consume(q, h, framework.Workers(2)))
	b.push(t, q, "a", "b", "c")
	await(t, running, "handler")
	await(t, running, "handler")
	b.server.Pause()
	began := time.Now()
	err := stopWithin(t, e, budget)
	if took := time.Since(began); took > budget+budget/8 {
		b.server.Resume()
		return fmt.Errorf("%w: stop: %w after %v", errLate, err, took)
	}
	if err == nil {
		t.Errorf("stop: %v after %v", err, time.Since(began))
	}
	b.server.Resume()
	nothing()
	// What could not be given back comes back when the lease ends.
	next := b.start(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		running <- d.Payload
		return nil
	})))
	got := map[string]bool{}
	for len(got) < 3 {
		got[await(t, running, "delivery")] = true
	}
	if err := stopWithin(t, next, patience); err != nil {
		t.Fatal(err)
	}
	nothing()
	return nil
}

// A cancelled context means: at once. Handlers that listen and those that do not are
// all given back, in the order of the queue.
func TestCancelledStopIsQuick(t *testing.T) { //nolint:paralleltest // it counts goroutines
	for name, before := range map[string]bool{"cancelled before": true, "cancelled while it waits": false} {
		t.Run(name, func(t *testing.T) {
			b, book := setupLogged(t)
			nothing := leaves(t)
			q := stringQueue("quick")
			running, release := make(chan struct{}, 9), make(chan struct{})
			e := b.start(t, framework.Consume(q, handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
				running <- struct{}{}
				if strings.HasPrefix(d.Payload, "deaf") {
					<-release
					return nil
				}
				<-ctx.Done()
				return ctx.Err()
			}), framework.Workers(4)))
			all := []string{"a", "deaf 1", "b", "deaf 2", "last"}
			b.push(t, q, all...)
			for range 4 {
				await(t, running, "handler")
			}
			ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
			if before {
				cancel()
			}
			stopped := make(chan error, 1)
			go func() { stopped <- e.Stop(ctx) }()
			lab.WaitFor(t, "it stops", func() bool { return e.Health().Drain != nil })
			cancel()
			if err := await(t, stopped, "stop"); err != nil {
				t.Errorf("stop: %v", err)
			}
			if got := b.list(t, "quick"); !slices.Equal(got, all) || b.sessions(t, "quick") != 0 {
				t.Errorf("left %q, %d sessions", got, b.sessions(t, "quick"))
			}
			if h := e.Health(); h.Drain == nil || !h.Drain.Hurried || h.Queues[0].Zombies != 2 {
				t.Errorf("health %+v", h)
			}
			if l := book.with("handlers had begun"); len(l) != 1 || l[0].attrs["possible_duplicates"] != "4" {
				t.Errorf("log %+v", l)
			}
			close(release)
			nothing()
		})
	}
}

// While a drain waits it says what for, each second.
func TestDrainTellsItsProgress(t *testing.T) {
	t.Parallel()
	book := newLogbook(t)
	synctest.Test(t, func(t *testing.T) {
		k := frameworktest.New(t, framework.WithLogger(book.logger()))
		q := stringQueue("progress")
		frameworktest.HandleFunc(k, q, func(context.Context, *handlers.Delivery[string]) error {
			pass(10 * time.Second)
			return nil
		})
		frameworktest.Offer(k, q, "long", 0)
		frameworktest.Offer(k, q, "longer", 2*time.Second)
		k.Advance(3 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
		defer cancel()
		if err := k.Engine().Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	lines := book.with("drain: waiting for handlers")
	if len(lines) < 8 || len(lines) > 9 {
		t.Fatalf("%d lines: %+v", len(lines), lines)
	}
	first, last := lines[0].attrs, lines[len(lines)-1].attrs
	if first["running"] != "2" || last["running"] != "1" || first["left"] != "1m19s" {
		t.Errorf("first %v, last %v", first, last)
	}
}
