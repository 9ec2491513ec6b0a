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

	"github.com/duequeue/duequeue/framework/internal/engine"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Module runs duequeue inside an fx application. It needs a [Config] in the
// graph (fx.Supply or [LoadConfig]) and takes, where they are provided, a
// *slog.Logger, a trace.TracerProvider, a metric.MeterProvider and an
// [EmbeddedServer]. It provides the [*Client] that offers messages and, where
// queues are handled, the [*Engine].
//
// Handlers, and what they are made of, may take the client. They may not take the engine,
// which needs all handlers first: the graph then fails with an error that names the way from
// the handler to the engine. Until all handlers are made, the engine handles no queue.
//
// All mistakes in the declarations are reported together when the graph is built, and an
// unreachable Redis when the application starts. Stopping drains, see [Engine.Stop]: keep
// fx.StopTimeout above the longest handler timeout divided by Config.ShutdownShare, or the
// log warns at the start. A second SIGINT or SIGTERM, which fx itself ignores, ends the
// waiting for handlers at once.
var Module = fx.Module("duequeue",
	fx.Provide(provideClient, provideEngine),
	fx.Provide(func() *engineSlot { return new(engineSlot) }, beginHandlers, fx.Private),
	fx.Invoke(needConfig, buildEngine),
)

// Groups of the graph.
const (
	declaredGroup = `group:"duequeue.declared"` // what can be checked of each registration before its handler is made
	consumerGroup = `group:"duequeue.consumers"`
	forAllGroup   = `group:"duequeue.for_all"`
)

type clientParams struct {
	fx.In

	Config    Config
	Declared  []declaration        `group:"duequeue.declared"`
	Options   [][]ClientOption     `group:"duequeue.client_options"`
	Embedded  EmbeddedServer       `optional:"true"`
	Logger    *slog.Logger         `optional:"true"`
	Tracer    trace.TracerProvider `optional:"true"`
	Meter     metric.MeterProvider `optional:"true"`
	Lifecycle fx.Lifecycle
}

// needConfig says where a configuration comes from. Without it fx says only that the type is missing.
func needConfig(p struct {
	fx.In

	Config   Config         `optional:"true"`
	Embedded EmbeddedServer `optional:"true"`
	Declared []declaration  `group:"duequeue.declared"`
},
) error {
	if p.Embedded != nil || !reflect.ValueOf(p.Config).IsZero() {
		return nil
	}
	return errors.Join(errors.New("no Redis is configured: the graph has no framework.Config, or an empty one: add fx.Supply(framework.Config{…}) "+
		"or fx.Provide(func() (framework.Config, error) { return framework.LoadConfig(…) })"), checkDeclarations(nil, p.Declared))
}

// provideClient makes the client and finds the mistakes of all declarations. It does not need
// the handlers: they may need the client.
func provideClient(p clientParams) (*Client, error) {
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
	if err := errors.Join(clientErr, checkDeclarations(client, p.Declared)); err != nil {
		if client != nil {
			_ = client.Close() // nothing was connected
		}
		return nil, err
	}
	p.Lifecycle.Append(fx.Hook{
		OnStart: func(ctx context.Context) error {
			err := client.connect(ctx)
			if err != nil {
				_ = client.Close() // fx does not stop what did not start
			}
			return err
		},
		OnStop: func(context.Context) error { return client.Close() },
	})
	return client, nil
}

func checkDeclarations(client *Client, ds []declaration) error {
	var consumers []Consumer
	var forAll []ConsumeOption
	var errs []error
	for _, d := range ds {
		if d.consumer != nil {
			consumers = append(consumers, *d.consumer)
		}
		forAll = append(forAll, d.forAll...)
		errs = append(errs, d.err)
	}
	return errors.Join(append(errs, check(client, consumers, forAll))...)
}

// engineSlot is where the engine of an application is, which the graph has before it has the
// handlers: a service may take the engine before they are made.
type engineSlot struct {
	engine   *Engine
	handlers bool // handlers are being made, or are made
}

