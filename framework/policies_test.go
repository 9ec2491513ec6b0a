package framework_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

type busyError struct{}

func (busyError) Error() string { return "busy" }

var errGone = errors.New("no such number")

// spiteful is an error whose methods panic.
type spiteful struct{ error }

func (spiteful) Is(error) bool { panic("no comparison") }
func (spiteful) As(any) bool   { panic("no conversion") }

func TestEachErrorHasItsOwnPolicy(t *testing.T) {
	t.Parallel()
	panicking := registry.ScheduleFunc(func(attempt int, _ float64) time.Duration {
		if attempt == 4 { // not one that Define tries
			panic("no schedule")
		}
		return time.Minute
	})
	for name, tc := range map[string]struct {
		err    error
		after  []time.Duration // of the attempts, since the first one
		reason string          // in the dead store
		detail string
	}{
		"the queue's own":   {io.EOF, []time.Duration{0, time.Minute, 2 * time.Minute}, handlers.ReasonExhausted, "EOF"},
		"dead at once":      {fmt.Errorf("send: %w", errGone), []time.Duration{0}, handlers.ReasonRejected, "wrong number: send: no such number"},
		"more attempts":     {errors.Join(io.EOF, busyError{}), []time.Duration{0, time.Hour, 2 * time.Hour, 3 * time.Hour}, handlers.ReasonExhausted, "EOF; busy"},
		"its own delay":     {handlers.RetryAfter(time.Second, busyError{}), []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second}, handlers.ReasonExhausted, "busy"},
		"methods panic":     {spiteful{io.EOF}, []time.Duration{0, 0, 0}, handlers.ReasonExhausted, "panic: no comparison"}, // that is the failure
		"a schedule panics": {io.ErrNoProgress, []time.Duration{0, time.Minute, 2 * time.Minute, 3 * time.Minute, 3*time.Minute + 6*time.Second}, handlers.ReasonExhausted, "multiple Read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := stringQueue("POLICY", registry.MaxAttempts(3), registry.On(registry.ErrorIs(errGone), registry.DeadLetter("wrong number")),
				registry.On(registry.ErrorAs[busyError](), registry.Attempts(4), registry.BackoffOf(registry.Steps(time.Hour))),
				registry.On(registry.ErrorIs(io.ErrNoProgress), registry.Attempts(5), registry.BackoffOf(panicking)),
				registry.On(registry.ErrorIs(io.EOF), registry.BackoffOf(registry.Steps(time.Minute))))
			frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
				frameworktest.HandleFunc(k, q, func(context.Context, *handlers.Delivery[string]) error { return tc.err },
					framework.Breaker(framework.BreakerConfig{Disabled: true}))
				frameworktest.Offer(k, q, "body", 0)
				k.Advance(10 * time.Hour)
				calls := k.Calls(q)
				if len(calls) != len(tc.after) {
					t.Fatalf("%d calls", len(calls))
				}
				for i, c := range calls {
					if d := c.Started.Sub(calls[0].Started); (d - tc.after[i]).Abs() > 2*time.Second+time.Second/2 { // one has jitter
						t.Errorf("attempt %d after %v, want %v", i+1, d, tc.after[i])
					}
				}
				if last := calls[len(calls)-1]; last.Outcome == handlers.Retried && !last.Last || len(calls) > 1 && calls[0].Last {
					t.Errorf("the kit knows no rules: %+v", calls)
				}
				dead := k.Dead(q)
				if len(dead) != 1 || dead[0].Reason != tc.reason || !strings.Contains(dead[0].Detail, tc.detail) {
					t.Errorf("dead %+v", dead)
				}
			})
		})
	}
}

// pausedFor lets messages of the queue grow late by d.
func pausedFor(t *testing.T, k *frameworktest.Kit, d time.Duration) {
	t.Helper()
	if err := k.Engine().Pause("tests", ""); err != nil {
		t.Fatal(err)
	}
	k.Advance(d)
	if err := k.Engine().Resume(); err != nil {
		t.Fatal(err)
	}
	k.Advance(0)
}

