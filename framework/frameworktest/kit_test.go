package frameworktest_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

var (
	texts   = registry.Define[string]("TEXTS", "texts", registry.Codec(codecs.String()), registry.MaxAttempts(3))
	numbers = registry.Define[int64]("NUMBERS", "numbers", registry.Codec(codecs.Long()))
)

func TestHandledAtTheMillisecond(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		frameworktest.HandleFunc(k, texts, func(context.Context, *handlers.Delivery[string]) error { return nil })
		begin := time.Now()
		const delay = 7 * 24 * time.Hour
		id := frameworktest.Offer(k, texts, "a", delay)
		k.Advance(delay - time.Second)
		k.RequireHandled(texts, 0)
		k.Advance(time.Minute)
		k.RequireHandled(texts, 1)
		c := k.Calls(texts)[0]
		if c.Payload != "a" || c.Attempt != 1 || c.Err != nil || c.ID != string(id) {
			t.Errorf("call %+v, want id %s", c, id)
		}
		if late := c.Started.Sub(begin) - delay; late < 0 || late > 2*time.Millisecond || !c.Due.Equal(begin.Add(delay)) {
			t.Errorf("late by %v, due %v", late, c.Due)
		}
		if got := k.Counts(texts); got != (frameworktest.Counts{}) {
			t.Errorf("left over: %+v", got)
		}
	})
}

func TestManyMessagesInOrder(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		frameworktest.HandleFunc(k, numbers, func(context.Context, *handlers.Delivery[int64]) error { return nil }, framework.Workers(1))
		var want []int64
		for i := range int64(200) {
			frameworktest.Offer(k, numbers, i, time.Duration(i)*time.Second)
			want = append(want, i)
		}
		k.Advance(time.Hour)
		if got := frameworktest.Handled(k, numbers); !slices.Equal(got, want) {
			t.Errorf("handled %v", got)
		}
	})
}

func TestRetriesUntilDead(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		broken := errors.New("broken")
		frameworktest.HandleFunc(k, texts, func(context.Context, *handlers.Delivery[string]) error { return broken })
		frameworktest.Offer(k, texts, "a", 0)
		k.Advance(time.Hour)
		k.RequireHandled(texts, 0)
		k.RequireRetried(texts, 2)
		k.RequireDead(texts, 1)
		if dead := k.Dead(texts)[0]; dead.Reason != handlers.ReasonExhausted || string(dead.Body) != "a" {
			t.Errorf("dead: %+v", dead)
		}
		if last := k.Calls(texts)[2]; !last.Last || !errors.Is(last.Err, broken) || last.Attempt != 3 {
			t.Errorf("last call: %+v", last)
		}
	})
}

func TestPanicIsRecorded(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		frameworktest.HandleFunc(k, texts, func(_ context.Context, d *handlers.Delivery[string]) error {
			if d.Attempt() == 1 {
				panic("oops")
			}
			return nil
		})
		frameworktest.Offer(k, texts, "a", 0)
		k.Advance(time.Hour)
		k.RequireRetried(texts, 1)
		k.RequireHandled(texts, 1)
		var p *handlers.PanicError
		if !errors.As(k.Calls(texts)[0].Err, &p) {
			t.Errorf("first call: %+v", k.Calls(texts)[0])
		}
	})
}

func TestUndecodableBytes(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		frameworktest.HandleFunc(k, numbers, func(context.Context, *handlers.Delivery[int64]) error { return nil })
		k.OfferBytes(numbers, []byte("no number"), time.Minute)
		k.OfferBytes(numbers, []byte(strconv.Itoa(7)), time.Minute)
		k.Advance(time.Minute)
		k.RequireDead(numbers, 1)
		if dead := k.Dead(numbers)[0]; dead.Reason != handlers.ReasonUndecodable || string(dead.Body) != "no number" {
			t.Errorf("dead: %+v", dead)
		}
		if got := frameworktest.Handled(k, numbers); !slices.Equal(got, []int64{7}) {
			t.Errorf("handled %v", got)
		}
	})
}

func TestHandlerThatTakesItsTime(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		frameworktest.HandleFunc(k, texts, func(context.Context, *handlers.Delivery[string]) error {
			<-time.After(30 * time.Second)
			return nil
		})
		frameworktest.Offer(k, texts, "a", 0)
		k.Advance(10 * time.Second)
		if got := k.Counts(texts); got != (frameworktest.Counts{Running: 1}) {
			t.Errorf("half way: %+v", got)
		}
		k.Advance(20 * time.Second)
		k.RequireHandled(texts, 1)
	})
}

// The test of the breaker: an outage costs no message, whatever it lasts.
func TestOutage(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(_ *testing.T, k *frameworktest.Kit) {
		down := true
		frameworktest.HandleFunc(k, texts, func(context.Context, *handlers.Delivery[string]) error {
			if down {
				return handlers.Transient(errors.New("down"))
			}
			return nil
		}, framework.Workers(1))
		const messages = 50
		for i := range messages {
			frameworktest.Offer(k, texts, strconv.Itoa(i), time.Minute)
		}
		k.Advance(30 * time.Minute)
		k.RequireHandled(texts, 0)
		down = false
		k.Advance(30 * time.Minute)
		k.RequireHandled(texts, messages)
		k.RequireDead(texts, 0)
	})
}

func TestOfferWithoutHandler(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		frameworktest.Offer(k, texts, "a", time.Minute)
		k.Advance(time.Hour)
		k.RequirePending(texts, 1)
		if k.Engine() != nil {
			t.Error("an engine without handlers")
		}
		if _, err := framework.Bind(k.Client(), texts).Offer(t.Context(), "b", time.Minute); err != nil {
			t.Error(err)
		}
		k.RequirePending(texts, 2)
	})
}

func TestNewInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := frameworktest.New(t)
		frameworktest.HandleFunc(k, texts, func(context.Context, *handlers.Delivery[string]) error { return nil })
		k.Start()
		if !k.Engine().Health().Live {
			t.Errorf("health: %+v", k.Engine().Health())
		}
	})
}
