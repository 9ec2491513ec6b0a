package framework_test

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// shop is a service between the handlers and the client: it offers the next message.
type shop struct {
	client *framework.Client
	next   *registry.Queue[string]
	done   chan string
}

var nextQueue = stringQueue("next")

func newShop(c *framework.Client) *shop {
	return &shop{client: c, next: nextQueue, done: make(chan string, 8)}
}

func (s *shop) offerNext(ctx context.Context, text string) error {
	_, err := framework.Bind(s.client, s.next).Offer(ctx, text, time.Millisecond)
	return err
}

// following handles a message by offering the next one.
type following struct{ shop *shop }

func newFollowing(s *shop) *following { return &following{s} }

func (f *following) Handle(ctx context.Context, d *handlers.Delivery[string]) error {
	return f.shop.offerNext(ctx, d.Payload+"!")
}

type followingBatch struct{ shop *shop }

func (f *followingBatch) HandleBatch(ctx context.Context, ds []*handlers.Delivery[string]) error {
	for _, d := range ds {
		if err := f.shop.offerNext(ctx, d.Payload+"!"); err != nil {
			return err
		}
	}
	return nil
}

// offering is an interface of the user's, which the client is bound to.
type offering interface {
	Offer(ctx context.Context, payload string, delay time.Duration, opts ...framework.OfferOption) (framework.Receipt, error)
}

