package framework_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// listeners counts who listens on the channel of a queue.
func listeners(t *testing.T, rdb redis.UniversalClient, queue string) int64 {
	t.Helper()
	channel := "redisson_delay_queue_channel:{" + queue + "}"
	n, err := rdb.PubSubNumSub(t.Context(), channel).Result()
	if err != nil {
		t.Fatal(err)
	}
	return n[channel]
}

// subscriptions counts the connections that are subscribed to anything.
func subscriptions(t *testing.T, rdb *redis.Client) int {
	t.Helper()
	list, err := rdb.Do(t.Context(), "CLIENT", "LIST", "TYPE", "pubsub").Text()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(list, "id=")
}

// Java only takes: what a Go process offers that handles nothing comes in time, without
// a delay, too.
func TestWhoOffersTransfers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rdb := b.redis
	one, bulk := stringQueue("one"), stringQueue("bulk")
	take := func(queue, want string) {
		t.Helper()
		got, err := rdb.BLPop(t.Context(), patience, queue).Result()
		if err != nil || got[1] != want {
			t.Fatalf("%s: took %v %v, want %s", queue, got, err, want)
		}
	}
	for _, delay := range []time.Duration{0, 300 * time.Millisecond} {
		before := time.Now()
		if _, err := framework.Bind(b.client, one).Offer(t.Context(), delay.String(), delay); err != nil {
			t.Fatal(err)
		}
		take("one", delay.String())
		if took := time.Since(before); took < delay {
			t.Errorf("early: %v of %v", took, delay)
		}
	}
	if _, err := framework.Bind(b.client, bulk).OfferAll(t.Context(), slices.Values([]framework.Item[string]{{Value: "x"}})); err != nil {
		t.Fatal(err)
	}
	take("bulk", "x")
	if err := framework.Bind(b.client, stringQueue("pushed")).Push(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "both are watched", func() bool { return listeners(t, rdb, "one") == 1 && listeners(t, rdb, "bulk") == 1 })
	if n := listeners(t, rdb, "pushed"); n != 0 {
		t.Errorf("a push makes %d listen", n)
	}
	if n := subscriptions(t, rdb); n != 1 {
		t.Errorf("%d subscriptions", n)
	}
	if err := b.client.Close(); err != nil {
		t.Error(err)
	}
	lab.WaitFor(t, "nobody listens after Close", func() bool { return subscriptions(t, rdb) == 0 })
}

// On a Cluster as well: queues of all nodes, one subscription.
func TestWhoOffersTransfersOnACluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{Addrs: cluster.Addrs(), Mode: framework.ModeCluster}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	for _, name := range []string{"a", "b", "c", "d"} {
		if _, err := framework.Bind(client, stringQueue(name)).Offer(t.Context(), name, 10*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if got, err := cluster.Client().BLPop(t.Context(), patience, name).Result(); err != nil || got[1] != name {
			t.Fatalf("took %v %v", got, err)
		}
	}
}

// No queue is watched twice by a process, and one subscription serves an engine and what
// is only offered to, whichever came first; when the engine stops, the rest goes on.
func TestOneWatcherWithAnEngine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rdb := b.redis
	before, handled, after := stringQueue("before"), stringQueue("handled"), stringQueue("after")
	b.offer(t, before, "x")
	b.offer(t, handled, "x")
	lab.WaitFor(t, "both are watched", func() bool { return listeners(t, rdb, "before") == 1 && listeners(t, rdb, "handled") == 1 })
	got := make(chan string, 10)
	e, err := framework.New(b.client, []framework.Consumer{framework.Consume(handled, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		got <- d.Payload
		return nil
	}))})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, got, "message")
	b.offer(t, after, "x")
	b.offer(t, handled, "y")
	await(t, got, "message")
	watched := func(want int64) func() bool {
		return func() bool {
			return listeners(t, rdb, "before") == 1 && listeners(t, rdb, "after") == 1 && listeners(t, rdb, "handled") == want && subscriptions(t, rdb) == 1
		}
	}
	lab.WaitFor(t, "one subscription to all", watched(1))
	if err := e.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "one subscription to all, the engine's too, which was offered to", watched(1))
	rdb.Del(t.Context(), "after")
	b.offer(t, after, "late")
	if got, err := rdb.BLPop(t.Context(), patience, "after").Result(); err != nil || got[1] != "late" {
		t.Fatalf("took %v %v", got, err)
	}
}

