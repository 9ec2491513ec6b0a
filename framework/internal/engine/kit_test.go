package engine

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine/offered"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// openFor makes a client of a server, with the settings that package framework has by default
// unless the test changes them.
func openFor(t *testing.T, srv *lab.Server, change ...func(*Client)) *Client {
	t.Helper()
	tel, err := telemetry.New(nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	c := &Client{
		Redis: srv.Client(), Name: func(queue string) string { return queue }, Telemetry: tel, Log: slog.New(slog.DiscardHandler),
		Lease: 30 * time.Second, Block: 5 * time.Second, Sweep: 5 * time.Second, ShutdownShare: 0.8,
		Foreign: func(registry.Descriptor) registry.ForeignMode { return registry.ForeignIgnore },
	}
	for _, f := range change {
		f(c)
	}
	c.Transfers = offered.New(offered.Settings{Redis: c.Redis, Log: c.Log, Lease: c.Lease, Sweep: c.Sweep})
	t.Cleanup(c.Transfers.Close)
	return c
}

// consume pairs a queue with a handler, as framework.Consume does.
func consume(q *registry.Queue[string], p Policy, f func(context.Context, *handlers.Delivery[string]) error) Consumer {
	return consumer(q, p, handlers.Recover()(handlers.Bind[string](handlers.Func[string](f))), nil)
}

// consumeBatch pairs a queue with a batch handler, as framework.ConsumeBatch does.
func consumeBatch(q *registry.Queue[string], p Policy, f func(context.Context, []*handlers.Delivery[string]) error) Consumer {
	next := handlers.RecoverBatch()(handlers.BindBatch[string](handlers.BatchFunc[string](f)))
	if p.BatchSize == 0 {
		p.BatchSize = 100
	}
	return consumer(q, p, BatchOfOne(next), next)
}

func consumer(q *registry.Queue[string], p Policy, next handlers.Next, batch handlers.BatchNext) Consumer {
	if p.Workers == 0 {
		p.Workers = 8
	}
	p.Prefetch = min(p.Room(), lease.MaxTake)
	typed := q.Typed()
	return Consumer{
		Queue: q, Policy: p, Next: next, NextBatch: batch, Declared: "a test",
		Decode: func(payload []byte) (any, error) { return typed.Decode(payload) },
	}
}

// run starts an engine, and stops it at the end of the test.
func run(t *testing.T, c *Client, consumers ...Consumer) *Engine {
	t.Helper()
	return start(t, New(c, consumers))
}

func start(t *testing.T, e *Engine) *Engine {
	t.Helper()
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Stop(context.WithoutCancel(t.Context())) })
	return e
}
