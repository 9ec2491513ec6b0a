package engine

import (
	"context"
	"log/slog"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

func TestCodecThatPanicsHurtsOnlyItsMessage(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
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
	lab.WaitFor(t, "the good one is handled", func() bool { return len(good) > 0 })
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

// circle wraps itself; brittle cannot be unwrapped when it is nil.
type (
	circle  struct{}
	brittle struct{ inner error }
)

func (*circle) Error() string    { return "wraps itself" }
func (c *circle) Unwrap() error  { return c }
func (b *brittle) Error() string { return "brittle" }
func (b *brittle) Unwrap() error { return b.inner }

// Whatever the methods of an error do, it costs its own message attempts, and the process
// lives and goes on.
func TestErrorsThatAreBrokenHurtOnlyTheirMessage(t *testing.T) {
	t.Parallel()
	var none *brittle
	for name, broken := range map[string]error{"wraps itself": &circle{}, "typed nil": none} {
		for _, from := range []string{"handler", "batch handler", "codec"} {
			t.Run(name+", from the "+from, func(t *testing.T) {
				t.Parallel()
				f := newFaultyCodec(t, registry.MaxAttempts(2), registry.Backoff(registry.Steps(time.Millisecond)))
				var err error
				if f.client.Telemetry, err = telemetry.New(sdktrace.NewTracerProvider(), nil, ""); err != nil {
					t.Fatal(err)
				}
				answer := func(payload string) error {
					if payload == "bad" {
						return broken
					}
					f.good <- payload
					return nil
				}
				policy := Policy{Workers: 2, Breaker: gate.Settings{Failures: 100}}
				c := consume(f.queue, policy, func(_ context.Context, d *handlers.Delivery[string]) error { return answer(d.Payload) })
				if from == "batch handler" {
					c = consumeBatch(f.queue, policy, func(_ context.Context, ds []*handlers.Delivery[string]) error {
						if len(ds) > 1 {
							return broken // as a whole
						}
						return answer(ds[0].Payload)
					})
				}
				if decode := c.Decode; from == "codec" {
					c.Decode = func(body []byte) (any, error) {
						if string(body) == "bad" {
							return nil, &codecs.DecodeError{Codec: "string", Err: broken}
						}
						return decode(body)
					}
				}
				f.push(t, "a", "bad", "b", "c")
				e := run(t, f.client, c)
				f.want(t, "a", "b", "c")
				lab.WaitFor(t, "the bad one in the dead store, all workers free", func() bool {
					dead, err := f.server.Client().XRange(t.Context(), wire.KeysOf(f.queue.Key()).Dead, "-", "+").Result()
					return err == nil && len(dead) == 1 && dead[0].Values["body"] == "bad" && e.Health().Queues[0].Running == 0
				})
			})
		}
	}
}
