package frameworktest

import (
	"os"
	"os/signal"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/fx"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
)

// RunModule is [Run] for a service's own wiring: the handlers are those that options
// register by framework.Handle and the like, built by fx as in production. options is what
// main gives to fx.New, without framework.Module and without a framework.Config: the kit
// brings both. Replace what reaches outside, such as a database, by fx.Replace or
// fx.Decorate. Mistakes of the wiring fail the test.
//
// The kit records each [Call] outside of the service's middlewares: its Err is what they
// returned, not what the handler returned. [Handle] cannot add handlers here.
func RunModule(t *testing.T, options fx.Option, body func(t *testing.T, k *Kit)) {
	t.Helper()
	beginSignals()
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t)
		t.Cleanup(k.close)
		app := fx.New(
			fx.NopLogger, fx.StartTimeout(stopWithin), fx.StopTimeout(stopWithin),
			framework.Module, fx.Supply(kitConfig()), options,
			framework.ClientOptions(framework.WithLogger(k.log()), framework.WithEmbedded(k.server)),
			framework.ForAll(framework.Use(k.record, handlers.Recover()), framework.UseBatch(k.recordBatch, handlers.RecoverBatch())),
			fx.Populate(&k.client, &k.engine),
		)
		if err := app.Err(); err != nil {
			t.Fatalf("frameworktest: the graph cannot be built: %v", err)
		}
		k.queues = k.engine.Queues()
		if err := app.Start(t.Context()); err != nil {
			t.Fatalf("frameworktest: start: %v", err)
		}
		k.app = app
		synctest.Wait()
		body(t, k)
	})
}

// beginSignals starts the goroutine of package os/signal, which lives as long as the process:
// fx would start it in the bubble, which could then not end.
var beginSignals = sync.OnceFunc(func() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
})
