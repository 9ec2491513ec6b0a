package framework_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

type desk struct{ served chan string }

func newDesk() *desk { return &desk{served: make(chan string, 4)} }

type clerk struct{ desk *desk }

func newClerk(d *desk) *clerk { return &clerk{d} }

func (c *clerk) Handle(_ context.Context, d *handlers.Delivery[string]) error {
	c.desk.served <- d.Code() + " " + d.Payload
	return nil
}

// lateClerk is a ready handler, whose desk comes later.
type lateClerk struct{ desk **desk }

func (c *lateClerk) Handle(ctx context.Context, d *handlers.Delivery[string]) error {
	return (&clerk{*c.desk}).Handle(ctx, d)
}

func quietly(t *testing.T) fx.Option {
	return fx.Options(fx.NopLogger, fx.Provide(func() *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }))
}

func onEmbedded() fx.Option {
	return fx.Options(framework.Module, embedded.Module,
		fx.Supply(framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL}}))
}

func TestThreeWaysToRegister(t *testing.T) {
	t.Parallel()
	built, ready, plain := stringQueue("built"), stringQueue("ready"), stringQueue("plain")
	var client *framework.Client
	var d *desk
	app := fxtest.New(t, quietly(t), onEmbedded(), fx.Provide(newDesk),
		framework.Handle(built, newClerk, framework.Workers(2)),
		framework.HandleFunc(ready, (&lateClerk{&d}).Handle),
		framework.HandleFunc(plain, func(_ context.Context, m *handlers.Delivery[string]) error {
			d.served <- m.Code() + " " + m.Payload
			return nil
		}),
		fx.Populate(&client, &d),
	)
	app.RequireStart()
	defer app.RequireStop()
	for _, q := range []*registry.Queue[string]{built, ready, plain} {
		if _, err := framework.Bind(client, q).Offer(t.Context(), "x", time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]bool{}
	for range 3 {
		got[await(t, d.served, "delivery")] = true
	}
	if !got["built x"] || !got["ready x"] || !got["plain x"] {
		t.Fatalf("served %v", got)
	}
}

func TestAProcessThatOnlyOffersNeedsNoHandler(t *testing.T) {
	t.Parallel()
	var client *framework.Client
	app := fxtest.New(t, quietly(t), onEmbedded(), fx.Populate(&client))
	app.RequireStart()
	defer app.RequireStop()
	if _, err := framework.Bind(client, stringQueue("offered")).Offer(t.Context(), "x", time.Hour); err != nil {
		t.Fatal(err)
	}
}

type wrongClerk struct{}

func (wrongClerk) Handle(context.Context, *handlers.Delivery[int]) error { return nil }

func TestAllMistakesAreReportedTogetherAtGraphBuild(t *testing.T) {
	t.Parallel()
	twice := stringQueue("twice")
	app := fx.New(quietly(t), framework.Module, fx.Provide(newDesk),
		fx.Supply(framework.Config{Lease: time.Millisecond}), // no Redis, and a lease that is too short
		framework.Handle(stringQueue("wrong type"), func() wrongClerk { return wrongClerk{} }),
		framework.Handle(stringQueue("no constructor"), 7),
		framework.HandleFunc(stringQueue("nil handler"), nil),
		framework.Handle(twice, newClerk),
		framework.HandleFunc(twice, func(context.Context, *handlers.Delivery[string]) error { return nil }),
		framework.HandleFunc(stringQueue("bad option"), func(context.Context, *handlers.Delivery[string]) error { return nil }, framework.Workers(0)),
		framework.HandleFunc(registry.Define[chan int]("no codec carries this", "", registry.Codec(codecs.String())),
			func(context.Context, *handlers.Delivery[chan int]) error { return nil }),
	)
	err := app.Err()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"redis", "lease", "wrongClerk", "must be a function", "handler is nil", "has a handler already",
		"Workers(0)", "chan int", "module_test.go:",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not mention %q:\n%v", want, err)
		}
	}
	var reg *fault.RegistrationError
	if !errors.As(err, &reg) {
		t.Errorf("no RegistrationError in %v", err)
	}
}

// TestAConstructorThatFailsIsNamed: fx names the function and its place, and not what
// converts its result.
func TestAConstructorThatFailsIsNamed(t *testing.T) {
	t.Parallel()
	fails := func(*desk) (*clerk, error) { return nil, errors.New("no stamps") }
	batch := func(*desk) batchClerk { return batchClerk{} }
	twin := stringQueue("a \"quoted\" code")
	for name, c := range map[string]struct {
		options fx.Option
		want    string
	}{
		"something is missing":            {framework.Handle(stringQueue("missing"), newClerk), `missing dependencies for function "github.com/duequeue/duequeue/framework_test".newClerk (`},
		"something is missing for batch":  {framework.HandleBatch(stringQueue("missing"), batch), `missing dependencies for function "github.com/duequeue/duequeue/framework_test".TestAConstructorThatFailsIsNamed.func2 (`},
		"it fails":                        {fx.Options(fx.Provide(newDesk), framework.Handle(stringQueue("fails"), fails)), `received non-nil error from function "github.com/duequeue/duequeue/framework_test".TestAConstructorThatFailsIsNamed.func1 (`},
		"nil":                             {framework.Handle(stringQueue("nil"), func() handlers.Handler[string] { return nil }), "handler is nil"},
		"two of one constructor":          {fx.Options(fx.Provide(newDesk), framework.Handle(stringQueue("one"), newClerk), framework.Handle(twin, newClerk)), ""},
		"the same type in the graph":      {fx.Options(fx.Provide(newDesk, newClerk), framework.Handle(stringQueue("one"), newClerk)), ""},
		"two results, one of its own use": {fx.Options(fx.Provide(newDesk), framework.Handle(stringQueue("one"), func(d *desk) (*clerk, *desk) { return newClerk(d), d })), ""},
	} {
		err := fx.New(quietly(t), onEmbedded(), c.options).Err()
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), `missing dependencies for function "reflect"`) ||
			strings.Contains(err.Error(), `error from function "reflect"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type batchClerk struct{}

func (batchClerk) HandleBatch(context.Context, []*handlers.Delivery[string]) error { return nil }

func TestUnreachableRedisIsAStartError(t *testing.T) {
	t.Parallel()
	app := fx.New(quietly(t), framework.Module, fx.Provide(newDesk),
		fx.Supply(framework.Config{Redis: framework.RedisConfig{URL: "redis://127.0.0.1:1"}}),
		framework.Handle(stringQueue("unreachable"), newClerk))
	if err := app.Err(); err != nil {
		t.Fatalf("graph: %v", err)
	}
	err := app.Start(t.Context())
	var unreachable *fault.UnreachableError
	if !errors.As(err, &unreachable) {
		t.Fatalf("start: %v, want an UnreachableError", err)
	}
}

func TestEmbeddedOnOneSideOnlyNamesTheOther(t *testing.T) {
	t.Parallel()
	app := fx.New(quietly(t), framework.Module, fx.Supply(framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL}}))
	if err := app.Err(); err == nil || !strings.Contains(err.Error(), "embedded.Module") {
		t.Errorf("URL without module: %v", err)
	}
	app = fx.New(quietly(t), framework.Module, embedded.Module, fx.Supply(framework.Config{Redis: framework.RedisConfig{URL: "redis://127.0.0.1:1"}}))
	if err := app.Err(); err == nil || !strings.Contains(err.Error(), "embedded") {
		t.Errorf("module without URL: %v", err)
	}
}
