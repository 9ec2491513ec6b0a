package framework_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// Each error of an offer, a push and a change names its queue, once.
func TestErrorsNameTheirQueue(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	ctx := t.Context()
	open := func() *framework.Client {
		c, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, NoTransfer: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	q := registry.Define[string]("NAMED", "", registry.Codec(codecs.String()), registry.MaxPayload(100))
	c, closed := open(), open()
	bound := framework.Bind(c, q)
	number := framework.Bind(c, registry.Define[float64]("NAMED", "", registry.Codec(jackson.JSON())))
	wrong := framework.Bind(c, registry.Define[string]("NAMED_WRONG", "", registry.Codec(codecs.String())))
	for _, key := range []string{"NAMED_WRONG", "redisson_delay_queue_timeout:{NAMED_WRONG}", "redisson_delay_queue:{NAMED_WRONG}"} {
		srv.Client().Set(ctx, key, "x", 0)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	offer := func(q *framework.Queue[string], delay time.Duration, opts ...framework.OfferOption) error {
		_, err := q.Offer(ctx, "x", delay, opts...)
		return err
	}
	at := func(at time.Time) error {
		_, err := bound.OfferAt(ctx, "x", at)
		return err
	}
	var ofItem error
	_, _ = bound.OfferAll(ctx, func(yield func(framework.Item[string]) bool) { yield(framework.Item[string]{Value: "x", Delay: -1}) },
		framework.OnResult(func(_ int, _ framework.Receipt, err error) { ofItem = err }))
	_, noNumber := number.Offer(ctx, math.NaN(), 0)
	_, rescheduledKey := bound.RescheduleKey(ctx, "nothing", time.Now())
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, canceled := bound.Offer(ended, "x", 0)
	for what, err := range map[string]error{
		"negative delay":       offer(bound, -1),
		"no due time":          at(time.Time{}),
		"before 1970":          at(time.Unix(-1, 0)),
		"empty key":            offer(bound, 0, framework.Key("")),
		"long key":             offer(bound, 0, framework.Key(strings.Repeat("k", 10_000))),
		"negative window":      offer(bound, 0, framework.Key("k").Within(-1)),
		"large payload":        bound.Push(ctx, strings.Repeat("x", 101)),
		"of many":              ofItem,
		"not encoded":          noNumber,
		"push, not encoded":    number.Push(ctx, math.Inf(1)),
		"no replicas":          offer(bound, time.Hour, framework.AwaitReplicas(1, time.Millisecond)),
		"wrong type":           offer(wrong, time.Hour),
		"push to a wrong type": wrong.Push(ctx, "x"),
		"closed":               offer(framework.Bind(closed, q), 0),
		"canceled":             canceled,
		"cancel no ID":         bound.Cancel(ctx, "no ID"),
		"cancel nothing":       bound.Cancel(ctx, "18bcfe568000-a1b2c3d4e5f601"),
		"cancel no key":        bound.CancelKey(ctx, ""),
		"cancel no such key":   bound.CancelKey(ctx, "nothing"),
		"reschedule nothing":   bound.Reschedule(ctx, "18bcfe568000-a1b2c3d4e5f601", time.Now()),
		"before 1970 again":    bound.Reschedule(ctx, "18bcfe568000-a1b2c3d4e5f601", time.Unix(-1, 0)),
		"reschedule no key":    rescheduledKey,
		"cancel wrong type":    wrong.Cancel(ctx, "18bcfe568000-a1b2c3d4e5f601"),
	} {
		name := map[bool]string{true: "NAMED_WRONG", false: "NAMED"}[strings.Contains(what, "wrong type")]
		if err == nil || strings.Count(err.Error(), name) != 1 && (name != "NAMED_WRONG" || !strings.HasPrefix(err.Error(), "queue "+name)) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := offer(bound, -1); !errors.As(err, new(*fault.DelayError)) {
		t.Errorf("%v", err)
	}
	if err := bound.CancelKey(ctx, "nothing"); !errors.Is(err, fault.ErrGone) || !errors.As(err, new(*fault.NotPendingError)) {
		t.Errorf("%v", err)
	}
}
