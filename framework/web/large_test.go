package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// What is in flight, dead, or searched is cut where it is read, and the pages say so: payloads of
// 8 MB cost neither the network nor memory.
func TestLooksAtLargePayloadsAreSmall(t *testing.T) {
	t.Parallel()
	const large, each, mostBytes = 8_000_000, 3, 5 << 20
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	q := registry.Define[webOrder]("LARGE", "", registry.Codec(jackson.JsonJackson()), registry.MaxPayload(2*large),
		registry.MaxAttempts(1), registry.Visible("orderId"), registry.SearchField("orderId"))
	bound, body := framework.Bind(c, q), strings.Repeat("x", large)
	handle := func(_ context.Context, d *handlers.Delivery[webOrder]) error {
		if d.Payload.ID == "dead" {
			return handlers.Reject("too much")
		}
		<-t.Context().Done()
		return nil
	}
	engine, err := framework.New(c, []framework.Consumer{framework.Consume(q, handlers.Func[webOrder](handle), framework.Workers(each))})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Stop(context.WithoutCancel(t.Context())) })
	for _, id := range slices.Concat(slices.Repeat([]string{"dead"}, each), slices.Repeat([]string{"held"}, each)) {
		if err := bound.Push(t.Context(), webOrder{ID: id, Email: body}); err != nil {
			t.Fatal(err)
		}
	}
	lab.WaitFor(t, "all are dead or in flight", func() bool {
		n, err := bound.Counts(t.Context())
		return err == nil && n.Dead == each && n.InFlight == each
	})
	for range each {
		if _, err := bound.Offer(t.Context(), webOrder{ID: "later", Email: body}, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	console := start(t, c, Options{OnlyDeclared: true, Queues: []registry.Descriptor{q}, History: -1})
	until(t, console, "/inflight?q=LARGE", "running")
	for path, want := range map[string][]string{
		"/inflight?q=LARGE":          {tooLarge, "8\u202f000\u202f0"},
		"/dead?q=LARGE":              {"3 of 3 letters looked at", "too much"},
		"/dead?q=LARGE&all=1":        {tooLarge, "8\u202f000\u202f0"},
		"/dead?q=LARGE&class=Order":  {"3 of them are larger than 256 KiB, and not searched for the class"},
		"/search?q=LARGE&text=later": {"3 of 3 pending (3 are larger than 256 KiB, and not searched)", "3 of 3 dead (3 are larger"},
	} {
		lab.Wait(t, func() string { // a search that a busy machine has ended early is done again
			bytes := sent(t, srv)
			status, page := get(t, console, path)
			bytes = sent(t, srv) - bytes
			t.Logf("%s: %d bytes of Redis", path, bytes)
			if status != http.StatusOK || bytes > mostBytes || strings.Contains(page, "xxxx") {
				t.Fatalf("%s: %d, %d bytes", path, status, bytes)
			}
			for _, text := range want {
				if !strings.Contains(page, text) {
					return path + " lacks " + text
				}
			}
			return ""
		})
	}
}
