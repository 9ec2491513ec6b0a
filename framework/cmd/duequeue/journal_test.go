package main

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// What the command line cancels is found in the journal by the fields by which the service's own
// records are found.
func TestCancelWritesFieldsIntoTheJournal(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, NoTransfer: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	bound := framework.Bind(client, registry.Define[map[string]any]("ORDERS", "", registry.Codec(jackson.JsonJackson()), registry.Journal(time.Hour, "orderId")))
	ids := map[string]framework.ID{}
	for _, order := range []string{"by service", "by id", "by key", "by text"} {
		r, err := bound.Offer(t.Context(), map[string]any{"orderId": order}, time.Hour, framework.Key("key "+order))
		if err != nil {
			t.Fatal(err)
		}
		ids[order] = r.ID
	}
	if err := bound.Cancel(t.Context(), ids["by service"]); err != nil { // and the journal begins
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"cancel", "ORDERS", string(ids["by id"]), "-yes"},
		{"cancel", "-codec", "jsonjackson", "-key", "ORDERS", "key by key", "-yes"},
		{"cancel", "ORDERS", "-match", "by text", "-yes"},
	} {
		if code, out, errs := called(t, args...); code != exitOK {
			t.Errorf("%q: %d, %s%s", args, code, out, errs)
		}
	}
	for order := range ids {
		found, err := admin.Search(t.Context(), client, "ORDERS", order, admin.SearchOptions{Share: 1})
		if err != nil || len(found.Matches) != 1 || found.Matches[0].By != "orderId" || found.Matches[0].Key != "key "+order {
			t.Errorf("%s: %+v, %v", order, found.Matches, err)
			continue
		}
		if r := found.Matches[0].Journal; r.Outcome != "cancelled" || r.LateKnown || r.Late != 0 {
			t.Errorf("%s: %+v", order, r)
		}
	}
}
