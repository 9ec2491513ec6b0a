package framework_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// teller is a batch handler with a dependency.
type teller struct{ desk *desk }

func newTeller(d *desk) *teller { return &teller{d} }

func (c *teller) HandleBatch(_ context.Context, ds []*handlers.Delivery[string]) error {
	for _, d := range ds {
		c.desk.served <- d.Code() + " " + d.Payload
	}
	return nil
}

func batchOf[T any](context.Context, []*handlers.Delivery[T]) error { return nil }

func TestThreeWaysToRegisterABatchHandler(t *testing.T) {
	t.Parallel()
	built, ready, plain := stringQueue("built"), stringQueue("ready"), stringQueue("plain")
	var client *framework.Client
	var d *desk
	one := newDesk()
	app := fxtest.New(t, quietly(t), onEmbedded(), fx.Supply(one),
		framework.HandleBatch(built, newTeller, framework.Workers(2), framework.BatchSize(10)),
		framework.HandleBatchFunc(ready, handlers.BatchHandler[string](newTeller(one)).HandleBatch),
		framework.HandleBatchFunc(plain, newTeller(one).HandleBatch),
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

func TestMistakesOfBatchHandlersAreReportedTogether(t *testing.T) {
	t.Parallel()
	twice := stringQueue("twice")
	single := func(context.Context, *handlers.Delivery[string]) error { return nil }
	app := fx.New(quietly(t), framework.Module, fx.Provide(newDesk),
		fx.Supply(framework.Config{Redis: framework.RedisConfig{URL: "redis://127.0.0.1:1"}}),
		framework.HandleBatch(stringQueue("single handler"), newClerk),
		framework.Handle(stringQueue("batch handler"), newTeller),
		framework.HandleBatch(stringQueue("no constructor"), newTeller(nil)),
		framework.HandleBatch[string](nil, newTeller),
		framework.HandleBatchFunc(stringQueue("nil handler"), nil),
		framework.HandleBatchFunc(stringQueue("size"), batchOf[string], framework.BatchSize(0), framework.BatchSize(901)),
		framework.HandleBatchFunc(stringQueue("wait"), batchOf[string], framework.BatchWait(-time.Second), framework.BatchWait(time.Hour)),
		framework.HandleBatchFunc(stringQueue("nil middleware"), batchOf[string], framework.UseBatch(nil)),
		framework.HandleBatchFunc(stringQueue("use"), batchOf[string], framework.Use(handlers.Recover())),
		framework.HandleFunc(stringQueue("options"), single, framework.BatchSize(5), framework.BatchWait(0), framework.UseBatch(handlers.RecoverBatch())),
		framework.HandleBatchFunc(twice, batchOf[string]),
		framework.HandleFunc(twice, single),
	)
	err := app.Err()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"*framework_test.clerk, which is a handlers.Handler[string] and no handlers.BatchHandler[string]",
		"*framework_test.teller, which is a handlers.BatchHandler[string] and no handlers.Handler[string]",
		"HandleBatchFunc (handler.HandleBatch)", "queue is nil", "handler is nil",
		"BatchSize(0): must be 1 to 900", "BatchSize(901)", "BatchWait(-1s): must be 0 to 1m0s", "BatchWait(1h0m0s)",
		"UseBatch(1 middlewares): middleware 0 is nil", "give UseBatch",
		"BatchSize(5), BatchWait(0s), UseBatch(1 middlewares): only for batch handlers",
		"the queue has a handler already", "batchdeclare_test.go:",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not mention %q:\n%v", want, err)
		}
	}
}

// What a batch middleware returns is what counts, also for batches of one.
func TestBatchMiddleware(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("wrapped")
	seen := make(chan string, 4)
	wrap := func(name string) handlers.BatchMiddleware {
		return func(next handlers.BatchNext) handlers.BatchNext {
			return func(ctx context.Context, ms []*handlers.Message) error {
				seen <- name
				return next(ctx, ms)
			}
		}
	}
	b.run(t, framework.ConsumeBatch(q, handlers.BatchFunc[string](func(context.Context, []*handlers.Delivery[string]) error {
		seen <- "handler"
		panic("seen by the middlewares as an error")
	}), framework.UseBatch(wrap("outer"), wrap("inner")), framework.UseBatch(func(next handlers.BatchNext) handlers.BatchNext {
		return func(ctx context.Context, ms []*handlers.Message) error {
			if err := next(ctx, ms); err == nil {
				t.Error("no error of the panic")
			}
			return nil
		}
	})))
	b.offer(t, q, "x")
	for _, want := range []string{"outer", "inner", "handler"} {
		if got := await(t, seen, want); got != want {
			t.Errorf("%s before %s", got, want)
		}
	}
	lab.WaitFor(t, "it is done", func() bool { return b.gone(t, q) })
}
