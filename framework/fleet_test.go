package framework_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// fleet is several processes on one queue, each with a client of its own.
type fleet struct {
	srv     *lab.Server
	logs    *logLines
	mu      sync.Mutex
	handled []string
	running atomic.Int64
	most    atomic.Int64
	finish  chan struct{} // handlers of payloads that begin with "long" wait for it
}

func newFleet(t *testing.T, opts ...lab.Option) *fleet {
	t.Helper()
	return &fleet{srv: lab.StartRedis(t, opts...), logs: &logLines{}, finish: make(chan struct{})}
}

// raise makes most n where it is less.
func raise(most *atomic.Int64, n int64) {
	for m := most.Load(); n > m; m = most.Load() {
		if most.CompareAndSwap(m, n) {
			return
		}
	}
}

func (f *fleet) Handle(_ context.Context, d *handlers.Delivery[string]) error {
	n := f.running.Add(1)
	defer f.running.Add(-1)
	raise(&f.most, n)
	if strings.HasPrefix(d.Payload, "long") {
		<-f.finish
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handled = append(f.handled, d.Payload)
	return nil
}

func (f *fleet) done() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(slices.Values(f.handled))
}

// process starts one more process.
func (f *fleet) process(t *testing.T, q *registry.Queue[string], opts ...framework.ConsumeOption) (*framework.Engine, *framework.Client) {
	t.Helper()
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: f.srv.URL()}, Lease: 3 * time.Second, Block: time.Second},
		framework.WithLogger(slog.New(slog.NewTextHandler(f.logs, nil))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return (&bundle{redis: f.srv.Client(), client: c}).run(t, framework.Consume(q, f, opts...)), c
}

func (f *fleet) push(t *testing.T, q *registry.Queue[string], values ...string) {
	t.Helper()
	(&bundle{redis: f.srv.Client()}).push(t, q, values...)
}

func paused(e *framework.Engine) *health.Pause { return e.Health().Queues[0].Paused }

// A pause reaches all processes at once, outlives them and a restart of Redis, and is known to a
// process that starts before it takes. What runs finishes, what has not started goes back.
func TestFleetPause(t *testing.T) {
	t.Parallel()
	f, q := newFleet(t, lab.AppendOnly()), stringQueue("steered")
	one, client := f.process(t, q, framework.Workers(1))
	two, _ := f.process(t, q, framework.Workers(1))
	f.push(t, q, "long a", "long b")
	lab.WaitFor(t, "both run", func() bool { return f.running.Load() == 2 })
	f.push(t, q, "c", "d")

	set, err := admin.Pause(t.Context(), client, "steered", admin.PauseOptions{Reason: "provider moves", By: "alice", For: time.Hour})
	if err != nil || set.Pause == nil || set.Pause.By != "alice" || set.Pause.Until == nil {
		t.Fatalf("%+v %v", set, err)
	}
	lab.WaitFor(t, "both are paused", func() bool { return paused(one) != nil && paused(two) != nil })
	if p := paused(two); !p.Fleet || p.Reason != "provider moves" || p.By != "alice" || p.Until == nil || !p.Until.Equal(*set.Pause.Until) {
		t.Errorf("%+v", p)
	}
	h := one.Health()
	if !h.Ready || h.Queues[0].Reason != health.BecausePaused || len(h.Degraded) != 1 || !strings.Contains(h.Degraded[0], "paused in all Go processes by alice since 20") {
		t.Errorf("%+v", h)
	}
	close(f.finish)
	lab.WaitFor(t, "what ran has ended", func() bool { return len(f.done()) == 2 })
	if err := one.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.srv.Restart()
	three, _ := f.process(t, q)
	if p := paused(three); p == nil || p.Reason != "provider moves" {
		t.Errorf("a process that starts: %+v", p)
	}
	if err := three.Resume(); err != nil { // of this process alone
		t.Fatal(err)
	}
	lab.WaitFor(t, "both show themselves, paused", func() bool {
		all, err := admin.Processes(t.Context(), client, "steered")
		return err == nil && len(all) == 2 && !slices.ContainsFunc(all, func(p admin.Process) bool {
			return p.Intake != health.IntakeClosed || p.Reason != health.BecausePaused || p.Because != "provider moves" || p.Silent || p.Host == ""
		})
	})
	if ready := f.srv.Client().LRange(t.Context(), "steered", 0, -1).Val(); !slices.Equal(ready, []string{"c", "d"}) {
		t.Errorf("ready: %q", ready)
	}
	if set, err = admin.Resume(t.Context(), client, "steered", "bob"); err != nil || set.Pause != nil || set.ResumedBy != "bob" {
		t.Fatalf("%+v %v", set, err)
	}
	lab.WaitFor(t, "the rest is handled", func() bool { return slices.Equal(f.done(), []string{"c", "d", "long a", "long b"}) })
	for _, line := range []string{
		`msg="stopped taking messages from this queue" queue=steered reason=paused until=20`, `why="provider moves" by=alice all_processes=true`,
		`msg="taking messages again" queue=steered pause_reason="provider moves" resumed_by=bob by=alice all_processes=true`,
	} {
		if f.logs.count(line) == 0 {
			t.Errorf("no line %s:\n%s", line, f.logs)
		}
	}
	if n := f.logs.count(`reason=paused`); n != 3 {
		t.Errorf("%d lines of a pause, want one for each process", n)
	}
}

