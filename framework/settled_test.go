package framework_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

var errRuled = errors.New("by a rule")

// TestMiddlewareLearnsWhatBecomesOfADelivery: a middleware hears what Redis and the queue's rules
// made of what the handler returned.
func TestMiddlewareLearnsWhatBecomesOfADelivery(t *testing.T) {
	t.Parallel()
	q := registry.Define[string]("SETTLED", "", registry.Codec(codecs.String()), registry.MaxAttempts(2),
		registry.Backoff(registry.Steps(time.Minute)), registry.On(registry.ErrorIs(errRuled), registry.DeadLetter("ruled out")))
	batches := registry.Define[string]("SETTLED_BATCH", "", registry.Codec(codecs.String()), registry.MaxAttempts(2), registry.Backoff(registry.Steps(time.Minute)))
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		var mu sync.Mutex // workers run at the same time
		heard := map[string][]string{}
		watch := func(payload string, m interface{ OnSettled(func(handlers.Settled)) }) {
			m.OnSettled(func(handlers.Settled) { panic("a function that panics") })
			m.OnSettled(func(s handlers.Settled) {
				mu.Lock()
				defer mu.Unlock()
				heard[payload] = append(heard[payload], strings.TrimSpace(fmt.Sprintf("%v as %s, %v %v", s.Kind, s.Reason, s.Delay, s.Err)))
			})
		}
		result := func(payload string) error {
			switch payload {
			case "fails":
				return errors.New("no stock")
			case "ruled":
				return errRuled
			case "rejected":
				return handlers.Reject("never")
			case "later":
				return handlers.RetryAfter(time.Hour, nil)
			}
			return nil
		}
		frameworktest.HandleFunc(k, q, func(_ context.Context, d *handlers.Delivery[string]) error {
			return result(d.Payload)
		}, framework.Use(func(next handlers.Next) handlers.Next {
			return func(ctx context.Context, m *handlers.Message) error {
				watch(m.Value.(string), m) //nolint:forcetypeassert // the queue carries strings
				return next(ctx, m)
			}
		}), framework.Breaker(framework.BreakerConfig{Disabled: true}))
		frameworktest.HandleBatchFunc(k, batches, func(_ context.Context, ds []*handlers.Delivery[string]) error {
			var errs []error
			for _, d := range ds {
				watch("batch "+d.Payload, d)
				errs = append(errs, result(d.Payload))
			}
			return handlers.PerItem(errs)
		}, framework.Breaker(framework.BreakerConfig{Disabled: true}))
		for _, payload := range []string{"fine", "fails", "ruled", "rejected", "later"} {
			frameworktest.Offer(k, q, payload, time.Second)
			frameworktest.Offer(k, batches, payload, time.Second)
		}
		k.Advance(10 * time.Minute)
		for payload, want := range map[string][]string{
			"fine":           {"done as , 0s <nil>"},
			"fails":          {"retried as , 1m0s no stock", "rejected as exhausted, 0s no stock"},
			"ruled":          {"rejected as rejected, 0s by a rule"},
			"rejected":       {"rejected as rejected, 0s rejected: never"},
			"batch fine":     {"done as , 0s <nil>"},
			"batch fails":    {"retried as , 1m0s no stock", "rejected as exhausted, 0s no stock"},
			"batch rejected": {"rejected as rejected, 0s rejected: never"},
		} {
			if got := heard[payload]; !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", payload, got, want)
			}
		}
		if got := heard["later"]; len(got) != 1 || !strings.HasPrefix(got[0], "retried as , 1h0m0s") {
			t.Errorf("later: %q", got)
		}
	})
}
