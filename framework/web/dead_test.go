package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// bury puts letters of two causes into a dead store, the later one since a minute.
func bury(t *testing.T, rdb *redis.Client, k wire.Keys) {
	t.Helper()
	now := time.Now().UnixMilli()
	trace := string(unhex(t, "0af7651916cd43dd8448eb211c80319cb7ad6b716920333101"))
	for i := range 40 {
		at, reason, detail, body := now-7_200_000+int64(i), "exhausted", fmt.Sprintf("dial tcp 10.0.0.%d:5432: refused", i), string(unhex(t, javaMoney))
		if i >= 30 {
			at, reason, detail = now-60_000+int64(i), "rejected", fmt.Sprintf("no order %q", fmt.Sprint("<W", i))
			body = fmt.Sprintf(`{"@class":"com.demo.Order","orderId":"W%d","email":"secret"}`, i)
		}
		if err := rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: k.Dead, ID: fmt.Sprintf("%d-0", at), Values: []string{
			"body", body, "reason", reason, "detail", detail, "digest", "d", "at", fmt.Sprint(at), "delivered", "4", "failed", "3", "trace", trace,
		}}).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

var groupLink = regexp.MustCompile(`group=([0-9a-f]{16})`)

// until looks at a page until it has a text.
func until(t *testing.T, console *Console, path, text string) (body string) {
	t.Helper()
	lab.WaitFor(t, fmt.Sprintf("no %q in %s", text, path), func() bool {
		_, body = get(t, console, path)
		return strings.Contains(body, text)
	})
	return body
}

// runOn returns the ID of the run that a page shows.
func runOn(t *testing.T, console *Console, path string) string {
	t.Helper()
	body := until(t, console, path, `name="run" value="`)
	_, rest, _ := strings.Cut(body, `name="run" value="`)
	return rest[:8]
}

// A developer sees which deploy broke what, puts five letters of a cause back, then all of them.
func TestDeadPage(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c, rdb, k := openOn(t, srv), srv.Client(), wire.KeysOf("DEAD")
	bury(t, rdb, k)
	o := Options{Writable: true, Payloads: PayloadOptions{Visible: []string{"orderId"}}, Authorize: as(User{Name: "dev", Role: RoleOperate})}
	console := start(t, c, o)
	_, body := get(t, console, "/dead?q=DEAD&since=1h")
	wants(t, "groups", body, []string{"2 groups, 40 of 40", "dial tcp ADDRESS: refused", "no order TEXT", "exhausted, demo.Money", "rejected, com.demo.Order", `<span class="pill bad">new</span>`}, []string{"secret", "1999"})
	if strings.Count(body, `<span class="pill bad">new</span>`) != 1 {
		t.Error("both groups are new")
	}
	group := groupLink.FindStringSubmatch(body)[1] // the newest first
	path := "/dead?q=DEAD&group=" + group
	_, body = get(t, console, path)
	wants(t, "group", body, []string{"no order TEXT", "Order orderId=W30", "no order &#34;&lt;W30&#34;", "Put back"}, []string{"secret", "Money", "Delete for good"})

	form := url.Values{"q": {"DEAD"}, "group": {group}, "reason": {"repaired"}, "rate": {"1000"}, "limit": {"5"}}
	if status, body := post(t, console, "/dead/redrive-all", form); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	body = until(t, console, "/dead?q=DEAD", `<span class="pill good">done</span>`)
	wants(t, "five", body, []string{"<b>redrive</b> 5 so far", "by dev", "repaired"}, nil)
	if n, ready := rdb.XLen(t.Context(), k.Dead).Val(), rdb.LLen(t.Context(), k.Queue).Val(); n != 35 || ready != 5 {
		t.Errorf("%d dead, %d ready", n, ready)
	}
	if got := audits(t, c); len(got) != 1 || !strings.Contains(got[0], "dev (operate) redrive DEAD [group "+group+", limit 5, rate 1000] because repaired: 5 redriven, 30 left, 5 more match (-limit), failed false") {
		t.Errorf("%q", got)
	}

	// The rest is slow, is stopped and goes on later.
	form.Set("rate", "0.001")
	form.Set("limit", "")
	if status, body := post(t, console, "/dead/redrive-all", form); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	run := runOn(t, console, "/dead?q=DEAD")
	if status, body := post(t, console, "/dead/stop", url.Values{"q": {"OTHER"}, "run": {run}, "reason": {"x"}}); status != http.StatusConflict {
		t.Errorf("of another queue: %d %s", status, body)
	}
	if status, body := post(t, console, "/dead/stop", url.Values{"q": {"DEAD"}, "run": {run}, "reason": {"it dies again"}}); status != http.StatusSeeOther {
		t.Errorf("%d %s", status, body)
	}
	until(t, console, "/dead?q=DEAD", `<span class="pill warn">stopped</span>`)
	if n := rdb.XLen(t.Context(), k.Dead).Val(); n < 30 || n > 35 {
		t.Errorf("%d dead", n)
	}
	form.Set("rate", "1000")
	if status, body := post(t, console, "/dead/redrive-all", form); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	lab.WaitFor(t, "the rest is not put back", func() bool { return rdb.XLen(t.Context(), k.Dead).Val() == 30 })
}