func TestStaleMessagesExpire(t *testing.T) {
	t.Parallel()
	q := stringQueue("STALE", registry.MaxLateness(time.Hour, registry.Expire), registry.MaxAttempts(2))
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		fails := map[string]error{"retried": handlers.RetryAfter(3*time.Hour, io.EOF)}
		var seen []string
		frameworktest.HandleFunc(k, q, func(_ context.Context, d *handlers.Delivery[string]) error {
			err := fails[d.Payload]
			delete(fails, d.Payload)
			late, known := d.Lateness()
			seen = append(seen, fmt.Sprintln(d.Payload, late.Round(time.Minute), known, d.TooLate()))
			return err
		}, framework.Workers(1), framework.Breaker(framework.BreakerConfig{Failures: 1}))
		frameworktest.Offer(k, q, "retried", 0)
		k.Advance(time.Minute) // due again in three hours
		frameworktest.Offer(k, q, "stale", time.Minute)
		frameworktest.Offer(k, q, "late", 90*time.Minute)
		pausedFor(t, k, 2*time.Hour)
		k.RequireDead(q, 1)
		if d := k.Dead(q)[0]; d.Reason != handlers.ReasonExpired || string(d.Body) != "stale" || !strings.HasSuffix(d.Detail, "late, the queue allows 1h0m0s") {
			t.Fatalf("dead %+v", d)
		}
		full, err := framework.Bind(k.Client(), q).Dead().Page(t.Context(), "", 1)
		if err != nil || full[0].Failed != 0 || full[0].Delivered != 1 {
			t.Errorf("an attempt was charged: %+v, %v", full, err)
		}
		if h := k.Engine().Health(); h.Queues[0].Intake != health.IntakeOpen {
			t.Errorf("the breaker counted it: %+v", h.Queues[0])
		}
		k.Advance(2 * time.Hour) // the retry is not late: it has a new due time

		// A redriven message is due when it is redriven.
		if err := framework.Bind(k.Client(), q).Dead().Redrive(t.Context(), full[0].Entry, framework.RedriveOptions{}); err != nil {
			t.Fatal(err)
		}
		k.Advance(time.Second)
		want := []string{"retried 0s true false", "late 30m0s true false", "retried 0s true false", "stale 0s true false"}
		if strings.Join(seen, "") != strings.Join(want, "\n")+"\n" {
			t.Errorf("handled %q, want %q", seen, want)
		}
		k.RequireDead(q, 0)
	})
}

func TestStaleMessagesAreDeliveredByChoice(t *testing.T) {
	t.Parallel()
	q := stringQueue("LATE", registry.MaxLateness(time.Hour, registry.Deliver))
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		var seen []string
		frameworktest.HandleFunc(k, q, func(_ context.Context, d *handlers.Delivery[string]) error {
			seen = append(seen, fmt.Sprint(d.Payload, d.TooLate()))
			return nil
		}, framework.Workers(1))
		frameworktest.Offer(k, q, "stale ", 0)
		pausedFor(t, k, 2*time.Hour)
		frameworktest.Offer(k, q, "fresh ", 0)
		k.Advance(time.Second)
		if fmt.Sprint(seen) != "[stale true fresh false]" {
			t.Errorf("handled %q", seen)
		}
		k.RequireDead(q, 0)
	})
}

// What is not known is not held against a message.
func TestMessageOfUnknownDueTimeNeverExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("unknown", registry.MaxLateness(time.Millisecond, registry.Expire))
	got := make(chan bool, 1)
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		_, known := d.Lateness()
		got <- known
		return nil
	})))
	if err := b.redis.RPush(t.Context(), "unknown", "as Java's transfer does").Err(); err != nil {
		t.Fatal(err)
	}
	if await(t, got, "delivery") {
		t.Error("the lateness is known")
	}
	if dead := b.dead(t, q); len(dead) != 0 {
		t.Errorf("dead %+v", dead)
	}
}

