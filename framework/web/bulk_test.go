package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/deadletter"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Support finds the orders of a shop, Java's among them, counts them, gives them an hour more, and
// cancels them: none of the others changes, and the audit has what changed.
func TestBulkOfPending(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c, rdb, k := openOn(t, srv), srv.Client(), wire.KeysOf("ORDERS")
	q := registry.Define[webOrder]("ORDERS", "", registry.Codec(jackson.JsonJackson()), registry.Visible("orderId"), registry.SearchField("email"), registry.Partitions(2))
	bound, due := framework.Bind(c, q), time.Now().Add(time.Hour).Truncate(time.Millisecond)
	for i := range 60 {
		shop := []string{"north", "south"}[i%2]
		if _, err := bound.OfferAt(t.Context(), webOrder{ID: fmt.Sprintf("%s-%d", shop, i), Email: shop + "@example.com"}, due.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	queuetest.Put(t, rdb, k, due.UnixMilli(), queuetest.JavaNew([]byte("12345678"), []byte(`{"@class":"com.demo.Order","orderId":"north-java","email":"n@example.com"}`)))
	queuetest.Put(t, rdb, k, due.UnixMilli(), []byte("x")) // fits no layout
	o := Options{Queues: []registry.Descriptor{q}, Writable: true, Authorize: as(User{Name: "sue", Role: RoleSupport})}
	support := start(t, c, o)
	o.Authorize = as(User{Name: "leo", Role: RoleLook})
	looker := start(t, c, o)
	dues := func() map[string]time.Time {
		all := map[string]time.Time{}
		for m, err := range bound.Pending().All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			all[m.Payload.ID] = m.Due
		}
		return all
	}
	before := dues()

	_, body := get(t, support, "/pending?q=ORDERS&text=north")
	wants(t, "by text", body, []string{"31 messages among the 62 looked at", "Hidden fields are not searched for the text, but for a whole value of email", "Order orderId=north-java", "Reschedule all of these", "Count first"}, []string{"south", "n@example.com"})
	_, body = get(t, support, "/pending?q=ORDERS&text=south@example.com&within=61m")
	wants(t, "by a hidden field and time", body, []string{"30 messages among the ", "due within 1 h 1 min", "orderId=south-1"}, []string{"north", "Look further"})
	_, body = get(t, support, "/pending?q=ORDERS&text=nothing")
	wants(t, "none", body, []string{"None of these", "which are all that there are"}, nil)
	_, body = get(t, looker, "/pending?q=ORDERS&text=north")
	wants(t, "looker", body, []string{"31 messages"}, []string{"Reschedule all"})
	_, body = get(t, support, "/pending?q=ORDERS&within=soon")
	wants(t, "nonsense", body, []string{"is a length such as"}, nil)

	form := func(pairs ...string) url.Values {
		v := url.Values{"q": {"ORDERS"}, "reason": {"storm"}, "text": {"north"}, "rate": {"10000"}}
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		return v
	}
	for what, row := range map[string]struct {
		console *Console
		path    string
		form    url.Values
		status  int
	}{
		"reschedule as a looker":     {looker, "/pending/reschedule-all", form("more", "1h"), http.StatusForbidden},
		"reschedule without why":     {support, "/pending/reschedule-all", form("more", "1h", "reason", ""), http.StatusUnprocessableEntity},
		"reschedule of all":          {support, "/pending/reschedule-all", form("more", "1h", "text", "", "within", "2h"), http.StatusBadRequest},
		"more of nothing":            {support, "/pending/reschedule-all", form(), http.StatusUnprocessableEntity},
		"no rate":                    {support, "/pending/reschedule-all", form("more", "1h", "rate", "-1"), http.StatusUnprocessableEntity},
		"cancel without the name":    {support, "/pending/cancel-all", form(), http.StatusUnprocessableEntity},
		"cancel as a looker, to try": {looker, "/pending/cancel-all", form("dry", "1"), http.StatusForbidden},
		"stop of none":               {support, "/pending/stop", form("run", "1"), http.StatusConflict},
	} {
		if status, body := post(t, row.console, row.path, row.form); status != row.status {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	audited := len(audits(t, c))
	for _, path := range []string{"/pending/reschedule-all", "/pending/cancel-all"} {
		if status, body := post(t, support, path, form("dry", "1", "more", "1h", "reason", "")); status != http.StatusSeeOther {
			t.Fatalf("%d %s", status, body)
		}
	}
	until(t, support, "/pending?q=ORDERS", "<b>reschedule</b> would change 31")
	until(t, support, "/pending?q=ORDERS", "<b>cancel</b> would change 31")
	if got := audits(t, c); len(got) != audited || fmt.Sprint(dues()) != fmt.Sprint(before) {
		t.Errorf("trying changed something: %q", got)
	}

	if status, body := post(t, support, "/pending/reschedule-all", form("more", "1h")); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	until(t, support, "/pending?q=ORDERS", "<b>reschedule</b> 31 so far")
	until(t, support, "/pending?q=ORDERS", `storm</span>`)
	after := dues()
	for id, was := range before {
		want := was
		if strings.HasPrefix(id, "north") {
			want = was.Add(time.Hour)
		}
		if !after[id].Equal(want) {
			t.Errorf("%q is due at %v, want %v", id, after[id], want)
		}
	}
	if status, body := post(t, support, "/pending/cancel-all", form("confirm", "ORDERS")); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	until(t, support, "/pending?q=ORDERS", "<b>cancel</b> 31 so far")
	for id := range dues() {
		if strings.HasPrefix(id, "north") {
			t.Errorf("%s is pending", id)
		}
	}
	lab.WaitFor(t, "the audit has no end", func() bool { // it is written behind the last change
		return len(audits(t, c)) >= audited+2 && !strings.Contains(strings.Join(audits(t, c), ""), ": , failed")
	})
	if got := audits(t, c); len(dues()) != 31 || got[0] != "sue (support) cancel ORDERS [rate 10000, text north] because storm: 31 cancelled, failed false" {
		t.Errorf("%d left, %q", len(dues()), got)
	}
}

// A slow change of pending messages is stopped on its own page alone.
func TestBulkStops(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	q := registry.Define[webOrder]("TEXTS", "", registry.Codec(jackson.JsonJackson()))
	for range 3 {
		if _, err := framework.Bind(c, q).Offer(t.Context(), webOrder{ID: "W1"}, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	console := start(t, c, Options{Queues: []registry.Descriptor{q}, Writable: true})
	form := url.Values{"q": {"TEXTS"}, "reason": {"x"}, "text": {"Order"}, "rate": {"0.001"}, "confirm": {"TEXTS"}}
	if status, body := post(t, console, "/pending/cancel-all", form); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	until(t, console, "/pending?q=TEXTS", "<b>cancel</b> 1 so far")
	form.Set("run", runOn(t, console, "/pending?q=TEXTS"))
	if _, body := get(t, console, "/dead?q=TEXTS"); strings.Contains(body, "<b>cancel</b>") {
		t.Error("the dead letters show it")
	}
	if status, body := post(t, console, "/dead/stop", form); status != http.StatusConflict {
		t.Errorf("%d %s", status, body)
	}
	if status, body := post(t, console, "/pending/stop", form); status != http.StatusSeeOther {
		t.Errorf("%d %s", status, body)
	}
	until(t, console, "/pending?q=TEXTS", `<span class="pill warn">stopped</span>`)
	if n, err := framework.Bind(c, q).Counts(t.Context()); err != nil || n.Delayed != 2 {
		t.Errorf("%+v %v", n, err)
	}
}

// A change goes on where its console was killed, or stopped: another console shows it as unfinished
// and moves the rest, and none twice.
func TestBulkGoesOn(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	proxy := lab.StartProxy(t, srv.Addr())
	rdb, k := srv.Client(), wire.KeysOf("TEXTS")
	first, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: proxy.URL()}, NoTransfer: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Close() })
	c := openOn(t, srv)
	q := registry.Define[webOrder]("TEXTS", "", registry.Codec(jackson.JsonJackson()))
	bound, due := framework.Bind(c, q), time.Now().Add(time.Hour).Truncate(time.Millisecond)
	for i := range 6 {
		if _, err := bound.OfferAt(t.Context(), webOrder{ID: "W1"}, due.Add(time.Duration(i)*10*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Queues: []registry.Descriptor{q}, Writable: true, OnlyDeclared: true, History: -1}
	killed, console := start(t, first, o), start(t, c, o)
	const page = "/pending?q=TEXTS"
	form := url.Values{"q": {"TEXTS"}, "reason": {"x"}, "text": {"Order"}, "rate": {"0.5"}, "more": {"15m"}, "within": {"105m"}}
	if status, body := post(t, killed, "/pending/reschedule-all", form); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	until(t, killed, page, "<b>reschedule</b> 2 so far")
	proxy.Cut() // it never reaches Redis again
	id := rdb.HKeys(t.Context(), k.Changes).Val()[0]
	if _, body := get(t, console, page); !strings.Contains(body, "under way") || strings.Contains(body, "Go on") {
		t.Error("what was saved just now is not under way")
	}
	if status, _ := post(t, console, "/pending/go-on", url.Values{"q": {"TEXTS"}, "run": {id}, "reason": {"x"}}); status != http.StatusConflict {
		t.Errorf("it goes on next to the first one: %d", status)
	}
	parts := strings.SplitN(rdb.HGet(t.Context(), k.Changes, id).Val(), " ", 3)
	rdb.HSet(t.Context(), k.Changes, id, parts[0]+" 1 "+parts[2]) // a minute and more later
	until(t, console, page, "unfinished")
	if status, body := post(t, console, "/pending/go-on", url.Values{"q": {"TEXTS"}, "run": {id}, "reason": {"the console was killed"}}); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	until(t, console, page, "<b>reschedule</b> 3 so far")
	if status, body := post(t, console, "/pending/stop", url.Values{"q": {"TEXTS"}, "run": {id}, "reason": {"x"}}); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	until(t, console, page, "Go on")
	if status, body := post(t, console, "/pending/go-on", url.Values{"q": {"TEXTS"}, "run": {id}, "reason": {"on"}}); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, body)
	}
	until(t, console, page, `<span class="pill good">done</span>`)
	i := 0
	for m, err := range bound.Pending().All(t.Context()) {
		got := m.Due.Sub(due) // 15 min later than it was, but for the last, which is due too late for the form
		if err != nil || got%(10*time.Minute) != 5*time.Minute && got != 50*time.Minute || got > 55*time.Minute {
			t.Errorf("%v is due after %v; %v", m.ID, got, err)
		}
		i++
	}
	if left := rdb.HLen(t.Context(), k.Changes).Val(); left != 0 || i != 6 {
		t.Errorf("%d are remembered, %d pending", left, i)
	}
}

// An export has whole payloads, so that it takes a role, a reason and the audit. What would be
// changed is counted first.
func TestDeadExport(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c, rdb, k := openOn(t, srv), srv.Client(), wire.KeysOf("DEAD")
	bury(t, rdb, k)
	o := Options{Authorize: as(User{Name: "sue", Role: RoleSupport})}
	support := start(t, c, o) // it only looks
	o.Authorize = as(User{Name: "leo", Role: RoleLook})
	looker := start(t, c, o)
	some := url.Values{"q": {"DEAD"}, "reasons": {"rejected"}, "reason": {"ticket 9"}}
	status, body := post(t, support, "/dead/export", some)
	lines := strings.Split(strings.TrimSpace(body), "\n")
	var first deadletter.Line
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || status != http.StatusOK || len(lines) != 10 {
		t.Fatalf("%d, %d lines, %v: %s", status, len(lines), err, body)
	}
	if first.Queue != "DEAD" || first.Reason != "rejected" || !strings.Contains(string(first.Payload), `"orderId":"W30"`) {
		t.Errorf("%+v", first)
	}
	status, body = post(t, support, "/dead/export", url.Values{"q": {"DEAD"}, "entry": {first.Entry}, "reason": {"ticket 9"}})
	if status != http.StatusOK || strings.Count(body, "\n") != 1 {
		t.Errorf("one: %d %s", status, body)
	}
	if got := audits(t, c); len(got) != 2 || got[1] != "sue (support) export DEAD [reasons rejected] because ticket 9: 10 exported, failed false" {
		t.Errorf("%q", got)
	}
	for what, row := range map[string]struct {
		console *Console
		form    url.Values
		status  int
	}{
		"as a looker":    {looker, some, http.StatusForbidden},
		"without why":    {support, url.Values{"q": {"DEAD"}, "all": {"1"}}, http.StatusUnprocessableEntity},
		"of nothing":     {support, url.Values{"q": {"DEAD"}, "reason": {"x"}}, http.StatusBadRequest},
		"of no queue":    {support, url.Values{"reason": {"x"}}, http.StatusBadRequest},
		"no such letter": {support, url.Values{"q": {"DEAD"}, "entry": {"1-1"}, "reason": {"x"}}, http.StatusNotFound},
	} {
		if status, body := post(t, row.console, "/dead/export", row.form); status != row.status || strings.Contains(body, "W30") {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	if status, body := get(t, support, "/dead/export?q=DEAD&all=1&reason=x"); status != http.StatusBadRequest || strings.Contains(body, "W30") {
		t.Errorf("by a link: %d %s", status, body)
	}

	o.Writable, o.Authorize = true, as(User{Name: "ann", Role: RoleAdmin})
	admin, before := start(t, c, o), len(audits(t, c))
	try := url.Values{"q": {"DEAD"}, "reasons": {"rejected"}, "dry": {"1"}, "limit": {""}}
	for _, path := range []string{"/dead/redrive-all", "/dead/drop-all"} {
		if status, body := post(t, admin, path, try); status != http.StatusSeeOther {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	until(t, admin, "/dead?q=DEAD", "<b>redrive</b> would change 10")
	until(t, admin, "/dead?q=DEAD", "<b>drop</b> would change 10")
	if n := rdb.XLen(t.Context(), k.Dead).Val(); n != 40 || len(audits(t, c)) != before {
		t.Errorf("%d dead, %d more in the audit", n, len(audits(t, c))-before)
	}
	rdb.Del(t.Context(), wire.AuditKey)
	rdb.Set(t.Context(), wire.AuditKey, "text", 0)
	rdb.Del(t.Context(), wire.ShownKey)
	rdb.Set(t.Context(), wire.ShownKey, "text", 0)
	if status, body := post(t, admin, "/dead/export", some); status != http.StatusServiceUnavailable || strings.Contains(body, "W30") {
		t.Errorf("without an audit: %d %s", status, body)
	}
}