// A pause ends by itself, and one of this process alone is beside it.
func TestFleetPauseEndsAndPauseHereStays(t *testing.T) {
	t.Parallel()
	f, q := newFleet(t), stringQueue("ends")
	e, client := f.process(t, q)
	if _, err := admin.Pause(t.Context(), client, "ends", admin.PauseOptions{Reason: "a moment", For: time.Second}); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "it is paused", func() bool { return paused(e) != nil })
	if err := e.Pause("here", "me", q); err != nil {
		t.Fatal(err)
	}
	if p := paused(e); p.Reason != "a moment" {
		t.Errorf("the one for all comes first: %+v", p)
	}
	f.push(t, q, "x")
	lab.WaitFor(t, "its end", func() bool { return !paused(e).Fleet })
	if p := paused(e); p.Reason != "here" || len(f.done()) != 0 {
		t.Errorf("%+v, handled %q", p, f.done())
	}
	if err := e.Resume(q); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "it is handled", func() bool { return len(f.done()) == 1 })
	left, err := f.srv.Client().HGetAll(t.Context(), "duequeue:control:{ends}").Result()
	delete(left, "partitions")
	delete(left, "version") // of both
	if err != nil || len(left) > 0 {
		t.Errorf("the control is left behind: %v %v", left, err)
	}
}

