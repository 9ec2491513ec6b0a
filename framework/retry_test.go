package framework_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// What ends a call decides whether it counts, and nothing else does: not the state of the
// breaker either.
func TestWhatCountsAsAnAttempt(t *testing.T) {
	t.Parallel()
	const attempts = 3
	for name, c := range map[string]struct {
		end    func(ctx context.Context) error
		counts bool
	}{
		"error":            {func(context.Context) error { return errBroken }, true},
		"panic":            {func(context.Context) error { panic("oops") }, true},
		"timeout":          {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, true},
		"retry":            {func(context.Context) error { return handlers.Retry(nil) }, true},
		"transient":        {func(context.Context) error { return handlers.Transient(errBroken) }, false},
		"transient, later": {func(context.Context) error { return handlers.RetryAfter(time.Second, handlers.Transient(errBroken)) }, false},
	} {
		for _, failures := range []int{1, 5} { // the breaker opens at once, or not for one message
			if failures == 5 && name != "error" && name != "transient" && !lab.LongForm() {
				continue
			}
			t.Run(fmt.Sprint(name, ", ", failures), func(t *testing.T) {
				t.Parallel()
				frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
					q := registry.Define[string]("orders", "", registry.Codec(codecs.String()),
						registry.MaxAttempts(attempts), registry.Backoff(registry.Steps(time.Second)))
					frameworktest.HandleFunc(k, q, func(ctx context.Context, _ *handlers.Delivery[string]) error { return c.end(ctx) },
						framework.Breaker(framework.BreakerConfig{Failures: failures}))
					frameworktest.Offer(k, q, "order", 0)
					if c.counts {
						k.Advance(20 * time.Minute)
						k.RequireRetried(q, attempts-1)
						k.RequireDead(q, 1)
						return
					}
					for range 20 {
						if k.Advance(time.Minute); len(k.Calls(q)) >= 5*attempts {
							break
						}
					}
					k.RequireDead(q, 0)
					if n := len(k.Calls(q)); n < 5*attempts {
						t.Errorf("%d calls", n)
					}
				}, framework.WithLogger(slog.New(slog.DiscardHandler)))
			})
		}
	}
}

// Transient failures count for nothing, and still come ever more rarely: the schedule goes
// by the calls.
func TestTransientRetriesBackOff(t *testing.T) {
	t.Parallel()
	tellBreaker(t, func(t *testing.T, s *breakerStory) {
		s.failure = handlers.Transient(errBroken)
		s.offerBad(1)
		s.Advance(24 * time.Hour)
		s.RequireDead(s.q, 0)
		if n := len(s.Calls(s.q)); n != 5 { // at 0:00, 0:10, 1:10, 6:10 and 18:10
			t.Errorf("%d calls", n)
		}
	}, registry.MaxAttempts(2), registry.Backoff(registry.Steps(10*time.Minute, time.Hour, 5*time.Hour, 12*time.Hour)))
}

// A message that would be retried beyond its age goes to the dead store as expired, with
// its failure; what is charged is said.
func TestMaxAge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failure error
		calls   int
	}{
		"transient": {handlers.Transient(errBroken), 5}, // at 0, 10, 20, 30, 40 min
		"plain":     {errBroken, 5},
		"named":     {handlers.RetryAfter(time.Hour, handlers.Transient(errBroken)), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tellBreaker(t, func(t *testing.T, s *breakerStory) {
				s.failure = c.failure
				s.offerBad(1)
				s.Advance(3 * time.Hour)
				s.RequireDead(s.q, 1)
				if n := len(s.Calls(s.q)); n != c.calls {
					t.Errorf("%d calls, want %d", n, c.calls)
				}
				d := s.Dead(s.q)[0]
				if d.Reason != handlers.ReasonExpired || !strings.Contains(d.Detail, errBroken.Error()) {
					t.Errorf("died of %q (%s)", d.Reason, d.Detail)
				}
			}, registry.MaxAge(45*time.Minute), registry.Backoff(registry.Steps(10*time.Minute)))
		})
	}
}

// The last attempt is exhausted, however old the message is.
func TestMaxAgeOfALastAttempt(t *testing.T) {
	t.Parallel()
	tellBreaker(t, func(t *testing.T, s *breakerStory) {
		s.offerBad(1)
		s.Advance(time.Minute)
		if d := s.Dead(s.q); len(d) != 1 || d[0].Reason != handlers.ReasonExhausted {
			t.Errorf("%+v", d)
		}
	}, registry.MaxAge(time.Second), registry.MaxAttempts(1), registry.Backoff(registry.Steps(time.Hour)))
}

// Retries that failed while the breaker was open come within a minute of its closing,
// but those whose handler named a time.
func TestRetriesComeForward(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		q := registry.Define[string]("orders", "", registry.Codec(codecs.String()), registry.Backoff(registry.Steps(6*time.Hour)))
		down := true
		frameworktest.HandleFunc(k, q, func(_ context.Context, d *handlers.Delivery[string]) error {
			switch {
			case !down:
				return nil
			case d.Payload == "order 7":
				return handlers.RetryAfter(5*time.Hour, errBroken)
			}
			return errBroken
		}, framework.Workers(1))
		for i := range 15 {
			frameworktest.Offer(k, q, fmt.Sprint("order ", i), 0)
		}
		k.Advance(time.Hour) // 4 trip it; the fourth and eleven probes fail while it is not closed
		if n := len(k.Calls(q)); n != 15 {
			t.Fatalf("%d calls", n)
		}
		down = false
		frameworktest.Offer(k, q, "probe", 0)
		k.Advance(time.Minute + time.Second) // the probe is handled at once, the eleven within a minute
		k.RequireHandled(q, 1+11)
		k.Advance(4 * time.Hour)
		k.RequireHandled(q, 1+12)
		k.Advance(time.Hour)
		k.RequireHandled(q, 1+15)
		k.RequireDead(q, 0)
	}, framework.WithLogger(slog.New(slog.DiscardHandler)))
}

// Nothing that still is to come forward holds up a stop.
func TestStopWhileRetriesComeForward(t *testing.T) {
	t.Parallel()
	tellBreaker(t, func(t *testing.T, s *breakerStory) {
		s.down = true
		for i := range 40 {
			frameworktest.Offer(s.Kit, s.q, fmt.Sprint("order ", i), 0)
		}
		s.Advance(4 * time.Hour)
		s.down = false
		frameworktest.Offer(s.Kit, s.q, "probe", 0)
		s.Advance(time.Minute)
		began := time.Now()
		if err := s.Engine().Stop(context.WithoutCancel(t.Context())); err != nil && !errors.Is(err, fault.ErrStopTime) {
			t.Error(err)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("the stop took %v", took)
		}
	}, registry.Backoff(registry.Steps(6*time.Hour)))
}
