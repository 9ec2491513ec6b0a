package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// All of the console works on a Cluster, with partitions on several nodes and names that the
// service maps: it finds the queue without its declaration, shows what is in all partitions,
// and changes it.
func TestConsoleOnAClusterWithMappedNames(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	cfg := framework.Config{Redis: framework.RedisConfig{Mode: framework.ModeCluster, Addrs: cluster.Addrs()}}
	connect := func(noTransfer bool) *framework.Client {
		cfg.NoTransfer = noTransfer
		c, err := framework.Open(t.Context(), cfg, framework.WithNameMapper(
			func(name string) string { return "prod:" + strings.ToLower(name) },
			func(raw string) string { return strings.ToUpper(strings.TrimPrefix(raw, "prod:")) },
		))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	service := connect(false)
	q := registry.Define[webOrder]("ORDERS", "", registry.Codec(jackson.JsonJackson()), registry.Partitions(8), registry.MaxAttempts(1))
	bound := framework.Bind(service, q)
	for i := range 24 {
		if _, err := bound.Offer(t.Context(), webOrder{ID: fmt.Sprintf("north-%d", i)}, time.Hour); err != nil {
			t.Fatal(err)
		}
		if err := bound.Push(t.Context(), webOrder{ID: fmt.Sprintf("dead-%d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	engine, err := framework.New(service, []framework.Consumer{framework.Consume(q, handlers.Func[webOrder](func(context.Context, *handlers.Delivery[webOrder]) error {
		return errors.New("no stock")
	}), framework.Breaker(framework.BreakerConfig{Disabled: true}))})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	lab.Wait(t, func() string {
		c, err := bound.Counts(t.Context())
		if err == nil && c.Dead == 24 && c.InFlight+c.Ready == 0 {
			return ""
		}
		return fmt.Sprintf("%+v, %v", c, err)
	})

	// Nothing is declared to the console.
	console := start(t, connect(true), Options{Writable: true, Authorize: as(User{Name: "ann", Role: RoleAdmin}), Payloads: PayloadOptions{Visible: []string{"orderId"}, SearchFields: []string{"orderId"}}})
	until(t, console, "/", ">ORDERS<")
	for path, words := range map[string][]string{
		"/queue?q=ORDERS":                  {"Falls due", "ORDERS:{ORDERS.7."},
		"/pending?q=ORDERS":                {"1 to 24 of 24", "Order"},
		"/ready?q=ORDERS":                  {"ORDERS"},
		"/inflight?q=ORDERS":               {"ORDERS"},
		"/dead?q=ORDERS":                   {"no stock", "24"},
		"/processes?q=ORDERS":              {"ORDERS"},
		"/search?q=ORDERS&text=north-7":    {"1 message found"},
		"/audit":                           {"Audit"},
		"/pending?q=ORDERS&text=north":     {"24 messages among the 24"},
		"/dead?q=ORDERS&reasons=exhausted": {"no stock"},
	} {
		status, body := get(t, console, path)
		if status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
		wants(t, path, body, words, []string{"prod:", "CROSSSLOT", "MOVED"})
	}

	form := url.Values{"q": {"ORDERS"}, "reason": {"storm"}, "text": {"north"}, "more": {"1h"}, "rate": {"10000"}}
	if status, body := post(t, console, "/pending/reschedule-all", form); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	until(t, console, "/pending?q=ORDERS", "<b>reschedule</b> 24 so far")
	for m, err := range bound.Pending().All(t.Context()) {
		if err != nil || time.Until(m.Due) < 90*time.Minute {
			t.Errorf("%s is due at %v, %v", m.Payload.ID, m.Due, err)
		}
	}
	if status, body := post(t, console, "/queue/pause", url.Values{"q": {"ORDERS"}, "reason": {"stock"}}); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	lab.WaitFor(t, "the engine is not paused", func() bool { return engine.Health().Queues[0].Paused != nil })
	if status, body := post(t, console, "/dead/redrive-all", url.Values{"q": {"ORDERS"}, "reason": {"stock is back"}, "reasons": {"exhausted"}, "rate": {"10000"}}); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	until(t, console, "/dead?q=ORDERS", "24 so far")
	if c, err := bound.Counts(t.Context()); err != nil || c.Ready != 24 || c.Dead != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	until(t, console, "/audit", "stock is back")
	if err := engine.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