// TestHandlersThatOffer builds the graphs that services build: a handler needs, by any way,
// the client. Each offers a message whose handler offers the next one.
func TestHandlersThatOffer(t *testing.T) {
	t.Parallel()
	first := stringQueue("first")
	type namedShop struct {
		fx.In

		Shop *shop `name:"main"`
	}
	graphs := map[string]fx.Option{
		"a service takes the client": fx.Options(fx.Provide(newShop), framework.Handle(first, newFollowing)),
		"the handler takes the client": fx.Options(fx.Provide(newShop), framework.Handle(first, func(c *framework.Client) handlers.Func[string] {
			return func(ctx context.Context, d *handlers.Delivery[string]) error {
				_, err := framework.Bind(c, nextQueue).Offer(ctx, d.Payload+"!", time.Millisecond)
				return err
			}
		})),
		"a batch handler": fx.Options(fx.Provide(newShop), framework.HandleBatch(first, func(s *shop) *followingBatch { return &followingBatch{s} })),
		"a bound queue": fx.Options(fx.Provide(newShop,
			fx.Annotate(func(c *framework.Client) *framework.Queue[string] { return framework.Bind(c, nextQueue) }, fx.As(new(offering)))),
			framework.Handle(first, func(o offering) handlers.Func[string] {
				return func(ctx context.Context, d *handlers.Delivery[string]) error {
					_, err := o.Offer(ctx, d.Payload+"!", time.Millisecond)
					return err
				}
			})),
		"a module of the service": fx.Options(fx.Provide(newShop), fx.Module("orders", framework.Handle(first, newFollowing))),
		"a private service": fx.Options(fx.Provide(newShop), fx.Module("orders",
			fx.Provide(fx.Private, func(_ *framework.Client, s *shop) *following { return &following{s} }),
			framework.Handle(first, func(f *following) handlers.Handler[string] { return f }))),
		"a named service": fx.Options(fx.Provide(newShop, fx.Annotate(newShop, fx.ResultTags(`name:"main"`))),
			framework.Handle(first, func(in namedShop, s *shop) *following { in.Shop.done = s.done; return newFollowing(in.Shop) })),
		"a decorated service": fx.Options(fx.Provide(newShop), framework.Handle(first, newFollowing),
			fx.Decorate(func(s *shop, c *framework.Client) *shop { return &shop{c, s.next, s.done} })),
		"a decorated client": fx.Options(fx.Provide(newShop), framework.Handle(first, newFollowing),
			fx.Decorate(func(c *framework.Client) *framework.Client { return c })),
		"a middleware": fx.Options(fx.Provide(newShop), framework.HandleFunc(first, handled, framework.Inject(func(s *shop) framework.ConsumeOption {
			return framework.Use(offerAfter(s, first))
		}))),
		"a middleware of all": fx.Options(fx.Provide(newShop), framework.HandleFunc(first, handled), framework.ForAll(framework.Workers(2), framework.Inject(func(s *shop) (framework.ConsumeOption, error) {
			return framework.Use(offerAfter(s, first)), nil
		}))),
		"OnDead": fx.Options(fx.Provide(newShop), framework.HandleFunc(first, func(context.Context, *handlers.Delivery[string]) error {
			return handlers.Reject("no")
		}, framework.Inject(func(s *shop) framework.ConsumeOption {
			return framework.OnDead(func(ctx context.Context, _ framework.DeadMessage) error { return s.offerNext(ctx, "x!") })
		}))),
		"a service that takes the engine, without a handler": fx.Options(fx.Provide(newShop, func(e *framework.Engine) *ward { return &ward{e} }),
			fx.Module("health", fx.Invoke(func(*ward) {})), framework.Handle(first, newFollowing)),
	}
	for name, graph := range graphs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := fx.Options(graph, framework.Handle(nextQueue, func(s *shop) handlers.Func[string] {
				return func(_ context.Context, d *handlers.Delivery[string]) error {
					s.done <- d.Payload
					return nil
				}
			}))
			if err := fx.ValidateApp(quietly(t), options, onEmbedded()); err != nil {
				t.Fatalf("ValidateApp: %v", err)
			}
			var s *shop
			var e *framework.Engine
			app := fxtest.New(t, options, quietly(t), onEmbedded(), fx.Populate(&s, &e))
			app.RequireStart()
			defer app.RequireStop()
			if got := len(e.Queues()); got != 2 {
				t.Errorf("the engine has %d queues, want 2", got)
			}
			if _, err := framework.Bind(s.client, first).Offer(t.Context(), "x", time.Millisecond); err != nil {
				t.Fatal(err)
			}
			if got := await(t, s.done, "the next message"); got != "x!" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func handled(context.Context, *handlers.Delivery[string]) error { return nil }

// offerAfter offers the next message once the handler of one queue has returned.
func offerAfter(s *shop, of *registry.Queue[string]) handlers.Middleware {
	return func(next handlers.Next) handlers.Next {
		return func(ctx context.Context, m *handlers.Message) error {
			err := next(ctx, m)
			if err == nil && m.Code == of.Code() {
				return s.offerNext(ctx, "x!")
			}
			return err
		}
	}
}

// ward is a service that takes the engine.
type ward struct{ engine *framework.Engine }

func (*ward) Handle(context.Context, *handlers.Delivery[string]) error { return nil }

// TestWrongGraphs: each ends in an error that names a file and line, and never in a crash. fx
// recurses without end where a cycle passes a private constructor.
func TestWrongGraphs(t *testing.T) {
	t.Parallel()
	q := stringQueue("wrong")
	newWard := func(e *framework.Engine) *ward { return &ward{e} }
	type engineIn struct {
		fx.In

		Engine *framework.Engine
	}
	place := regexp.MustCompile(`graph_test\.go:\d+`)
	graphs := map[string]struct {
		graph fx.Option
		wants []string
	}{
		"the handler takes the engine":            {framework.Handle(q, newWard), []string{"cycle", `registration of "wrong"`}},
		"the handler takes the engine by fx.In":   {framework.Handle(q, func(in engineIn) *ward { return &ward{in.Engine} }), []string{"cycle"}},
		"the batch handler takes the engine":      {framework.HandleBatch(q, func(*framework.Engine) batchClerk { return batchClerk{} }), []string{"cycle"}},
		"a service takes the engine":              {fx.Options(fx.Provide(newWard), framework.Handle(q, func(*ward) *clerk { return nil })), []string{"cycle", "func1"}},
		"a private service takes the engine":      {fx.Module("m", fx.Provide(newWard, fx.Private), framework.Handle(q, func(*ward) *clerk { return nil })), []string{"cycle"}},
		"a middleware takes the engine":           {framework.HandleFunc(q, handled, framework.Inject(func(*framework.Engine) framework.ConsumeOption { return nil })), []string{"cycle"}},
		"a middleware's service takes it":         {fx.Options(fx.Provide(newWard), framework.HandleFunc(q, handled, framework.Inject(func(*ward) framework.ConsumeOption { return nil }))), []string{"cycle"}},
		"ForAll takes the engine":                 {framework.ForAll(framework.Inject(func(*framework.Engine) framework.ConsumeOption { return nil })), []string{"cycle"}},
		"the logger takes the client":             {fx.Provide(func(*framework.Client) *slog.Logger { return slog.Default() }), []string{"cycle"}},
		"the handler's service is missing":        {framework.Handle(q, func(*shop) *clerk { return nil }), []string{"missing type: *framework_test.shop"}},
		"the option's service is missing":         {framework.HandleFunc(q, handled, framework.Inject(func(*shop) framework.ConsumeOption { return nil })), []string{"missing type: *framework_test.shop"}},
		"the option's constructor fails":          {framework.HandleFunc(q, handled, framework.Inject(func() (framework.ConsumeOption, error) { return nil, errors.New("no stamps") })), []string{"no stamps"}},
		"the option's constructor returns nil":    {framework.HandleFunc(q, handled, framework.Inject(func() framework.ConsumeOption { return nil })), []string{"nil option"}},
		"the option's constructor returns others": {framework.HandleFunc(q, handled, framework.Inject(func() int { return 1 })), []string{"int, which does not implement framework.ConsumeOption"}},
		"no constructor":                          {framework.HandleFunc(q, handled, framework.Inject(nil), framework.Workers(0)), []string{"constructor is nil", "Workers(0)"}},
		"the option is wrong":                     {framework.HandleFunc(q, handled, framework.Inject(func() framework.ConsumeOption { return framework.Workers(0) })), []string{"Workers(0)"}},
		"an option for all is wrong":              {fx.Options(framework.HandleFunc(q, handled), framework.ForAll(framework.Workers(-1), framework.Inject(func() framework.ConsumeOption { return framework.Workers(0) }))), []string{"Workers(-1)"}},
		"nil function":                            {framework.HandleFunc[string](q, nil), []string{"handler is nil"}},
		"two handlers of one queue":               {fx.Options(framework.HandleFunc(q, handled), framework.HandleFunc(q, handled)), []string{"has a handler already"}},
	}
	for name, c := range graphs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logger := quietly(t)
			if name == "the logger takes the client" {
				logger = fx.NopLogger
			}
			_ = fx.ValidateApp(logger, onEmbedded(), c.graph) // must not crash; it makes nothing, so it finds less
			err := fx.New(logger, onEmbedded(), c.graph).Err()
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not mention %q: %v", want, err)
				}
			}
			if !place.MatchString(err.Error()) {
				t.Errorf("the error names no place: %v", err)
			}
		})
	}
}