// Workers and rate are bounded while a process runs, within what it was declared with.
func TestFleetLimit(t *testing.T) {
	t.Parallel()
	f, q := newFleet(t), stringQueue("bounded")
	e, client := f.process(t, q, framework.Workers(6))
	var many []string
	for range 6 {
		many = append(many, "long")
	}
	limit := func(o admin.LimitOptions) {
		t.Helper()
		if _, err := admin.SetLimit(t.Context(), client, "bounded", o); err != nil {
			t.Fatal(err)
		}
	}
	usable := func() int {
		all, err := admin.Processes(t.Context(), client, "bounded")
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != 1 { // it has just started
			return 0
		}
		return all[0].Usable
	}
	limit(admin.LimitOptions{Workers: 2, Reason: "slow", By: "alice"})
	lab.WaitFor(t, "the limit is known", func() bool { return e.Health().Queues[0].Limit != nil })
	f.push(t, q, "first") // ends a take that was sent before the limit was known
	lab.WaitFor(t, "the first is handled", func() bool { return len(f.done()) == 1 })
	f.push(t, q, many...)
	lab.WaitFor(t, "two run", func() bool { return f.running.Load() == 2 })
	if n := usable(); n != 2 || f.srv.Client().LLen(t.Context(), "bounded").Val() != 4 {
		t.Errorf("%d workers, %d ready", n, f.srv.Client().LLen(t.Context(), "bounded").Val())
	}
	limit(admin.LimitOptions{Workers: 4})
	lab.WaitFor(t, "four run", func() bool { return f.running.Load() == 4 })
	limit(admin.LimitOptions{Workers: 1})
	lab.WaitFor(t, "the limit is lower than what runs", func() bool { return usable() == 1 })
	f.most.Store(0)
	for range 3 { // three of four end, and none begins
		f.finish <- struct{}{}
	}
	lab.WaitFor(t, "one runs", func() bool { return f.running.Load() == 1 && f.srv.Client().LLen(t.Context(), "bounded").Val() == 2 })
	if f.most.Load() != 0 {
		t.Error("one has begun meanwhile")
	}
	limit(admin.LimitOptions{Workers: 4000})
	lab.WaitFor(t, "the rest runs", func() bool { return f.running.Load() == 3 })
	if n := usable(); n != 6 {
		t.Errorf("%d workers, declared were 6", n)
	}
	close(f.finish)
	lab.WaitFor(t, "all are handled", func() bool { return len(f.done()) == 7 })
	limit(admin.LimitOptions{Rate: 0.5})
	lab.WaitFor(t, "the rate is known", func() bool { l := e.Health().Queues[0].Limit; return l != nil && l.Rate == 0.5 })
	f.push(t, q, "1", "2", "3")
	lab.WaitFor(t, "one is handled, the others wait", func() bool { return len(f.done()) == 8 })
	if q := e.Health().Queues[0]; q.Reason != health.BecauseRateLimited || q.Until == nil {
		t.Errorf("%+v", q)
	}
	limit(admin.LimitOptions{Rate: -1, Workers: -1})
	lab.WaitFor(t, "all are handled", func() bool { return len(f.done()) == 10 })
	lab.WaitFor(t, "it says so", func() bool {
		all, err := admin.Processes(t.Context(), client, "bounded")
		return err == nil && len(all) == 1 && all[0].Handled == 10 && all[0].Failed == 0
	})
	if all, err := admin.StatusOf(t.Context(), client, "bounded"); err != nil || len(all[0].Work) != 1 || all[0].Work[0].Handled != 10 {
		t.Errorf("%+v %v", all, err)
	}
	if l := e.Health().Queues[0].Limit; l != nil {
		t.Errorf("%+v", l)
	}
}

