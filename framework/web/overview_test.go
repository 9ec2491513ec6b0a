package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[any]string{0: "0", 1234: "1234", int64(12345): "12\u202f345", -1234567: "-1\u202f234\u202f567", 12345.5: "12\u202f345.5"} {
		if got := count(n); got != want {
			t.Errorf("%v: %q, not %q", n, got, want)
		}
	}
}

// The text of the last error may name what is in a message: who may only look sees its type.
func TestLastErrorIsForSupport(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	k := wire.KeysOf("ORDERS")
	record := fmt.Sprintf(`%016d%010d%010d{"host":"h","pid":7,"workers":8,"usable":8,"intake":"closed","reason":"breaker","error":"order 4711 of ann","error_kind":"*shop.Error"}`,
		queuetest.NowMs(t, srv.Client()), 3_600_000, 3_600_000)
	if err := srv.Client().HSet(t.Context(), k.Processes, "p", record).Err(); err != nil {
		t.Fatal(err)
	}
	for role, sees := range map[Role]bool{RoleLook: false, RoleSupport: true} {
		_, body := get(t, start(t, c, Options{History: -1, Authorize: as(User{Name: "ann", Role: role})}), "/queue?q=ORDERS")
		if !strings.Contains(body, "their breaker is open: *shop.Error") || strings.Contains(body, "order 4711") != sees || !strings.Contains(body, "duequeue ps ORDERS") {
			t.Errorf("%v: %s", role, body)
		}
	}
}

// Users with different rights who search for one text each read their own queues, and no others.
func TestSearchesForNamesAreNotShared(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	console := start(t, openOn(t, srv), Options{OnlyDeclared: true, History: -1})
	for _, user := range []string{"ann", "ben", "ann"} {
		own := user + "_ORDERS"
		srv.Client().RPush(t.Context(), own, "x")
		may := func(queue string) Role {
			if queue == own {
				return RoleLook
			}
			return RoleNone
		}
		r := &request{Request: httptest.NewRequest(http.MethodGet, "/?find=orders", nil), console: console, path: "/", user: User{Name: user, On: may}}
		k := known{Unread: []string{"ann_ORDERS", "ben_ORDERS"}}
		if err := console.matching(r, &k, "orders"); err != nil {
			t.Fatal(err)
		}
		if len(k.Queues) != 1 || k.Queues[0].Queue != own || k.Queues[0].Ready != 1 {
			t.Errorf("%s sees %+v", user, k.Queues)
		}
	}
}