func provideEngine(slot *engineSlot, client *Client) (*Engine, error) {
	if slot.engine == nil {
		if slot.handlers {
			return nil, errEngineCycle
		}
		slot.engine = &Engine{engine.New(client.parts, nil)}
	}
	return slot.engine, nil
}

var errEngineCycle = errors.New("cycle: a handler needs *framework.Engine, which needs all handlers first; " +
	"take *framework.Client in the handler, or give the engine to it later, by an fx.Invoke")

// handlersBegin comes before the handlers in the parameters of buildEngine.
type handlersBegin struct{}

func beginHandlers(slot *engineSlot) handlersBegin {
	slot.handlers = true
	return handlersBegin{}
}

type engineParams struct {
	fx.In

	Slot      *engineSlot
	Client    *Client
	Begin     handlersBegin
	Consumers []Consumer        `group:"duequeue.consumers"`
	ForAll    [][]ConsumeOption `group:"duequeue.for_all"`
	Lifecycle fx.Lifecycle
	Shutdown  fx.Shutdowner
}

// buildEngine gives the engine its handlers.
func buildEngine(p engineParams) error {
	parts, err := assemble(p.Consumers, slices.Concat(p.ForAll...))
	if err != nil {
		_ = p.Client.Close() // nothing was connected
		return err
	}
	if p.Slot.engine == nil {
		p.Slot.engine = new(Engine)
	}
	e := p.Slot.engine
	e.run = engine.New(p.Client.parts, parts)
	p.Lifecycle.Append(fx.Hook{
		OnStart: func(ctx context.Context) error {
			if len(parts) == 0 {
				return nil // this process only offers
			}
			err := e.Start(ctx)
			if stop, known := stopTimeoutOf(p.Shutdown); err == nil && known {
				e.tellStopTime(ctx, stop)
			}
			return err
		},
		OnStop: func(ctx context.Context) error {
			ctx, end := hurryOnSignal(ctx, p.Client.log)
			defer end()
			return e.Stop(ctx)
		},
	})
	return nil
}

// ClientOptions gives options to the client of an fx application, such as [WithNameMapper]
// and [ExplainPayloads]. They override what the graph provides.
func ClientOptions(opts ...ClientOption) fx.Option {
	return fx.Supply(fx.Annotate(opts, fx.ResultTags(`group:"duequeue.client_options"`)))
}

// ForAll gives options to all handlers of an fx application, such as common middlewares; see
// [New].
func ForAll(opts ...ConsumeOption) fx.Option {
	given, err := splitOptions(opts)
	if err = errors.Join(append(new(consumePolicy).apply(given.static), err)...); err != nil {
		return supplyDeclaration(declaration{err: fmt.Errorf("options for all handlers: %w (given at %s)", err, callerLine(1))})
	}
	return fx.Options(
		supplyDeclaration(declaration{forAll: given.static}),
		given.provide("duequeue.for_all", nil, forAllGroup, func(_ any, opts []ConsumeOption) any { return opts }, reflect.TypeFor[[]ConsumeOption]()),
	)
}

// Handle registers the handler that constructor returns. The constructor's parameters come
// from the fx graph, and it may also return an error. Building the graph checks that it
// returns a [handlers.Handler] of the queue's type.
func Handle[T any](q *registry.Queue[T], constructor any, opts ...ConsumeOption) fx.Option {
	err := checkConstructor(constructor, reflect.TypeFor[handlers.Handler[T]](), reflect.TypeFor[handlers.BatchHandler[T]]())
	declared := callerLine(1)
	return register(constructor, err, opts, func(opts []ConsumeOption) Consumer {
		return declare(q, declared, opts, false)
	}, func(h any, opts []ConsumeOption) Consumer {
		of, _ := h.(handlers.Handler[T]) // nil if the constructor returned nil
		return consume(q, of, declared, opts)
	})
}

// HandleFunc registers a function, or a ready handler by its method value:
// HandleFunc(queue, handler.Handle). The compiler checks the type.
func HandleFunc[T any](q *registry.Queue[T], f func(ctx context.Context, d *handlers.Delivery[T]) error, opts ...ConsumeOption) fx.Option {
	declared := callerLine(1)
	return register(nil, nilHandler(f == nil), opts, func(opts []ConsumeOption) Consumer {
		return declare(q, declared, opts, false)
	}, func(_ any, opts []ConsumeOption) Consumer {
		return consume(q, handlers.Func[T](f), declared, opts)
	})
}