// Where the control cannot be read, who runs keeps what it knew, and who starts takes nothing.
func TestFleetControlThatCannotBeRead(t *testing.T) {
	t.Parallel()
	f, q := newFleet(t), stringQueue("unread")
	old, client := f.process(t, q)
	rdb := f.srv.Client()
	const key = "duequeue:control:{unread}"
	if err := rdb.Set(t.Context(), key, "text", 0).Err(); err != nil {
		t.Fatal(err)
	}
	fresh, _ := f.process(t, q)
	h := fresh.Health()
	if h.Ready || h.Queues[0].Reason != health.BecauseControl || h.Queues[0].Paused != nil || !strings.Contains(strings.Join(h.Reasons, " "), `holds a string, not a hash`) {
		t.Errorf("%+v", h)
	}
	f.push(t, q, "a")
	lab.WaitFor(t, "who runs takes", func() bool { return len(f.done()) == 1 })
	lab.WaitFor(t, "who runs says so", func() bool { h := old.Health(); return h.Ready && len(h.Degraded) == 1 })
	if err := old.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.push(t, q, "b")
	var wrong *fault.WrongTypeError
	if _, err := admin.Pause(t.Context(), client, "unread", admin.PauseOptions{Reason: "x"}); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
	if err := rdb.Del(t.Context(), key).Err(); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "it takes", func() bool { return len(f.done()) == 2 })
	lab.WaitFor(t, "it is ready", func() bool { h := fresh.Health(); return h.Ready && len(h.Degraded) == 0 })

	// A field that cannot be understood holds up nobody who runs, and the others count.
	if err := rdb.HSet(t.Context(), key, "rate", "fast", "version", "1", "pause_reason", "by hand").Err(); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "the pause counts, the rate does not", func() bool { return paused(fresh) != nil && len(fresh.Health().Degraded) == 2 })
	third, _ := f.process(t, q)
	if h := third.Health(); h.Queues[0].Paused == nil || h.Queues[0].Intake != health.IntakeClosed {
		t.Errorf("%+v", h)
	}
	if _, err := admin.Resume(t.Context(), client, "unread", ""); err == nil {
		t.Error("the rate is no mistake")
	}
	lab.WaitFor(t, "who knew before takes", func() bool { return paused(fresh) == nil })
	lab.WaitFor(t, "who never understood the rate takes nothing", func() bool { return third.Health().Queues[0].Reason == health.BecauseControl })
	if _, err := admin.SetLimit(t.Context(), client, "unread", admin.LimitOptions{Rate: -1}); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "all take", func() bool { return third.Health().Ready })
}

// The lag grows while nobody handles, whoever measures.
func TestLag(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *framework.Config) { c.NoTransfer = true })
	q := stringQueue("lagging")
	queue, ctx := framework.Bind(b.client, q), t.Context()
	lag := func() framework.Counts {
		t.Helper()
		n, err := queue.Counts(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := lag(); n.Lag != 0 || n.LagAtLeast {
		t.Errorf("nothing waits: %+v", n)
	}
	if _, err := queue.Offer(ctx, "later", time.Hour); err != nil {
		t.Fatal(err)
	}
	if n := lag(); n.Lag != 0 {
		t.Errorf("nothing is due: %+v", n)
	}
	if _, err := queue.Offer(ctx, "now", 0); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "it grows while nobody transfers", func() bool { n := lag(); return n.Overdue == 1 && n.Lag > 0 && !n.LagAtLeast })
	before := lag().Lag
	e := b.run(t, framework.TransferOnly(q))
	lab.WaitFor(t, "it is ready", func() bool { return lag().Ready == 1 })
	if n := lag(); n.Lag < before || n.LagAtLeast {
		t.Errorf("it was %v, and exact: %+v", before, n)
	}
	if err := e.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	// As Java transfers: without any record.
	b.push(t, stringQueue("by-java"), "x")
	other := framework.Bind(b.client, stringQueue("by-java"))
	lab.WaitFor(t, "a lower bound grows", func() bool {
		n, err := other.Counts(ctx)
		return err == nil && n.LagAtLeast && n.Lag > 0
	})
	b.redis.RPush(ctx, "by-java", "y")
	changed := time.Now()
	b.redis.LPop(ctx, "by-java")
	if n, err := other.Counts(ctx); err != nil || !n.LagAtLeast || n.Lag > time.Since(changed) {
		t.Errorf("another head: %+v %v", n, err)
	}
}

