package web

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// The page of a queue says what only a look at all queues shows: a served queue has nearly its name.
func TestPageOfAMisspeltQueue(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	engine, err := framework.New(c, []framework.Consumer{framework.Consume(registry.Define[string]("TIMEOUTS", "", registry.Codec(codecs.String())),
		handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil }))})
	if err == nil {
		err = engine.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	wrong := registry.Define[string]("TIMEUOTS", "", registry.Codec(codecs.String()))
	if _, err = framework.Bind(c, wrong).Offer(t.Context(), "order 4711", time.Hour); err != nil {
		t.Fatal(err)
	}
	console := start(t, c, Options{Authorize: as(User{Role: RoleLook})})
	until(t, console, "/queue?q=TIMEUOTS", "TIMEOUTS is served, and has no message: is one of the names misspelt?")
	if err = engine.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// The page of a queue whose node is down says so, also in a console that was opened since.
func TestPageOfAQueueWhoseNodeIsDown(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t, lab.Args("--cluster-require-full-coverage", "no"))
	const name = "q1" // on the second node
	if slot := cluster.Client().ClusterKeySlot(t.Context(), name).Val() * 3 / 16384; slot != 1 {
		t.Fatalf("%s is on node %d", name, slot)
	}
	down := cluster.Nodes()[1]
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{Mode: framework.ModeCluster, Addrs: cluster.Addrs()}, NoTransfer: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	console := start(t, c, Options{Authorize: as(User{Role: RoleLook})})
	down.Kill()
	status, body := get(t, console, "/queue?q="+name)
	if status != http.StatusOK {
		t.Errorf("%d", status)
	}
	wants(t, name, body, []string{"unreadable", "The Redis node of this queue does not answer", down.Addr()}, []string{"Falls due"})
}
