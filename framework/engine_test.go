package framework_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// bundle is a client and what every engine test needs.
type bundle struct {
	server *lab.Server // nil in virtual time
	redis  *redis.Client
	client *framework.Client
}

func setup(t *testing.T, edit ...func(*framework.Config)) *bundle {
	t.Helper()
	return setupOn(t, lab.StartRedis(t), edit...)
}

func setupOn(t *testing.T, srv *lab.Server, edit ...func(*framework.Config)) *bundle {
	t.Helper()
	cfg := framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}}
	for _, e := range edit {
		e(&cfg)
	}
	c, err := framework.Open(t.Context(), cfg, framework.WithLogger(slog.New(slog.NewTextHandler(t.Output(), nil))),
		framework.ExplainPayloads(sniff.Explain))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &bundle{server: srv, redis: srv.Client(), client: c}
}

// virtually runs body in virtual time, with an embedded Redis.
func virtually(t *testing.T, body func(t *testing.T, b *bundle)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv, err := embedded.Start()
		if err != nil {
			t.Fatal(err)
		}
		rdb := redis.NewClient(&redis.Options{
			Dialer: srv.DialContext, MaxRetries: -1, DisableIdentity: true,
			MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		})
		client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL, PoolSize: 1000}},
			framework.WithEmbedded(srv), framework.WithLogger(slog.New(slog.NewTextHandler(t.Output(), nil))))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := errors.Join(client.Close(), rdb.Close(), srv.Close()); err != nil {
				t.Error(err)
			}
		})
		body(t, &bundle{redis: rdb, client: client})
	})
}

func (b *bundle) run(t *testing.T, cs ...framework.Consumer) *framework.Engine {
	t.Helper()
	e, err := framework.New(b.client, cs)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := e.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return e
}

// patience is how long a test waits for one thing that must happen. No test passes or fails
// by it unless everything stands still.
const patience = time.Minute

// await receives from ch.
func await[T any](t *testing.T, ch <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatalf("no %s within %v", what, patience)
		panic("unreachable")
	}
}

func TestOfferedMessageIsHandledAtItsTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := registry.Define[string]("ORDER_PAYMENT_TIMEOUT", "unpaid: cancel", registry.Codec(codecs.String()))
	got := make(chan *handlers.Delivery[string], 1)
	late := make(chan time.Duration, 1)
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		l, known := d.Lateness()
		if !known {
			return errors.New("lateness unknown")
		}
		late <- l
		got <- d
		return nil
	})))
	receipt, err := framework.Bind(b.client, q).Offer(t.Context(), "order 100", 200*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	d := await(t, got, "delivery")
	if d.Payload != "order 100" || d.ID() != string(receipt.ID) || d.Attempt() != 1 {
		t.Fatalf("got %q id %q attempt %d, want id %q", d.Payload, d.ID(), d.Attempt(), receipt.ID)
	}
	if l := <-late; l < 0 {
		t.Fatalf("late by %v", l)
	}
}