// Of batches, as many messages run at once as the workers that are left have room for.
func TestFleetLimitOfBatches(t *testing.T) {
	t.Parallel()
	b, q := setup(t), stringQueue("batched")
	var running, most, sum atomic.Int64
	handle := func(_ context.Context, ds []*handlers.Delivery[string]) error {
		n := running.Add(int64(len(ds)))
		raise(&most, n)
		<-time.After(5 * time.Millisecond)
		running.Add(-int64(len(ds)))
		sum.Add(int64(len(ds)))
		return nil
	}
	if _, err := admin.SetLimit(t.Context(), b.client, "batched", admin.LimitOptions{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	b.run(t, framework.ConsumeBatch(q, handlers.BatchFunc[string](handle), framework.Workers(6), framework.BatchSize(5)))
	push := func() {
		var many []string
		for range 200 {
			many = append(many, "x")
		}
		b.push(t, q, many...)
	}
	push()
	lab.WaitFor(t, "all are handled", func() bool { return sum.Load() == 200 })
	if n := most.Load(); n > 10 {
		t.Errorf("%d messages at once, two workers are left", n)
	}
	if _, err := admin.SetLimit(t.Context(), b.client, "batched", admin.LimitOptions{Workers: -1}); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "more at once", func() bool {
		push()
		return most.Load() > 10
	})
}

// What a process says of itself shows an open breaker at once, not with its next regular word.
// The last error comes with it, without the password that is in it.
func TestAnOpenBreakerIsToldAtOnce(t *testing.T) {
	t.Parallel()
	b := setupOn(t, lab.StartRedis(t), func(cfg *framework.Config) { cfg.Lease = 10 * time.Minute })
	q := stringQueue("opens", registry.MaxAttempts(100))
	b.run(t, framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		return errors.New("cannot open postgres://app:s3cret@db/orders")
	}),
		framework.Breaker(framework.BreakerConfig{Failures: 1, OpenFor: time.Hour, MaxOpenFor: time.Hour})))
	lab.WaitFor(t, "the process to say that it serves the queue", func() bool {
		all, err := admin.ProcessesNow(t.Context(), b.client, "opens")
		return err == nil && len(all) == 1
	})
	if err := framework.Bind(b.client, q).Push(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "the open breaker to be told", func() bool {
		all, err := admin.ProcessesNow(t.Context(), b.client, "opens")
		return err == nil && len(all) == 1 && all[0].Intake == health.IntakeClosed && all[0].Reason == health.BecauseBreaker
	})
	v, err := admin.DiagnoseQueue(t.Context(), b.client, "opens", admin.DiagnoseOptions{})
	if err != nil || v.State != "held up" || !strings.HasSuffix(v.Findings[0].Message, "their breaker is open: *errors.errorString") || v.Findings[0].Evidence != "cannot open postgres://***@db/orders" {
		t.Errorf("%s, evidence %q, %v", v.Text(), v.Findings[0].Evidence, err)
	}
}

// On a Cluster a pause reaches processes that are connected to any node.
func TestFleetPauseOnACluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	f := &fleet{logs: &logLines{}, finish: make(chan struct{})}
	var engines []*framework.Engine
	var client *framework.Client
	queues := []*registry.Queue[string]{stringQueue("c1"), stringQueue("c2"), stringQueue("c3"), stringQueue("c4"), stringQueue("c5")}
	for range 3 {
		c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{Addrs: cluster.Addrs()}, Block: time.Second},
			framework.WithLogger(slog.New(slog.NewTextHandler(f.logs, nil))))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		var consumers []framework.Consumer
		for _, q := range queues {
			consumers = append(consumers, framework.Consume(q, f))
		}
		engines, client = append(engines, (&bundle{client: c}).run(t, consumers...)), c
	}
	for i, q := range queues {
		if _, err := admin.Pause(t.Context(), client, q.Key(), admin.PauseOptions{Reason: "x"}); err != nil {
			t.Fatal(err)
		}
		lab.WaitFor(t, "all are paused", func() bool {
			return !slices.ContainsFunc(engines, func(e *framework.Engine) bool { return e.Health().Queues[i].Paused == nil })
		})
		all, err := admin.Processes(t.Context(), client, q.Key())
		if err != nil || len(all) != 3 {
			t.Errorf("%+v %v", all, err)
		}
	}
	found, _, err := admin.Queues(t.Context(), client, admin.QueuesOptions{Share: 1})
	if err != nil || len(found) != len(queues) || found[0].Processes != 3 || found[0].Listeners != 3 || found[0].Pause == nil {
		t.Errorf("%+v %v", found, err)
	}
}
