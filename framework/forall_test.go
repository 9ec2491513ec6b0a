package framework_test

import (
	"context"
	"strings"
	"testing"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
)

// Options for all handlers come first, and each handler takes those that fit it.
func TestForAll(t *testing.T) {
	t.Parallel()
	singles, batches := stringQueue("singles"), stringQueue("batches")
	steps, done := make(chan string, 20), make(chan string, 2)
	note := func(name string) framework.ConsumeOption {
		return framework.Use(func(next handlers.Next) handlers.Next {
			return func(ctx context.Context, m *handlers.Message) error {
				steps <- m.Code + " " + name
				return next(ctx, m)
			}
		})
	}
	noteBatch := func(name string) framework.ConsumeOption {
		return framework.UseBatch(func(next handlers.BatchNext) handlers.BatchNext {
			return func(ctx context.Context, ms []*handlers.Message) error {
				steps <- ms[0].Code + " " + name
				return next(ctx, ms)
			}
		})
	}
	var client *framework.Client
	app := fxtest.New(t, quietly(t), onEmbedded(),
		framework.ForAll(note("all"), noteBatch("all batches"), framework.BatchSize(7), framework.Workers(3)),
		framework.HandleFunc(singles, func(context.Context, *handlers.Delivery[string]) error { done <- "single"; return nil }, note("own")),
		framework.HandleBatchFunc(batches, func(context.Context, []*handlers.Delivery[string]) error { done <- "batch"; return nil }, noteBatch("own batches")),
		fx.Populate(&client),
	)
	app.RequireStart()
	defer app.RequireStop()
	for _, q := range []*framework.Queue[string]{framework.Bind(client, singles), framework.Bind(client, batches)} {
		if err := q.Push(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		_ = await(t, done, "handling")
	}
	close(steps)
	var got []string
	for s := range steps {
		got = append(got, s)
	}
	if s := strings.Join(got, ", "); s != "singles all, singles own, batches all batches, batches own batches" {
		t.Errorf("steps %s", s)
	}
}

// A middleware is made once for each queue, as handlers.Middleware says.
func TestMiddlewaresAreMadeOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := map[string]int{}
	count := func(name string) framework.ConsumeOption {
		return framework.Use(func(next handlers.Next) handlers.Next { made[name]++; return next })
	}
	handle := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })
	_, err := framework.New(b.client, []framework.Consumer{framework.Consume(stringQueue("one"), handle, count("own"))}, count("all"))
	if err != nil || made["own"] != 1 || made["all"] != 1 {
		t.Errorf("made %v %v, want each once", made, err)
	}
}

func TestForAllTellsItsMistakesOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	handle := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })
	_, err := framework.New(b.client, []framework.Consumer{framework.Consume(stringQueue("one"), handle), framework.Consume(stringQueue("two"), handle)},
		framework.Workers(-1), nil, framework.Use(nil))
	for _, want := range []string{"options for all handlers: Workers(-1): must be 1 to", "nil option", "middleware 0 is nil"} {
		if err == nil || strings.Count(err.Error(), want) != 1 {
			t.Errorf("error %v, want %q in it once", err, want)
		}
	}
}
