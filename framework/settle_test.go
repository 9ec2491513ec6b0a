package framework_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// quick is a retry schedule for tests.
var quick = registry.Backoff(registry.Steps(10 * time.Millisecond))

func stringQueue(code string, opts ...registry.Option) *registry.Queue[string] {
	return registry.Define[string](code, "", append([]registry.Option{registry.Codec(codecs.String()), quick}, opts...)...)
}

func (b *bundle) offer(t *testing.T, q *registry.Queue[string], values ...string) {
	t.Helper()
	for _, v := range values {
		if _, err := framework.Bind(b.client, q).Offer(t.Context(), v, 0); err != nil {
			t.Fatal(err)
		}
	}
}

func (b *bundle) dead(t *testing.T, q registry.Descriptor) []framework.DeadMessage {
	t.Helper()
	dead, err := framework.Bind(b.client, stringQueue(q.Key())).Dead().Page(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	return dead
}

// empty reports whether nothing of the queue is left but its dead store.
func (b *bundle) gone(t *testing.T, q registry.Descriptor) bool {
	t.Helper()
	keys, err := b.redis.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if !strings.HasPrefix(k, "duequeue:dead:") && !strings.HasPrefix(k, "duequeue:sessions:") && !strings.HasPrefix(k, "duequeue:leases:") && !strings.HasPrefix(k, "duequeue:processes:") &&
			!queuetest.NotesPartitionsAlone(t, b.redis, k) {
			return false
		}
	}
	_ = q
	return true
}

func TestFailedMessageIsRetriedUnderItsID(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("retried")
	type seen struct {
		attempt int
		id      string
	}
	got := make(chan seen, 3)
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		got <- seen{d.Attempt(), d.ID()}
		if d.Attempt() < 3 {
			return errors.New("not yet")
		}
		return nil
	})))
	b.offer(t, q, "x")
	ids := map[string]bool{}
	for want := 1; want <= 3; want++ {
		s := await(t, got, "attempt")
		if s.attempt != want {
			t.Fatalf("attempt %d, want %d", s.attempt, want)
		}
		ids[s.id] = true
	}
	if len(ids) != 1 || ids[""] {
		t.Fatalf("ids %v, want one", ids)
	}
	lab.WaitFor(t, "all keys of the message are gone", func() bool { return b.gone(t, q) })
}

func TestOutcomesLeadToTheDeadStore(t *testing.T) {
	t.Parallel()
	cause := errors.New("no such order")
	for name, tc := range map[string]struct {
		err    error
		reason string
		detail string
		failed int
	}{
		"rejected":            {handlers.Reject("unknown order", cause), handlers.ReasonRejected, "unknown order", 1},
		"permanent":           {handlers.Permanent(cause), handlers.ReasonRejected, "no such order", 1},
		"last attempt failed": {cause, handlers.ReasonExhausted, "no such order", 2},
		"retried at once":     {handlers.RetryAfter(0, cause), handlers.ReasonExhausted, "no such order", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			q := stringQueue("dying", registry.MaxAttempts(2))
			b.run(t, framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return tc.err })))
			b.offer(t, q, "body")
			var dead []framework.DeadMessage
			lab.WaitFor(t, "a dead message", func() bool { dead = b.dead(t, q); return len(dead) == 1 })
			d := dead[0]
			if d.Reason != tc.reason || !strings.Contains(d.Detail, tc.detail) || string(d.Body) != "body" || d.Failed != tc.failed {
				t.Fatalf("got %+v, want reason %q detail %q failed %d", d, tc.reason, tc.detail, tc.failed)
			}
			lab.WaitFor(t, "nothing else is left", func() bool { return b.gone(t, q) })
		})
	}
}

func TestPanicAndGoexitHurtOnlyTheirMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("panics")
	var bad atomic.Int32
	done := make(chan string, 4)
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		if d.Payload != "good" && d.Attempt() == 1 {
			bad.Add(1)
			if d.Payload == "goexit" {
				runtime.Goexit()
			}
			panic("broken handler")
		}
		done <- d.Payload
		return nil
	}), framework.Workers(1)))
	b.offer(t, q, "panic", "good", "goexit", "good")
	got := map[string]int{}
	for range 4 {
		got[await(t, done, "delivery")]++
	}
	if got["good"] != 2 || got["panic"] != 1 || got["goexit"] != 1 || bad.Load() != 2 {
		t.Fatalf("handled %v after %d breakdowns", got, bad.Load())
	}
}