// HandleBatch registers the batch handler that constructor returns, with the checks of
// [Handle]. See [ConsumeBatch] for how batches are formed.
func HandleBatch[T any](q *registry.Queue[T], constructor any, opts ...ConsumeOption) fx.Option {
	err := checkConstructor(constructor, reflect.TypeFor[handlers.BatchHandler[T]](), reflect.TypeFor[handlers.Handler[T]]())
	declared := callerLine(1)
	return register(constructor, err, opts, func(opts []ConsumeOption) Consumer {
		return declare(q, declared, opts, true)
	}, func(h any, opts []ConsumeOption) Consumer {
		of, _ := h.(handlers.BatchHandler[T]) // nil if the constructor returned nil
		return consumeBatch(q, of, declared, opts)
	})
}

// HandleBatchFunc registers a function as a batch handler, or a ready one by its method value:
// HandleBatchFunc(queue, handler.HandleBatch). The compiler checks the type.
func HandleBatchFunc[T any](q *registry.Queue[T], f func(ctx context.Context, ds []*handlers.Delivery[T]) error, opts ...ConsumeOption) fx.Option {
	declared := callerLine(1)
	return register(nil, nilHandler(f == nil), opts, func(opts []ConsumeOption) Consumer {
		return declare(q, declared, opts, true)
	}, func(_ any, opts []ConsumeOption) Consumer {
		return consumeBatch(q, handlers.BatchFunc[T](f), declared, opts)
	})
}

// Transfer registers a queue that this process only transfers, see [TransferOnly].
func Transfer(q registry.Descriptor) fx.Option {
	c := transferOnly(q, callerLine(1))
	return fx.Options(supplyDeclaration(declaration{consumer: &c}), fx.Supply(fx.Annotate(c, fx.ResultTags(consumerGroup))))
}

func nilHandler(is bool) error {
	if is {
		return errors.New("handler is nil")
	}
	return nil
}

// declaration is what is known of a registration before its handler is made, so that its
// mistakes are reported together with all others.
type declaration struct {
	consumer *Consumer
	forAll   []ConsumeOption
	err      error
}

func supplyDeclaration(d declaration) fx.Option {
	return fx.Supply(fx.Annotate(d, fx.ResultTags(declaredGroup)))
}

// register puts a registration into the graph: its declaration at once, its consumer as soon as
// the handler and the options of [Inject] are made. constructor is nil if there is nothing to
// make; err is what is wrong with it or with a ready handler.
func register(
	constructor any, err error, opts []ConsumeOption, declare func(opts []ConsumeOption) Consumer, consume func(handler any, opts []ConsumeOption) Consumer,
) fx.Option {
	given, optionErr := splitOptions(opts)
	c := declare(given.static)
	if c.err = errors.Join(c.err, err, optionErr); c.err != nil {
		return supplyDeclaration(declaration{consumer: &c})
	}
	return fx.Options(
		supplyDeclaration(declaration{consumer: &c}),
		given.provide("duequeue."+c.Code(), constructor, consumerGroup, func(h any, opts []ConsumeOption) any { return consume(h, opts) }, reflect.TypeFor[Consumer]()),
	)
}

// givenOptions are options of which some come from the graph.
type givenOptions struct {
	all    []ConsumeOption
	static []ConsumeOption // without those of Inject
}

// splitOptions finds what is wrong with the constructors of [Inject].
func splitOptions(opts []ConsumeOption) (givenOptions, error) {
	given := givenOptions{all: opts}
	var errs []error
	for _, o := range opts {
		in, ok := o.(*injectOption)
		if !ok {
			given.static = append(given.static, o)
			continue
		}
		if err := checkReturns(in.constructor, reflect.TypeFor[ConsumeOption]()); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w (declared at %s)", in, err, in.declared))
		}
	}
	return given, errors.Join(errs...)
}

