package frameworktest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"go.uber.org/fx"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/embedded"
	"github.com/duequeue/duequeue/registry"
)

// Timing of the engine under test: what only guards against lost processes and lost
// wake-ups is slow, so that days of virtual time have little in them to compute.
const (
	kitPool    = 1000
	kitLease   = 60 * 24 * time.Hour
	kitBlock   = 24 * time.Hour
	kitSweep   = 24 * time.Hour
	stopWithin = time.Hour // virtual
)

// Kit is an engine with its own empty Redis. Make it with [New] or [Run]; it ends
// with the test. Its methods and the functions that take one belong to the test's
// goroutine; handlers must not call them.
type Kit struct {
	t         *testing.T
	server    *embedded.Server
	rdb       *redis.Client // the kit's own eyes
	client    *framework.Client
	consumers []framework.Consumer
	queues    []registry.Descriptor // of the consumers
	engine    *framework.Engine     // nil before the start
	app       *fx.App               // of RunModule, which owns client and engine; else nil

	mu      sync.Mutex
	calls   map[string][]Call // by queue code, in the order of their ends
	running map[string]int    // by queue code
}

// Run runs body as a test in a bubble of testing/synctest, with a kit.
func Run(t *testing.T, body func(t *testing.T, k *Kit), opts ...framework.ClientOption) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { body(t, New(t, opts...)) })
}

// New makes a kit for a test that is in a bubble already; it fails one that is not.
// The options are for the client, for example framework.WithTracerProvider. By
// default the log goes to the test's output.
func New(t *testing.T, opts ...framework.ClientOption) *Kit {
	t.Helper()
	k := newKit(t)
	all := append([]framework.ClientOption{framework.WithLogger(k.log())}, opts...)
	cfg := kitConfig()
	cfg.NoTransfer = true // what is offered stays where it is until handlers are there
	var err error
	if k.client, err = framework.Open(t.Context(), cfg, append(all, framework.WithEmbedded(k.server))...); err != nil {
		t.Fatalf("frameworktest: %v", err)
	}
	t.Cleanup(k.close)
	return k
}

// newKit makes one that has no client yet.
func newKit(t *testing.T) *Kit {
	t.Helper()
	requireBubble(t)
	srv, err := embedded.Start()
	if err != nil {
		t.Fatalf("frameworktest: %v", err)
	}
	k := &Kit{t: t, server: srv, calls: map[string][]Call{}, running: map[string]int{}}
	k.rdb = redis.NewClient(&redis.Options{
		Dialer: srv.DialContext, MaxRetries: -1, DisableIdentity: true, PoolSize: kitPool,
		// Its set-up looks up host names, which is not possible in a bubble.
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	return k
}

func kitConfig() framework.Config {
	return framework.Config{
		// Who waits for a connection waits on a timer that go-redis shares among all of the
		// process: one of another bubble would end the test.
		Redis: framework.RedisConfig{URL: framework.EmbeddedURL, PoolSize: kitPool},
		Lease: kitLease, Block: kitBlock, Sweep: kitSweep,
	}
}

// log goes to the test's output.
func (k *Kit) log() *slog.Logger { return slog.New(slog.NewTextHandler(k.t.Output(), nil)) }

// requireBubble fails a test that runs in real time.
func requireBubble(t *testing.T) {
	t.Helper()
	defer func() {
		if recover() != nil {
			t.Fatal("frameworktest: New works only inside synctest.Test; use frameworktest.Run")
		}
	}()
	synctest.Wait()
}

// Start starts the engine on all handlers registered so far; none may be added
// later. [Offer] and [Kit.Advance] call it, so that a test rarely has to. It fails
// the test when the registrations are wrong. Without handlers it starts nothing:
// offered messages stay pending.
func (k *Kit) Start() {
	k.t.Helper()
	if k.engine != nil || len(k.consumers) == 0 {
		return
	}
	engine, err := framework.New(k.client, k.consumers)
	if err != nil {
		k.t.Fatalf("frameworktest: %v", err)
	}
	if err := engine.Start(k.t.Context()); err != nil {
		k.t.Fatalf("frameworktest: start: %v", err)
	}
	k.engine = engine
	synctest.Wait()
}

// Client is the client, for code under test that offers.
func (k *Kit) Client() *framework.Client { return k.client }

// Engine is the running engine, for its health; nil before the start.
func (k *Kit) Engine() *framework.Engine { return k.engine }

// close stops everything: nothing may be left in a bubble.
func (k *Kit) close() {
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	var err error
	switch {
	case k.app != nil:
		err = k.app.Stop(ctx)
	case k.engine != nil:
		err = errors.Join(k.engine.Stop(ctx), k.client.Close())
	case k.client != nil:
		err = k.client.Close()
	}
	if err = errors.Join(err, k.rdb.Close(), k.server.Close()); err != nil {
		k.t.Errorf("frameworktest: stop: %v", err)
	}
}