func TestTimeoutCancelsAndHungHandlerIsGivenUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("slow", registry.Timeout(100*time.Millisecond), registry.Grace(100*time.Millisecond))
	causes := make(chan error, 1)
	second := make(chan string, 2)
	release := make(chan struct{})
	e := b.run(t, framework.Consume(q, handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		if d.Attempt() > 1 {
			second <- d.Payload
			return nil
		}
		if d.Payload == "listens" {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return ctx.Err()
		}
		<-release
		return nil
	}), framework.Workers(2)))
	b.offer(t, q, "listens", "hangs")
	if err := await(t, causes, "cancelled handler"); !errors.Is(err, handlers.ErrTimeout) {
		t.Fatalf("cause %v, want ErrTimeout", err)
	}
	if got := await(t, second, "retry"); got != "listens" {
		t.Fatalf("retried %q", got)
	}
	lab.WaitFor(t, "a zombie", func() bool { return e.Health().Queues[0].Zombies == 1 })
	close(release)
	if got := await(t, second, "retry once the first handler has returned"); got != "hangs" {
		t.Fatalf("retried %q", got)
	}
}

func TestUndecodablePayloadGoesToTheDeadStoreAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := registry.Define[int64]("numbers", "", registry.Codec(codecs.Long()))
	got := make(chan int64, 2)
	b.run(t, framework.Consume(q, handlers.Func[int64](func(_ context.Context, d *handlers.Delivery[int64]) error {
		got <- d.Payload
		return nil
	})))
	if err := b.redis.RPush(t.Context(), "numbers", "1", "not a number", "2").Err(); err != nil {
		t.Fatal(err)
	}
	await(t, got, "first")
	await(t, got, "second")
	lab.WaitFor(t, "a dead message", func() bool { return len(b.dead(t, q)) == 1 })
	if d := b.dead(t, q)[0]; d.Reason != handlers.ReasonUndecodable || string(d.Body) != "not a number" ||
		!strings.Contains(d.Detail, "payload looks like string (fair: readable UTF-8 text), queue is declared long") || !d.Offered.IsZero() {
		t.Fatalf("dead %+v", d)
	}
}

func TestTenUndecodableInARowCloseTheIntakeAndLoseNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := registry.Define[int64]("deployed", "", registry.Codec(codecs.Long()))
	var want []string
	for i := range 25 {
		v := `{"order":` + string(rune('a'+i)) + `}`
		want = append(want, v)
		if err := b.redis.RPush(t.Context(), "deployed", v).Err(); err != nil {
			t.Fatal(err)
		}
	}
	e := b.run(t, framework.Consume(q, handlers.Func[int64](func(context.Context, *handlers.Delivery[int64]) error { return nil }), framework.Workers(1)))
	lab.WaitFor(t, "the intake is closed and all is back in order", func() bool {
		if e.Health().Ready {
			return false
		}
		list, err := b.redis.LRange(t.Context(), "deployed", 0, -1).Result()
		return err == nil && strings.Join(list, " ") == strings.Join(want, " ")
	})
	if dead := b.dead(t, q); len(dead) != 0 {
		t.Fatalf("%d dead, want none", len(dead))
	}
	h := e.Health()
	if len(h.Reasons) != 1 {
		t.Fatalf("reasons %q", h.Reasons)
	}
	for _, part := range []string{"one has ", " bytes that begin with 0x7b and looks like ionjackson (fair: ", ", queue is declared long", "duequeue inspect"} {
		if !strings.Contains(h.Reasons[0], part) {
			t.Errorf("reason %q, want %q in it", h.Reasons[0], part)
		}
	}
}

func TestOversizedAndMalformedGoToTheDeadStore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("big", registry.MaxPayload(10))
	got := make(chan string, 1)
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		got <- d.Payload
		return nil
	})))
	var size *registry.SizeError
	if _, err := framework.Bind(b.client, q).Offer(t.Context(), "longer than ten", 0); !errors.As(err, &size) {
		t.Fatalf("offer of a large payload: %v, want a SizeError", err)
	}
	rdb := b.redis
	if err := rdb.Do(t.Context(), "zadd", "redisson_delay_queue_timeout:{big}", 1, "garbage").Err(); err != nil {
		t.Fatal(err)
	}
	if err := rdb.RPush(t.Context(), "big", "longer than ten", "good").Err(); err != nil {
		t.Fatal(err)
	}
	if v := await(t, got, "good one"); v != "good" {
		t.Fatalf("got %q", v)
	}
	lab.WaitFor(t, "two dead", func() bool { return len(b.dead(t, q)) == 2 })
	reasons := map[string]string{}
	for _, d := range b.dead(t, q) {
		reasons[d.Reason] = string(d.Body)
	}
	if reasons[handlers.ReasonOversized] != "longer than ten" || reasons[handlers.ReasonMalformed] != "garbage" {
		t.Fatalf("dead %v", reasons)
	}
}