// Java drops the due record of what it transfers. That a payload is equal to that of a message
// that was due before, which Java has taken since, expires nothing.
func TestMessageThatIsOnlyEqualToALateOneNeverExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("equal", registry.MaxLateness(time.Millisecond, registry.Expire), registry.MaxAge(time.Minute))
	keys, rdb := wire.KeysOf(q.Key()), b.redis
	got := make(chan handlers.Message, 2)
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		got <- *d.Message()
		return handlers.RetryAfter(time.Second, io.EOF)
	})))
	if err := rdb.RPush(t.Context(), keys.Queue, "tick").Err(); err != nil {
		t.Fatal(err)
	}
	await(t, got, "the first delivery")
	lab.WaitFor(t, "Java transfers and takes it", func() bool { return rdb.Del(t.Context(), keys.Timeout, keys.Pending).Val() > 0 })
	<-time.After(1100 * time.Millisecond)
	if err := rdb.RPush(t.Context(), keys.Queue, "tick").Err(); err != nil {
		t.Fatal(err) // and transfers another
	}
	m := await(t, got, "the delivery of the other")
	if late, known := m.Lateness(); !known || late < time.Millisecond || !m.DueGuessed || m.TooLate() {
		t.Errorf("%v late, known %v, a guess %v, too late %v", late, known, m.DueGuessed, m.TooLate())
	}
	if dead := b.dead(t, q); len(dead) != 0 {
		t.Errorf("dead %+v", dead)
	}
}

func TestRateLimitHoldsOverTime(t *testing.T) {
	t.Parallel()
	const n = 100
	q := stringQueue("LIMITED")
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		frameworktest.HandleFunc(k, q, func(context.Context, *handlers.Delivery[string]) error { return nil },
			framework.Workers(50), framework.RateLimit(2, 10)) // a prefetch larger than the burst
		for i := range n {
			frameworktest.Offer(k, q, fmt.Sprint(i), time.Hour)
		}
		k.Advance(time.Hour + time.Second)
		h := k.Engine().Health()
		if c := k.Counts(q); c.Ready < n-13 || h.Queues[0].Reason != health.BecauseRateLimited || h.Queues[0].Until == nil || !h.Ready || h.Queues[0].Intake != health.IntakeOpen {
			t.Errorf("%+v, health %+v", c, h)
		}
		k.Advance(time.Minute)
		k.RequireHandled(q, n)
		calls := k.Calls(q)
		for i, c := range calls {
			for j := range i {
				if d := c.Started.Sub(calls[j].Started); float64(i-j+1) > 10+2*d.Seconds()+1e-6 {
					t.Fatalf("%d messages in %v", i-j+1, d)
				}
			}
		}
		if d := calls[n-1].Started.Sub(calls[0].Started); d > 46*time.Second {
			t.Errorf("%v for all, the limit allows 45 s", d)
		}
	})
}

// Stale messages must not use up the rate and so make others stale.
func TestExpiredMessagesCostNoRate(t *testing.T) {
	t.Parallel()
	q := stringQueue("STALE-LIMITED", registry.MaxLateness(time.Minute, registry.Expire))
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		frameworktest.HandleFunc(k, q, func(context.Context, *handlers.Delivery[string]) error { return nil }, framework.RateLimit(0.01, 1))
		k.Start()
		if err := k.Engine().Pause("tests", ""); err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			frameworktest.Offer(k, q, fmt.Sprint("stale ", i), 0)
		}
		frameworktest.Offer(k, q, "fresh", time.Hour)
		pausedFor(t, k, time.Hour+time.Second)
		k.Advance(time.Second)
		k.RequireDead(q, 50)
		k.RequireHandled(q, 1)
	})
}
