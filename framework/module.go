package framework

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/fx"

	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Module runs duequeue inside an fx application. It needs a [Config] in the
// graph (fx.Supply or [LoadConfig]) and takes, where they are provided, a
// *slog.Logger, a trace.TracerProvider, a metric.MeterProvider and an
// [EmbeddedServer]. It provides the [*Client] that offers messages and, where
// queues are handled, the [*Engine].
//
// Every mistake in the declarations is reported together when the graph is
// built, and an unreachable Redis when the application starts. Stopping drains,
// see [Engine.Stop]: keep fx.StopTimeout above the longest handler timeout divided
// by ShutdownShare (Config). A second SIGINT or SIGTERM, which fx itself ignores,
// ends the waiting for handlers at once.
var Module = fx.Module("duequeue",
	fx.Provide(newModule),
	fx.Invoke(func(*Engine) {}),
)

const consumerGroup = `group:"duequeue.consumers"`

type moduleParams struct {
	fx.In

	Config    Config
	Consumers []Consumer           `group:"duequeue.consumers"`
	Embedded  EmbeddedServer       `optional:"true"`
	Logger    *slog.Logger         `optional:"true"`
	Tracer    trace.TracerProvider `optional:"true"`
	Meter     metric.MeterProvider `optional:"true"`
	Lifecycle fx.Lifecycle
}

type moduleResult struct {
	fx.Out

	Client *Client
	Engine *Engine
}

func newModule(p moduleParams) (moduleResult, error) {
	var opts []ClientOption
	if p.Embedded != nil {
		opts = append(opts, WithEmbedded(p.Embedded))
	}
	if p.Logger != nil {
		opts = append(opts, WithLogger(p.Logger))
	}
	if p.Tracer != nil {
		opts = append(opts, WithTracerProvider(p.Tracer))
	}
	if p.Meter != nil {
		opts = append(opts, WithMeterProvider(p.Meter))
	}
	client, clientErr := newClient(p.Config, opts)
	engine, engineErr := newEngine(client, p.Consumers)
	if err := errors.Join(clientErr, engineErr); err != nil {
		if client != nil {
			_ = client.Close() // nothing was connected
		}
		return moduleResult{}, err
	}
	p.Lifecycle.Append(fx.Hook{
		OnStart: func(ctx context.Context) error {
			err := client.connect(ctx)
			if err == nil && len(p.Consumers) > 0 { // otherwise this process only offers
				err = engine.Start(ctx)
			}
			if err != nil {
				_ = client.Close() // fx does not stop what did not start
			}
			return err
		},
		OnStop: func(ctx context.Context) error {
			ctx, end := hurryOnSignal(ctx, client.log)
			defer end()
			stopErr := engine.Stop(ctx)
			closeErr := client.Close()
			if stopErr != nil {
				return stopErr
			}
			return closeErr
		},
	})
	return moduleResult{Client: client, Engine: engine}, nil
}

// Handle registers the handler that constructor builds; its parameters come
// from the fx graph, and it may return an error besides the handler. That it
// builds a [handlers.Handler] of the queue's type is checked when the graph is
// built.
func Handle[T any](q *registry.Queue[T], constructor any, opts ...ConsumeOption) fx.Option {
	declared := callerLine(1)
	if q == nil {
		return supplyConsumer(consume[T](nil, nil, declared, nil))
	}
	if err := checkConstructor(constructor, reflect.TypeFor[handlers.Handler[T]](), reflect.TypeFor[handlers.BatchHandler[T]]()); err != nil {
		return supplyConsumer(Consumer{queue: q, declared: declared, err: err})
	}
	return fx.Module("duequeue."+q.Code(),
		fx.Provide(fx.Annotate(constructor, fx.As(new(handlers.Handler[T]))), fx.Private),
		fx.Provide(fx.Annotate(
			func(h handlers.Handler[T]) Consumer { return consume(q, h, declared, opts) },
			fx.ResultTags(consumerGroup),
		)),
	)
}

