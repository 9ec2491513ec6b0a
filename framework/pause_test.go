package framework_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// blocked reports whether a connection waits in a blocking move.
func (b *bundle) blocked(t *testing.T) bool {
	t.Helper()
	info, err := b.redis.Info(t.Context(), "clients").Result()
	if err != nil {
		t.Fatal(err)
	}
	return !strings.Contains(info, "blocked_clients:0")
}

func TestPauseTakesNothingAndLetsWhatRunsFinish(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, other := stringQueue("paused"), stringQueue("goes-on")
	running, finish := make(chan string, 10), make(chan struct{})
	handled := make(chan string, 10)
	handler := handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		running <- d.Payload
		if d.Payload == "long" {
			<-finish
		}
		handled <- d.Payload
		return nil
	})
	e := b.run(t, framework.Consume(q, handler, framework.Workers(2)), framework.Consume(other, handler))
	b.offer(t, q, "long")
	await(t, running, "long one")
	lab.WaitFor(t, "both queues rest in Redis", func() bool { return b.blocked(t) })
	if err := e.Pause("provider is moved", "ops", q); err != nil {
		t.Fatal(err)
	}
	b.offer(t, q, "one", "two")
	b.offer(t, other, "beside")
	if v := await(t, running, "the other queue"); v != "beside" {
		t.Fatalf("started %q while paused", v)
	}
	await(t, handled, "the other queue")
	close(finish)
	if v := await(t, handled, "end of what ran"); v != "long" {
		t.Fatalf("handled %q", v)
	}
	lab.WaitFor(t, "all lies in the ready list, in order, and nothing in staging", func() bool {
		ready := b.redis.LRange(t.Context(), "paused", 0, -1).Val()
		return slices.Equal(ready, []string{"one", "two"})
	})
	h := e.Health()
	i := slices.IndexFunc(h.Queues, func(q health.Queue) bool { return q.Code == "paused" })
	p := h.Queues[i]
	if !h.Ready || !h.Live || p.Paused == nil || p.Paused.Reason != "provider is moved" || p.Paused.By != "ops" ||
		p.Paused.At.IsZero() || p.Intake != health.IntakeClosed || p.Reason != health.BecausePaused {
		t.Errorf("health %+v %+v", h, p)
	}
	if len(h.Degraded) != 1 || !strings.HasPrefix(h.Degraded[0], "paused: paused by ops since 20") || !strings.HasSuffix(h.Degraded[0], "Z: provider is moved") {
		t.Errorf("degraded %q", h.Degraded)
	}
	if err := e.Resume(q); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one", "two"} {
		await(t, running, want)
	}
	if h := e.Health(); len(h.Degraded) != 0 || h.Queues[i].Paused != nil {
		t.Errorf("health after the pause %+v", h)
	}
}

// Others are not held up by a pause: they get what is due, transferred by the paused
// process too.
func TestPauseLeavesMessagesToOthers(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *framework.Config) { c.Lease, c.Block = 2*time.Minute, 30*time.Second })
	q, got := stringQueue("shared"), make(chan string, 1)
	none := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		t.Error("handled while paused")
		return nil
	})
	e := b.run(t, framework.Consume(q, none))
	lab.WaitFor(t, "it rests in Redis", func() bool { return b.blocked(t) })
	if err := e.Pause("tests", ""); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "the blocking move is ended", func() bool { return !b.blocked(t) })
	go func() { // as a Java consumer does
		if v, err := b.redis.BLPop(context.WithoutCancel(t.Context()), 10*time.Second, "shared").Result(); err == nil {
			got <- v[1]
		}
	}()
	if _, err := framework.Bind(b.client, q).Offer(t.Context(), "x", 20*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if v := await(t, got, "message for the other"); v != "x" {
		t.Fatal(v)
	}
}

// However pauses, trips and messages meet: nothing is lost, nothing starts while paused.
func TestPausesAmidTripsLoseNothing(t *testing.T) {
	t.Parallel()
	const n = 800
	b := setup(t)
	q := stringQueue("racing", registry.MaxAttempts(100)) // each failure is charged, whoever is to blame
	var paused atomic.Bool
	var early atomic.Int64
	var mu sync.Mutex
	handled := map[string]int{}
	var calls atomic.Int64
	e := b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		if paused.Load() {
			early.Add(1)
		}
		if calls.Add(1)%40 < 6 {
			return handlers.Transient(errors.New("down for a moment")) // costs no attempt
		}
		mu.Lock()
		defer mu.Unlock()
		handled[d.Payload]++
		return nil
	}), framework.Workers(8), framework.RateLimit(1000, 20),
		framework.Breaker(framework.BreakerConfig{Failures: 3, OpenFor: 2 * time.Millisecond, MaxOpenFor: 4 * time.Millisecond})))
	values := make([]any, n)
	for i := range values {
		values[i] = "m" + time.Duration(i).String()
	}
	if err := b.redis.RPush(t.Context(), "racing", values...).Err(); err != nil {
		t.Fatal(err)
	}
	all := func() bool { mu.Lock(); defer mu.Unlock(); return len(handled) == n }
	rounds := 0
	for ; rounds < 100 && !all(); rounds++ {
		if err := e.Pause("round", "test", q); err != nil {
			t.Fatal(err)
		}
		// What had been allowed to start before the pause may still call its handler.
		lab.WaitFor(t, "nothing runs", func() bool { return e.Health().Queues[0].Running == 0 })
		paused.Store(true)
		before := calls.Load()
		if err := b.redis.Ping(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		if calls.Load() != before {
			t.Error("a handler was called while paused")
		}
		paused.Store(false)
		if err := e.Resume(q); err != nil {
			t.Fatal(err)
		}
		lab.WaitFor(t, "it goes on", func() bool { return calls.Load() > before || all() })
	}
	if rounds < 10 {
		t.Fatalf("all was handled after %d pauses: the test shows nothing", rounds)
	}
	lab.WaitFor(t, "all are handled", all)
	if early.Load() != 0 {
		t.Errorf("%d handlers started while paused", early.Load())
	}
	if dead := b.dead(t, q); len(dead) != 0 {
		t.Errorf("%d dead: %+v", len(dead), dead[0])
	}
	lab.WaitFor(t, "nothing is left", func() bool { return b.gone(t, q) })
}

