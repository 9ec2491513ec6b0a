// Package rig is what the integration tests share beside package lab, which knows no engine: an
// engine on a real Redis, a handler that keeps what it got, programs, a user of Redis with few
// permissions.
package rig

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/registry"
)

// StopTimeout bounds the stopping of an engine at the end of a test.
const StopTimeout = 30 * time.Second

// Open connects a client to one server until the test ends.
func Open(tb testing.TB, url string, opts ...framework.ClientOption) *framework.Client {
	tb.Helper()
	return OpenConfig(tb, framework.Config{Redis: framework.RedisConfig{URL: url}}, opts...)
}

// OpenConfig is Open for any configuration. With [EnvACL] the client is one of the user
// under test.
func OpenConfig(tb testing.TB, cfg framework.Config, opts ...framework.ClientOption) *framework.Client {
	tb.Helper()
	if os.Getenv(EnvACL) != "" {
		makeUser(tb, cfg)
		cfg = AsUser(cfg)
	}
	log := slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelInfo}))
	cfg.NoTransfer = true // tests say by engines who transfers; another test covers clients that offer
	all := append([]framework.ClientOption{framework.WithLogger(log)}, opts...)
	client, err := framework.Open(tb.Context(), cfg, all...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := client.Close(); err != nil {
			tb.Errorf("close the client: %v", err)
		}
	})
	return client
}

// Run starts an engine and stops it when the test ends.
func Run(tb testing.TB, client *framework.Client, consumers ...framework.Consumer) *framework.Engine {
	tb.Helper()
	engine, err := framework.New(client, consumers)
	if err != nil {
		tb.Fatal(err)
	}
	if err := engine.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { Stop(tb, engine) })
	return engine
}

// Stop stops an engine in good order; a second time is harmless.
func Stop(tb testing.TB, engine *framework.Engine) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), StopTimeout)
	defer cancel()
	if err := engine.Stop(ctx); err != nil {
		tb.Errorf("stop the engine: %v", err)
	}
}

// Offer offers a value and fails the test when that fails.
func Offer[T any](tb testing.TB, client *framework.Client, q *registry.Queue[T], value T, delay time.Duration) framework.ID {
	tb.Helper()
	receipt, err := framework.Bind(client, q).Offer(tb.Context(), value, delay)
	if err != nil {
		tb.Fatalf("offer to %s: %v", q.Code(), err)
	}
	return receipt.ID
}

// Counts returns what lies where in a queue.
func Counts[T any](tb testing.TB, client *framework.Client, q *registry.Queue[T]) framework.Counts {
	tb.Helper()
	counts, err := framework.Bind(client, q).Counts(tb.Context())
	if err != nil {
		tb.Fatalf("count %s: %v", q.Code(), err)
	}
	return counts
}

// Standing says in numbers what lies where in a queue. A wait that reports it ends when nothing moves:
// counts also tell how late messages are, which changes all the time.
func Standing[T any](tb testing.TB, client *framework.Client, q *registry.Queue[T]) string {
	tb.Helper()
	n := Counts(tb, client, q)
	return fmt.Sprintf("%d pending, %d ready, %d in flight, %d dead", n.Delayed, n.Ready, n.InFlight, n.Dead)
}

// QueueName makes a queue name of the running test's name.
func QueueName(tb testing.TB, suffix string) string {
	return strings.NewReplacer("/", "_", " ", "_", "#", "_").Replace(tb.Name()) + suffix
}