// Who may not is refused by the server; one letter shows all that is known; what is deleted needs
// the name of the queue.
func TestDeadActions(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c, rdb, k := openOn(t, srv), srv.Client(), wire.KeysOf("DEAD")
	bury(t, rdb, k)
	ids := rdb.XRange(t.Context(), k.Dead, "-", "+").Val()
	first, last := ids[0].ID, ids[39].ID
	o := Options{Writable: true, Payloads: PayloadOptions{Visible: []string{"orderId"}}}
	console := func(role Role) *Console {
		o.Authorize = as(User{Name: role.String(), Role: role})
		return start(t, c, o)
	}
	look, support, operate, all := console(RoleLook), console(RoleSupport), console(RoleOperate), console(RoleAdmin)

	_, body := get(t, look, "/dead/entry?q=DEAD&entry="+last)
	wants(t, "entry", body, []string{"Order orderId=W39", "rejected: no order", "0af7651916cd43dd8448eb211c80319c", "hidden"}, []string{"secret", "Put back", "Show hidden"})
	_, body = get(t, look, "/dead/entry?q=DEAD&entry=1-1")
	wants(t, "no entry", body, []string{"no such dead letter"}, nil)
	_, body = get(t, look, "/dead?q=DEAD&text=W39")
	wants(t, "by text", body, []string{"text &#34;W39&#34;", "Order orderId=W39", "40 letters were"}, []string{"W38"})
	_, body = get(t, look, "/dead?q=DEAD&class=demo.Money&reasons=rejected")
	wants(t, "of nothing", body, []string{"None among 40 dead letters"}, nil)
	_, body = get(t, look, "/dead?q=DEAD&group=0000000000000000")
	wants(t, "no group", body, []string{"no such group"}, nil)

	one := url.Values{"q": {"DEAD"}, "entry": {last}, "reason": {"ticket 9"}}
	some := url.Values{"q": {"DEAD"}, "text": {"refused"}, "reason": {"ticket 9"}}
	named := url.Values{"q": {"DEAD"}, "text": {"refused"}, "reason": {"ticket 9"}, "confirm": {"DEAD"}}
	for what, row := range map[string]struct {
		console *Console
		path    string
		form    url.Values
		status  int
	}{
		"reveal as a looker":     {look, "/dead/entry", one, http.StatusForbidden},
		"redrive as support":     {support, "/dead/redrive", one, http.StatusForbidden},
		"redrive all as support": {support, "/dead/redrive-all", some, http.StatusForbidden},
		"drop as operator":       {operate, "/dead/drop", one, http.StatusForbidden},
		"drop all as operator":   {operate, "/dead/drop-all", named, http.StatusForbidden},
		"drop all without name":  {all, "/dead/drop-all", some, http.StatusUnprocessableEntity},
		"redrive all of nothing": {operate, "/dead/redrive-all", url.Values{"q": {"DEAD"}, "reason": {"x"}}, http.StatusBadRequest},
		"redrive at no rate":     {operate, "/dead/redrive-all", url.Values{"q": {"DEAD"}, "all": {"1"}, "reason": {"x"}, "rate": {"NaN"}}, http.StatusUnprocessableEntity},
		"no such letter":         {operate, "/dead/redrive", url.Values{"q": {"DEAD"}, "entry": {"1-1"}, "reason": {"x"}}, http.StatusNotFound},
	} {
		if status, body := post(t, row.console, row.path, row.form); status != row.status || strings.Contains(body, "secret") {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	if n := rdb.XLen(t.Context(), k.Dead).Val(); n != 40 {
		t.Fatalf("%d dead", n)
	}
	_, body = post(t, support, "/dead/entry", one)
	wants(t, "revealed", body, []string{"secret", "the audit has it"}, nil)
	if got := audits(t, c); !strings.HasPrefix(got[0], "support (support) show hidden fields DEAD [entry "+last+"] because ticket 9") {
		t.Errorf("%q", got)
	}
	if status, body := post(t, operate, "/dead/redrive", one); status != http.StatusSeeOther {
		t.Errorf("%d %s", status, body)
	}
	one.Set("entry", first)
	if status, body := post(t, all, "/dead/drop", one); status != http.StatusSeeOther {
		t.Errorf("%d %s", status, body)
	}
	if status, body := post(t, all, "/dead/drop-all", named); status != http.StatusSeeOther {
		t.Errorf("%d %s", status, body)
	}
	until(t, all, "/dead?q=DEAD", "<b>drop</b> 29 so far")
	if n, ready := rdb.XLen(t.Context(), k.Dead).Val(), rdb.LLen(t.Context(), k.Queue).Val(); n != 9 || ready != 1 {
		t.Errorf("%d dead, %d ready", n, ready)
	}

	srv.Client().Del(t.Context(), wire.AuditKey)
	srv.Client().Set(t.Context(), wire.AuditKey, "text", 0)
	named.Set("text", "order")
	if status, body := post(t, all, "/dead/drop-all", named); status != http.StatusServiceUnavailable || !strings.Contains(body, "audit cannot be written") {
		t.Errorf("%d %s", status, body)
	}
	if n := rdb.XLen(t.Context(), k.Dead).Val(); n != 9 {
		t.Errorf("%d dead", n)
	}
}