func TestPauseBeforeTheStartAndMistakes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, transferred, stranger := stringQueue("before"), stringQueue("transferred"), stringQueue("stranger")
	got := make(chan string, 1)
	e, err := framework.New(b.client, []framework.Consumer{
		framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error { got <- d.Payload; return nil })),
		framework.TransferOnly(transferred),
	})
	if err != nil {
		t.Fatal(err)
	}
	var none *registry.Queue[string]
	for name, tc := range map[string]struct {
		err  error
		want []error
		text string
	}{
		"no reason":      {e.Pause("", "ops", q), []error{fault.ErrNoPauseReason}, "needs a reason"},
		"not here":       {e.Pause("why", "ops", q, stranger), []error{fault.ErrNotHandled}, `queue "stranger"`},
		"only moved":     {e.Pause("why", "ops", transferred), []error{fault.ErrNotHandled}, `queue "transferred"`},
		"nil":            {e.Pause("why", "ops", nil), []error{fault.ErrNotHandled}, "nil queue"},
		"typed nil":      {e.Resume(none), []error{fault.ErrNotHandled}, "nil queue"},
		"resume unasked": {e.Resume(q), nil, ""},
	} {
		for _, want := range tc.want {
			if !errors.Is(tc.err, want) || !strings.Contains(tc.err.Error(), tc.text) {
				t.Errorf("%s: %v", name, tc.err)
			}
		}
		if (tc.err == nil) != (tc.want == nil) {
			t.Errorf("%s: %v", name, tc.err)
		}
	}
	if err := e.Pause("not yet", "", q); err != nil {
		t.Fatal(err)
	}
	b.offer(t, q, "x")
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	rec := httptest.NewRecorder()
	e.HealthHandler().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil))
	var h health.Report
	if err := json.Unmarshal(rec.Body.Bytes(), &h); err != nil || rec.Code != http.StatusOK || len(h.Degraded) != 1 || h.Queues[0].Paused.Reason != "not yet" {
		t.Errorf("%d %s %v", rec.Code, rec.Body, err)
	}
	lab.WaitFor(t, "it is ready", func() bool { return b.redis.LLen(t.Context(), "before").Val() == 1 })
	if err := e.Resume(); err != nil {
		t.Fatal(err)
	}
	await(t, got, "delivery after the pause")
}

// A breaker that trips behind a pause is open after it.
func TestPauseInVirtualTime(t *testing.T) {
	t.Parallel()
	q := registry.Define[string]("BEHIND", "", registry.Codec(codecs.String()), registry.Backoff(registry.Steps(time.Minute)))
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		began := time.Now()
		frameworktest.HandleFunc(k, q, func(context.Context, *handlers.Delivery[string]) error {
			if time.Since(began) > time.Hour {
				return nil
			}
			<-time.After(10 * time.Second)
			return handlers.Transient(errors.New("down"))
		}, framework.Workers(2), framework.Breaker(framework.BreakerConfig{Failures: 2, OpenFor: 2 * time.Hour, MaxOpenFor: 2 * time.Hour}))
		for _, v := range []string{"a", "b", "c"} {
			frameworktest.Offer(k, q, v, 0)
		}
		k.Advance(time.Second)
		if err := k.Engine().Pause("tests", "", q); err != nil {
			t.Fatal(err)
		}
		k.Advance(time.Minute)
		if h := k.Engine().Health().Queues[0]; h.Reason != health.BecausePaused || h.LastError != "*handlers.transient: *errors.errorString" {
			t.Fatalf("%+v", h)
		}
		if err := k.Engine().Resume(q); err != nil {
			t.Fatal(err)
		}
		if h := k.Engine().Health(); !h.Ready || h.Queues[0].Reason != health.BecauseBreaker || len(h.Degraded) != 1 {
			t.Fatalf("%+v", h)
		}
		k.Advance(3 * time.Hour)
		k.RequireHandled(q, 3)
	})
}
