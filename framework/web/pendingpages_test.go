package web

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/words"
	"github.com/duequeue/duequeue/registry"
)

var (
	shownOrder = regexp.MustCompile(`orderId=(W\d+)`)
	behind     = regexp.MustCompile(`<a href="([^"]+)">Those behind</a>`)
)

// A person who goes from page to page of a list that changes at the same time sees each message that stays
// exactly once, in one partition and in several, with a filter and without.
func TestPendingPagesSkipNothing(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 3} {
		for _, filter := range []string{"", "&text=orderId"} {
			t.Run(fmt.Sprint(n, " partitions", filter), func(t *testing.T) {
				t.Parallel()
				c := openOn(t, lab.StartRedis(t))
				q := registry.Define[webOrder]("ORDERS", "", registry.Codec(jackson.JsonJackson()), registry.Visible("orderId"), registry.Partitions(n))
				bound := framework.Bind(c, q)
				due, stays, first := time.Now().Add(time.Hour).Truncate(time.Second), map[string]int{}, []framework.ID{}
				offer := func(id string, at time.Time) framework.ID {
					t.Helper()
					r, err := bound.OfferAt(t.Context(), webOrder{ID: id}, at)
					if err != nil {
						t.Fatal(err)
					}
					return r.ID
				}
				for i := range 130 { // many fall due at the same time
					id, at := fmt.Sprint("W", 1000+i), due.Add(time.Duration(i/40)*time.Second)
					if made := offer(id, at); i < 30 {
						first = append(first, made)
					} else {
						stays[id] = 0
					}
				}
				console := start(t, c, Options{Queues: []registry.Descriptor{q}})
				seen := map[string]int{}
				pages := 0
				for path := "/pending?q=ORDERS" + filter; path != ""; pages++ {
					status, body := get(t, console, path)
					if status != http.StatusOK {
						t.Fatalf("GET %s: %d", path, status)
					}
					for _, m := range shownOrder.FindAllStringSubmatch(body, -1) {
						seen[m[1]]++
					}
					switch pages {
					case 0: // those in front fall due
						for _, id := range first {
							if err := bound.Cancel(t.Context(), id); err != nil {
								t.Fatal(err)
							}
						}
					case 1: // and others come
						for i := range 70 {
							offer(fmt.Sprint("W", 2000+i), due.Add(-time.Minute))
						}
					}
					path = ""
					if next := behind.FindStringSubmatch(body); next != nil {
						path = html.UnescapeString(next[1])
					}
				}
				for id := range stays {
					if seen[id] != 1 {
						t.Errorf("%s was seen %d times", id, seen[id])
					}
				}
				if pages < 3 || pages > 6 {
					t.Errorf("%d pages", pages)
				}
			})
		}
	}
}

// A place that no page has given leads nowhere.
func TestForgedPlace(t *testing.T) {
	t.Parallel()
	c := openOn(t, lab.StartRedis(t))
	if err := framework.Bind(c, registry.Define[string]("ORDERS", "")).Push(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	console := start(t, c, Options{})
	for _, place := range []string{"x", "bnVsbA", "eyJTY29yZSI6InppZXAifQ", "eyJTY29yZSI6IjEiLCJQYXJ0aXRpb24iOjl9", strings.Repeat("e", 5000), words.Cursor(map[string]any{"Score": strings.Repeat("0", 5000) + "1"}), words.Cursor(map[string]any{"Score": "0x_1p4"})} {
		for _, filter := range []string{"", "&text=x"} {
			if status, body := get(t, console, "/pending?q=ORDERS&after="+place+filter); status != http.StatusBadRequest || !strings.Contains(body, "begin again") {
				t.Errorf("%s%s: %d", place, filter, status)
			}
		}
	}
}
