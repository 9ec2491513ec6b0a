package embedded_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

var greetings = registry.Define[string]("GREETINGS", "greetings", registry.Codec(codecs.String()))

func TestWholeApplication(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	var client *framework.Client
	app := fxtest.New(t, framework.Module, embedded.Module, fx.NopLogger,
		fx.Supply(framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL}}),
		framework.HandleFunc(greetings, func(_ context.Context, d *handlers.Delivery[string]) error {
			got <- d.Payload
			return nil
		}),
		fx.Populate(&client),
	)
	app.RequireStart()
	if _, err := framework.Bind(client, greetings).Offer(t.Context(), "hello", 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	select {
	case text := <-got:
		if text != "hello" {
			t.Errorf("handled %q", text)
		}
	case <-time.After(time.Minute):
		t.Error("not handled within a minute")
	}
	app.RequireStop()
}

// One half without the other is an error that names the other.
func TestOneHalf(t *testing.T) {
	t.Parallel()
	handle := framework.HandleFunc(greetings, func(context.Context, *handlers.Delivery[string]) error { return nil })
	for name, tc := range map[string]struct {
		url  string
		more fx.Option
		want string
	}{
		"setting without module": {"embedded", fx.Options(), "embedded.Module"},
		"module without setting": {"redis://127.0.0.1:1", embedded.Module, `must be "embedded"`},
		"module, no setting":     {"", embedded.Module, `must be "embedded"`},
		"neither":                {"", fx.Options(), "no Redis is configured"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := fx.New(framework.Module, handle, tc.more, fx.NopLogger,
				fx.Supply(framework.Config{Redis: framework.RedisConfig{URL: tc.url}}))
			if err := app.Err(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("graph build: %v", err)
			}
		})
	}
}
