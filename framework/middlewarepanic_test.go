package framework

import (
	"context"
	"errors"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/engine"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Middlewares see the panic of a handler as an error, of single messages and of batches.
func TestMiddlewaresSeeAPanicAsAnError(t *testing.T) {
	t.Parallel()
	q := registry.Define[int64]("middlewares", "", registry.Codec(codecs.Long()))
	m := &handlers.Message{Value: int64(1)}
	var seen error
	for name, handle := range map[string]func() error{
		"single": func() error {
			c := Consume(q, handlers.Func[int64](func(context.Context, *handlers.Delivery[int64]) error { panic("oops") }),
				Use(func(next handlers.Next) handlers.Next {
					return func(ctx context.Context, m *handlers.Message) error { seen = next(ctx, m); return seen }
				}))
			return handlers.Recover()(built(t, c).Next)(t.Context(), m)
		},
		"batch": func() error {
			c := ConsumeBatch(q, handlers.BatchFunc[int64](func(context.Context, []*handlers.Delivery[int64]) error { panic("oops") }),
				UseBatch(func(next handlers.BatchNext) handlers.BatchNext {
					return func(ctx context.Context, ms []*handlers.Message) error { seen = next(ctx, ms); return seen }
				}))
			return handlers.RecoverBatch()(built(t, c).NextBatch)(t.Context(), []*handlers.Message{m})
		},
	} {
		seen = nil
		err := handle()
		var p *handlers.PanicError
		if !errors.As(seen, &p) || p.Value != "oops" || !errors.Is(err, seen) {
			t.Errorf("%s: the middleware saw %v, the engine %v", name, seen, err)
		}
	}
}

// built is what the engine gets of a consumer.
func built(t *testing.T, c Consumer) engine.Consumer {
	t.Helper()
	parts, err := assemble([]Consumer{c}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return parts[0]
}