// An engine that a service takes before the handlers are made has all queues in the end.
func TestTheEngineIsTakenBeforeTheHandlersAreMade(t *testing.T) {
	t.Parallel()
	q := stringQueue("early")
	var early, late *framework.Engine
	app := fxtest.New(t, quietly(t),
		fx.Module("health", fx.Invoke(func(e *framework.Engine) {
			early = e
			if r := e.Health(); r.Ready || len(e.Queues()) != 0 {
				t.Errorf("an engine without handlers: %+v", r)
			}
		})),
		framework.HandleFunc(q, handled), onEmbedded(), fx.Populate(&late))
	app.RequireStart()
	defer app.RequireStop()
	if early != late || len(early.Queues()) != 1 || !early.Health().Ready {
		t.Errorf("engines %p, %p: %v", early, late, early.Queues())
	}
}

func TestTwoApplicationsInOneProcess(t *testing.T) {
	t.Parallel()
	first := stringQueue("first")
	graph := func(s **shop) *fxtest.App {
		return fxtest.New(t, quietly(t), onEmbedded(), fx.Provide(newShop), framework.Handle(first, newFollowing),
			framework.Handle(nextQueue, func(s *shop) handlers.Func[string] {
				return func(_ context.Context, d *handlers.Delivery[string]) error {
					s.done <- d.Payload
					return nil
				}
			}), fx.Populate(s))
	}
	var a, b *shop
	for _, app := range []*fxtest.App{graph(&a), graph(&b)} {
		app.RequireStart()
		defer app.RequireStop()
	}
	for i, s := range []*shop{a, b} {
		text := string(rune('a' + i))
		if _, err := framework.Bind(s.client, first).Offer(t.Context(), text, time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if got := await(t, s.done, "the next message"); got != text+"!" {
			t.Errorf("got %q", got)
		}
	}
}

func TestTheModuleTwiceInOneGraph(t *testing.T) {
	t.Parallel()
	err := fx.New(quietly(t), onEmbedded(), fx.Module("again", framework.Module)).Err()
	if err == nil || !strings.Contains(err.Error(), "already provided") || !strings.Contains(err.Error(), "module.go:") {
		t.Errorf("got %v", err)
	}
}

func TestAGraphWithoutConfig(t *testing.T) {
	t.Parallel()
	err := fx.New(quietly(t), framework.Module).Err()
	if err == nil || !strings.Contains(err.Error(), "fx.Supply(framework.Config") || !strings.Contains(err.Error(), "framework.LoadConfig") {
		t.Errorf("got %v", err)
	}
	if err := fx.ValidateApp(quietly(t), framework.Module); err == nil || !strings.Contains(err.Error(), "framework.Config") {
		t.Errorf("ValidateApp: %v", err)
	}
}

// Inject needs a graph.
func TestInjectWithoutAGraph(t *testing.T) {
	t.Parallel()
	server, err := embedded.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL}}, framework.WithEmbedded(server))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	in := framework.Inject(func() framework.ConsumeOption { return framework.Workers(1) })
	_, err = framework.New(c, []framework.Consumer{framework.Consume(stringQueue("plain"), handlers.Func[string](handled), in)})
	var reg *fault.RegistrationError
	if !errors.As(err, &reg) || !strings.Contains(err.Error(), "give the option itself") {
		t.Errorf("got %v", err)
	}
}