// openLogged opens a client whose log can be read.
func openLogged(t *testing.T, cfg framework.Config, opts ...framework.ClientOption) (*framework.Client, func() string) {
	t.Helper()
	var said everything
	log := slog.New(slog.NewTextHandler(&said, nil))
	c, err := framework.Open(t.Context(), cfg, append(opts, framework.WithLogger(log))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, func() string { text, _ := said.all(); return text }
}

// Who must not transfer leaves it, and is told once where nobody else does it.
func TestNoTransfer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rdb := b.redis
	c, said := openLogged(t, framework.Config{Redis: framework.RedisConfig{URL: b.server.URL()}, NoTransfer: true})
	alone, heard := stringQueue("alone"), stringQueue("heard")
	listen := rdb.Subscribe(t.Context(), "redisson_delay_queue_channel:{heard}")
	defer func() { _ = listen.Close() }()
	if _, err := listen.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, q := range []*registry.Queue[string]{heard, alone} {
			if _, err := framework.Bind(c, q).Offer(t.Context(), "x", 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	lab.WaitFor(t, "the warning", func() bool { return strings.Contains(said(), "no process transfers") })
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if text := said(); strings.Count(text, "no process transfers") != 1 || !strings.Contains(text, "queue=alone") {
		t.Errorf("said %s", text)
	}
	if n, err := framework.Bind(b.client, alone).Counts(t.Context()); err != nil || n.Delayed != 2 || n.Ready != 0 {
		t.Errorf("%+v %v", n, err)
	}
}

// A user who may only offer goes on offering, with one warning.
func TestUserMayOnlyOffer(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	_ = asACLUser(t, srv, admin.RoleOffer, "FIRST", "SECOND")
	c, said := openLogged(t, framework.Config{Redis: framework.RedisConfig{URL: strings.Replace(srv.URL(), "redis://", "redis://offer:pw@", 1)}})
	for range 2 {
		for _, name := range []string{"FIRST", "SECOND"} {
			if _, err := framework.Bind(c, stringQueue(name)).Offer(t.Context(), "x", 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	lab.WaitFor(t, "the warnings", func() bool { return strings.Count(said(), "no process transfers") == 2 })
	if n := strings.Count(said(), "may offer but not transfer"); n != 1 {
		t.Errorf("%d warnings: %s", n, said())
	}
}

// Whoever transfers gives back what the dead held: a process that only transfers, and one
// that only offers.
func TestWhoTransfersReaps(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(t *testing.T, b *bundle, q *registry.Queue[string]){
		"transfers": func(t *testing.T, b *bundle, q *registry.Queue[string]) { b.run(t, framework.TransferOnly(q)) },
		"offers": func(t *testing.T, b *bundle, q *registry.Queue[string]) {
			if _, err := framework.Bind(b.client, q).Offer(t.Context(), "later", time.Hour); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			rdb := b.redis
			rdb.RPush(t.Context(), "left", "a", "b")
			b.crashed(t, "left", 2, 2*time.Second)
			begin(t, b, stringQueue("left"))
			lab.WaitFor(t, "what was in flight is back", func() bool {
				list, err := rdb.LRange(t.Context(), "left", 0, -1).Result()
				return err == nil && strings.Join(list, "") == "ab"
			})
		})
	}
}

// The reaper of a queue that no Go process handles costs one script in minutes.
func TestIdleReaperIsQuiet(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c, err := framework.Open(t.Context(), framework.Config{
		Redis: framework.RedisConfig{URL: srv.URL()}, Lease: 2 * time.Second, Block: time.Second,
	}, framework.WithLogger(slog.New(slog.NewTextHandler(&bytes.Buffer{}, nil))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	q := registry.Define[string]("idle", "", registry.Codec(codecs.String()))
	if _, err := framework.Bind(c, q).Offer(t.Context(), "later", time.Hour); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "it is watched", func() bool { return listeners(t, srv.Client(), "idle") == 1 })
	rdb := srv.Client()
	first := lab.Commands(t, rdb)["zrangebyscore"].Calls
	began := rdb.Time(t.Context()).Val()
	<-time.After(5 * time.Second) // two leases
	again := lab.Commands(t, rdb)["zrangebyscore"].Calls
	// Transfers of the sweep ask once each.
	if took := rdb.Time(t.Context()).Val().Sub(began); again-first > 3+int(took/(5*time.Second)) {
		t.Errorf("%d looks in %v", again-first, took)
	}
}
