package engine

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/frameworktest/redisserver"
	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

func TestCodecThatPanicsHurtsOnlyItsMessage(t *testing.T) {
	t.Parallel()
	srv := redisserver.Start(t)
	q := registry.Define[string]("codec panics", "", registry.Codec(codecs.String()))
	good := make(chan struct{}, 1)
	c := consume(q, Policy{}, func(context.Context, *handlers.Delivery[string]) error {
		good <- struct{}{}
		return nil
	})
	decode := c.Decode
	c.Decode = func(body []byte) (any, error) {
		if string(body) == "bad" {
			panic("broken codec")
		}
		return decode(body)
	}
	e := run(t, openFor(t, srv), c)
	if err := srv.Client().RPush(t.Context(), "codec panics", "bad", "good").Err(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-good:
	case <-time.After(patience):
		t.Fatal("the good one was not handled")
	}
	if err := e.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	dead, err := srv.Client().XRange(t.Context(), wire.KeysOf(q.Key()).Dead, "-", "+").Result()
	if err != nil || len(dead) != 1 || dead[0].Values["reason"] != handlers.ReasonUndecodable || dead[0].Values["body"] != "bad" {
		t.Fatalf("dead %+v %v", dead, err)
	}
}

type panickingSchedule struct{ registry.Schedule }

func (panickingSchedule) Delay(int, float64) time.Duration { panic("broken backoff") }

func TestBackoffThatPanicsIsReplaced(t *testing.T) {
	t.Parallel()
	r := &queue{policy: registry.Policy{Backoff: panickingSchedule{}}, log: slog.New(slog.DiscardHandler)}
	j := &job{msg: &lease.Message{Failed: 3}}
	if d := r.retryDelay(j, handlers.Outcome{}); d < 4*time.Second || d > 8*time.Second {
		t.Fatal(d)
	}
}