// HandleWith registers a ready handler; the compiler checks its type.
func HandleWith[T any](q *registry.Queue[T], h handlers.Handler[T], opts ...ConsumeOption) fx.Option {
	return supplyConsumer(consume(q, h, callerLine(1), opts))
}

// HandleFunc registers a plain function; the compiler checks its type.
func HandleFunc[T any](q *registry.Queue[T], f func(ctx context.Context, d *handlers.Delivery[T]) error, opts ...ConsumeOption) fx.Option {
	var h handlers.Handler[T]
	if f != nil {
		h = handlers.Func[T](f)
	}
	return supplyConsumer(consume(q, h, callerLine(1), opts))
}

// HandleBatch registers the batch handler that constructor builds, as [Handle] does a
// handler of single messages: with the same checks when the graph is built. See
// [ConsumeBatch] for how batches are formed.
func HandleBatch[T any](q *registry.Queue[T], constructor any, opts ...ConsumeOption) fx.Option {
	declared := callerLine(1)
	if q == nil {
		return supplyConsumer(consumeBatch[T](nil, nil, declared, nil))
	}
	if err := checkConstructor(constructor, reflect.TypeFor[handlers.BatchHandler[T]](), reflect.TypeFor[handlers.Handler[T]]()); err != nil {
		return supplyConsumer(Consumer{queue: q, declared: declared, err: err})
	}
	return fx.Module("duequeue."+q.Code(),
		fx.Provide(fx.Annotate(constructor, fx.As(new(handlers.BatchHandler[T]))), fx.Private),
		fx.Provide(fx.Annotate(
			func(h handlers.BatchHandler[T]) Consumer { return consumeBatch(q, h, declared, opts) },
			fx.ResultTags(consumerGroup),
		)),
	)
}

// HandleBatchWith registers a ready batch handler; the compiler checks its type.
func HandleBatchWith[T any](q *registry.Queue[T], h handlers.BatchHandler[T], opts ...ConsumeOption) fx.Option {
	return supplyConsumer(consumeBatch(q, h, callerLine(1), opts))
}

// HandleBatchFunc registers a plain function as a batch handler; the compiler checks
// its type.
func HandleBatchFunc[T any](q *registry.Queue[T], f func(ctx context.Context, ds []*handlers.Delivery[T]) error, opts ...ConsumeOption) fx.Option {
	var h handlers.BatchHandler[T]
	if f != nil {
		h = handlers.BatchFunc[T](f)
	}
	return supplyConsumer(consumeBatch(q, h, callerLine(1), opts))
}

// Transfer registers a queue that this process only transfers, see [TransferOnly].
func Transfer(q registry.Descriptor) fx.Option {
	return supplyConsumer(transferOnly(q, callerLine(1)))
}

func supplyConsumer(c Consumer) fx.Option {
	return fx.Supply(fx.Annotate(c, fx.ResultTags(consumerGroup)))
}

// checkConstructor says early, and in our words, what fx would say with the
// place of this file instead of the user's. other is what the other kind of
// registration takes.
func checkConstructor(constructor any, want, other reflect.Type) error {
	t := reflect.TypeOf(constructor)
	switch {
	case t == nil:
		return errors.New("constructor is nil")
	case t.Kind() != reflect.Func:
		if t.Implements(want) || t.Implements(other) {
			return fmt.Errorf("%s is a handler, not a constructor: use HandleWith or HandleBatchWith", t)
		}
		return fmt.Errorf("constructor must be a function that returns %s, got %s", want, t)
	case t.NumOut() == 0:
		return fmt.Errorf("constructor %s returns nothing; it must return a %s", t, want)
	case !t.Out(0).Implements(want) && t.Out(0).Implements(other):
		return fmt.Errorf("constructor returns %s, which is a %s and no %s: Handle is for single messages, HandleBatch for batches", t.Out(0), other, want)
	case !t.Out(0).Implements(want):
		return fmt.Errorf("constructor returns %s, which does not implement %s", t.Out(0), want)
	}
	return nil
}
