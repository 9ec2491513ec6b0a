package framework_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// TestAStopThatIsTooShortIsToldAtStart starts applications with several stop timeouts: it
// fails where a release of fx hides them from fxstop.TimeoutOf.
func TestAStopThatIsTooShortIsToldAtStart(t *testing.T) {
	t.Parallel()
	const line = "level=WARN msg=\"handlers may run for longer than a stop waits for them"
	handle := func(timeout time.Duration, code string) fx.Option {
		q := registry.Define[string](code, "", registry.Codec(codecs.String()), registry.Timeout(timeout))
		return framework.HandleFunc(q, func(context.Context, *handlers.Delivery[string]) error { return nil })
	}
	for name, c := range map[string]struct {
		options []fx.Option
		want    string
	}{
		"the default of fx": {
			[]fx.Option{handle(2*time.Minute, "slow"), handle(time.Second, "quick")},
			"queue=slow timeout=2m0s stop_timeout=15s needs=2m35s handler_budget=12s\n",
		},
		"a default timeout and a stop that somebody chose": {
			[]fx.Option{handle(registry.DefaultTimeout, "slow"), fx.StopTimeout(20 * time.Second)},
			"queue=slow timeout=1m0s stop_timeout=20s",
		},
		"both defaults":     {[]fx.Option{handle(registry.DefaultTimeout, "slow")}, ""},
		"as the line says":  {[]fx.Option{handle(time.Minute, "slow"), fx.StopTimeout(80 * time.Second)}, ""},
		"quick handlers":    {[]fx.Option{handle(12*time.Second, "quick")}, ""},
		"only transferring": {[]fx.Option{framework.Transfer(registry.Define[string]("moved", "", registry.Codec(codecs.String()), registry.Timeout(time.Hour)))}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said everything
			app := fxtest.New(t, fx.NopLogger, onEmbedded(), fx.Provide(said.logger), fx.Options(c.options...))
			app.RequireStart()
			app.RequireStop()
			if log, _ := said.all(); strings.Contains(log, line) != (c.want != "") || !strings.Contains(log, c.want) {
				t.Errorf("%s", log)
			}
		})
	}
}