// provide makes a value of a group from what constructor returns, if there is one, and from the
// options. The constructors themselves are in the graph, by names of their own, so that fx names
// them when something is missing or when they fail: with fx.As it would name
// "reflect".makeFuncStub.
func (g givenOptions) provide(name string, constructor any, group string, of func(handler any, opts []ConsumeOption) any, result reflect.Type) fx.Option {
	var provided []any
	var in []reflect.Type
	var tags []string
	private := func(name string, constructor any) {
		provided = append(provided, fx.Annotated{Name: name, Target: constructor})
		in = append(in, reflect.TypeOf(constructor).Out(0))
		tags = append(tags, "name:"+strconv.Quote(name))
	}
	if constructor != nil {
		private(name, constructor)
	}
	for i, o := range g.all {
		if in, ok := o.(*injectOption); ok {
			private(fmt.Sprintf("%s, option %d", name, i+1), in.constructor)
		}
	}
	convert := reflect.MakeFunc(reflect.FuncOf(in, []reflect.Type{result}, false), func(made []reflect.Value) []reflect.Value {
		var handler any
		if constructor != nil {
			handler, made = made[0].Interface(), made[1:]
		}
		opts := slices.Clone(g.all)
		for i, o := range opts {
			if _, ok := o.(*injectOption); ok {
				opts[i], _ = made[0].Interface().(ConsumeOption) // nil if the constructor returned nil
				made = made[1:]
			}
		}
		value := reflect.New(result).Elem()
		value.Set(reflect.ValueOf(of(handler, opts)))
		return []reflect.Value{value}
	}).Interface()
	annotations := []fx.Annotation{fx.ResultTags(group)}
	if len(tags) > 0 {
		annotations = append(annotations, fx.ParamTags(tags...))
	}
	return fx.Module(name,
		fx.Provide(append(provided, fx.Private)...),
		fx.Provide(fx.Annotate(convert, annotations...)),
	)
}

// checkConstructor says early, and in our words, what fx would say with the
// place of this file instead of the user's. other is what the other kind of
// registration takes.
func checkConstructor(constructor any, want, other reflect.Type) error {
	t := reflect.TypeOf(constructor)
	if t != nil && t.Kind() != reflect.Func && (t.Implements(want) || t.Implements(other)) {
		return fmt.Errorf("%s is a handler, not a constructor: give its method to HandleFunc (handler.Handle) or HandleBatchFunc (handler.HandleBatch)", t)
	}
	if t != nil && t.Kind() == reflect.Func && t.NumOut() > 0 && !t.Out(0).Implements(want) && t.Out(0).Implements(other) {
		return fmt.Errorf("constructor returns %s, which is a %s and no %s: Handle is for single messages, HandleBatch for batches", t.Out(0), other, want)
	}
	return checkReturns(constructor, want)
}

// checkReturns says what is wrong with a constructor that has to return want.
func checkReturns(constructor any, want reflect.Type) error {
	t := reflect.TypeOf(constructor)
	switch {
	case t == nil || t.Kind() == reflect.Func && reflect.ValueOf(constructor).IsNil():
		return errors.New("constructor is nil")
	case t.Kind() != reflect.Func:
		return fmt.Errorf("constructor must be a function that returns %s, got %s", want, t)
	case t.NumOut() == 0:
		return fmt.Errorf("constructor %s returns nothing; it must return a %s", t, want)
	case !t.Out(0).Implements(want):
		return fmt.Errorf("constructor returns %s, which does not implement %s", t.Out(0), want)
	}
	for i := range t.NumIn() {
		if takesEngine(t.In(i)) {
			return errEngineCycle
		}
	}
	return nil
}

// takesEngine reports whether a parameter is the engine, or an fx.In that has it.
func takesEngine(t reflect.Type) bool {
	if t == reflect.TypeFor[*Engine]() {
		return true
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	in, engine := false, false
	for i := range t.NumField() {
		f := t.Field(i)
		in = in || f.Anonymous && f.Type == reflect.TypeFor[fx.In]()
		engine = engine || takesEngine(f.Type)
	}
	return in && engine
}
