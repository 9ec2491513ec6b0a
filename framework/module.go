package framework

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strconv"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/fx"

	"github.com/duequeue/duequeue/framework/internal/fxstop"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Module runs duequeue inside an fx application. It needs a [Config] in the
// graph (fx.Supply or [LoadConfig]) and takes, where they are provided, a
// *slog.Logger, a trace.TracerProvider, a metric.MeterProvider and an
// [EmbeddedServer]. It provides the [*Client] that offers messages and, where
// queues are handled, the [*Engine].
//
// All mistakes in the declarations are reported together when the graph is built, and an
// unreachable Redis when the application starts. Stopping drains, see [Engine.Stop]: keep
// fx.StopTimeout above the longest handler timeout divided by Config.ShutdownShare, or the
// log warns at the start. A second SIGINT or SIGTERM, which fx itself ignores, ends the
// waiting for handlers at once.
var Module = fx.Module("duequeue",
	fx.Provide(newModule),
	fx.Invoke(func(*Engine) {}),
)

const consumerGroup = `group:"duequeue.consumers"`

type moduleParams struct {
	fx.In

	Config    Config
	Consumers []Consumer           `group:"duequeue.consumers"`
	ForAll    [][]ConsumeOption    `group:"duequeue.for_all"`
	Options   [][]ClientOption     `group:"duequeue.client_options"`
	Embedded  EmbeddedServer       `optional:"true"`
	Logger    *slog.Logger         `optional:"true"`
	Tracer    trace.TracerProvider `optional:"true"`
	Meter     metric.MeterProvider `optional:"true"`
	Lifecycle fx.Lifecycle
	Shutdown  fx.Shutdowner
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
	opts = append(opts, slices.Concat(p.Options...)...)
	client, clientErr := newClient(p.Config, opts)
	engine, engineErr := newEngine(client, p.Consumers, slices.Concat(p.ForAll...))
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
				if stop, known := fxstop.TimeoutOf(p.Shutdown); err == nil && known {
					engine.tellStopTime(ctx, stop)
				}
			}
			if err != nil {
				_ = client.Close() // fx does not stop what did not start
			}
			return err
		},
		OnStop: func(ctx context.Context) error {
			ctx, end := fxstop.HurryOnSignal(ctx, client.log)
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

// ClientOptions gives options to the client of an fx application, such as [WithNameMapper]
// and [ExplainPayloads]. They override what the graph provides.
func ClientOptions(opts ...ClientOption) fx.Option {
	return fx.Supply(fx.Annotate(opts, fx.ResultTags(`group:"duequeue.client_options"`)))
}

// ForAll gives options to all handlers of an fx application, such as common middlewares; see
// [New].
func ForAll(opts ...ConsumeOption) fx.Option {
	return fx.Supply(fx.Annotate(opts, fx.ResultTags(`group:"duequeue.for_all"`)))
}

// Handle registers the handler that constructor returns. The constructor's parameters come
// from the fx graph, and it may also return an error. Building the graph checks that it
// returns a [handlers.Handler] of the queue's type.
func Handle[T any](q *registry.Queue[T], constructor any, opts ...ConsumeOption) fx.Option {
	declared := callerLine(1)
	if q == nil {
		return supplyConsumer(consume[T](nil, nil, declared, nil))
	}
	if err := checkConstructor(constructor, reflect.TypeFor[handlers.Handler[T]](), reflect.TypeFor[handlers.BatchHandler[T]]()); err != nil {
		return supplyConsumer(Consumer{queue: q, declared: declared, err: err})
	}
	return constructed(q, constructor, func(h any) Consumer {
		of, _ := h.(handlers.Handler[T]) // nil if the constructor returned nil
		return consume(q, of, declared, opts)
	})
}

// constructed makes a consumer of what the constructor returns. The constructor itself is
// in the graph, by the name of its queue, so that fx names it when something is missing or
// when it fails: with fx.As it would name "reflect".makeFuncStub.
func constructed(q registry.Descriptor, constructor any, of func(handler any) Consumer) fx.Option {
	name := "duequeue." + q.Code()
	built := reflect.TypeOf(constructor).Out(0)
	convert := reflect.MakeFunc(
		reflect.FuncOf([]reflect.Type{built}, []reflect.Type{reflect.TypeFor[Consumer]()}, false),
		func(args []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(of(args[0].Interface()))}
		},
	).Interface()
	return fx.Module(name,
		fx.Provide(fx.Annotated{Name: name, Target: constructor}, fx.Private),
		fx.Provide(fx.Annotate(convert, fx.ParamTags("name:"+strconv.Quote(name)), fx.ResultTags(consumerGroup))),
	)
}

// HandleFunc registers a function, or a ready handler by its method value:
// HandleFunc(queue, handler.Handle). The compiler checks the type.
func HandleFunc[T any](q *registry.Queue[T], f func(ctx context.Context, d *handlers.Delivery[T]) error, opts ...ConsumeOption) fx.Option {
	var h handlers.Handler[T]
	if f != nil {
		h = handlers.Func[T](f)
	}
	return supplyConsumer(consume(q, h, callerLine(1), opts))
}

// HandleBatch registers the batch handler that constructor returns, with the checks of
// [Handle]. See [ConsumeBatch] for how batches are formed.
func HandleBatch[T any](q *registry.Queue[T], constructor any, opts ...ConsumeOption) fx.Option {
	declared := callerLine(1)
	if q == nil {
		return supplyConsumer(consumeBatch[T](nil, nil, declared, nil))
	}
	if err := checkConstructor(constructor, reflect.TypeFor[handlers.BatchHandler[T]](), reflect.TypeFor[handlers.Handler[T]]()); err != nil {
		return supplyConsumer(Consumer{queue: q, declared: declared, err: err})
	}
	return constructed(q, constructor, func(h any) Consumer {
		of, _ := h.(handlers.BatchHandler[T]) // nil if the constructor returned nil
		return consumeBatch(q, of, declared, opts)
	})
}

// HandleBatchFunc registers a function as a batch handler, or a ready one by its method value:
// HandleBatchFunc(queue, handler.HandleBatch). The compiler checks the type.
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
			return fmt.Errorf("%s is a handler, not a constructor: give its method to HandleFunc (handler.Handle) or HandleBatchFunc (handler.HandleBatch)", t)
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
