package web

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// What the console cancels, one message or many, is found in the journal by the declared fields, also
// by a console that knows no declaration: there they are those of the service's records.
func TestConsoleWritesFieldsIntoTheJournal(t *testing.T) {
	t.Parallel()
	for what, known := range map[string]bool{"declared": true, "not declared": false} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			srv := lab.StartRedis(t)
			c := openOn(t, srv)
			q := registry.Define[map[string]any]("ORDERS", "", registry.Codec(jackson.JsonJackson()), registry.Journal(time.Hour, "orderId"), registry.Visible("orderId"))
			bound, ids := framework.Bind(c, q), map[string]framework.ID{}
			for _, order := range []string{"service", "one", "many"} {
				r, err := bound.Offer(t.Context(), map[string]any{"orderId": order}, time.Hour)
				if err != nil {
					t.Fatal(err)
				}
				ids[order] = r.ID
			}
			o := Options{Writable: true, Authorize: as(User{Name: "sue", Role: RoleSupport}), Payloads: PayloadOptions{Visible: []string{"orderId"}}}
			if known {
				o.Queues = []registry.Descriptor{q}
				queuetest.Must[int64](t)(journal.BookOf(q).Trim(t.Context(), srv.Client(), wire.KeysOf("ORDERS"))) // begins an empty one
				delete(ids, "service")
			} else if err := bound.Cancel(t.Context(), ids["service"]); err != nil {
				t.Fatal(err)
			}
			console := start(t, c, o)
			form := url.Values{"q": {"ORDERS"}, "reason": {"storm"}, "id": {string(ids["one"])}}
			if status, body := post(t, console, "/message/cancel", form); status != http.StatusSeeOther {
				t.Fatalf("%d %s", status, body)
			}
			form = url.Values{"q": {"ORDERS"}, "reason": {"storm"}, "text": {"many"}, "rate": {"10000"}, "confirm": {"ORDERS"}}
			if status, body := post(t, console, "/pending/cancel-all", form); status != http.StatusSeeOther {
				t.Fatalf("%d %s", status, body)
			}
			lab.WaitFor(t, "all are in the journal", func() bool {
				var found []string
				for order := range ids {
					r := queuetest.Must[admin.SearchResult](t)(admin.Search(t.Context(), c, "ORDERS", order, admin.SearchOptions{Share: 1}))
					for _, m := range r.Matches {
						if m.Place == admin.PlaceJournal && m.By == "orderId" {
							found = append(found, order)
						}
					}
				}
				slices.Sort(found)
				return len(found) == len(ids)
			})
		})
	}
}
