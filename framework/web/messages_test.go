package web

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// openOn opens a client of a server that the test has to itself: the audit is one of all queues.
func openOn(t *testing.T, srv *lab.Server) *framework.Client {
	t.Helper()
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, NoTransfer: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func audits(t *testing.T, c *framework.Client) (lines []string) {
	t.Helper()
	found, _, err := admin.AuditTrail(t.Context(), c, admin.AuditOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range found {
		lines = append(lines, fmt.Sprintf("%s (%s) %s %s [%s] because %s: %s, failed %v", a.Who, a.Role, a.Action.Action, a.Queue, a.Target, a.Reason, a.Result, a.Failed))
	}
	return lines
}

// What is pending, Java's too, is shown in pages, the soonest first, without hidden values.
func TestPendingPage(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c, rdb := openOn(t, srv), srv.Client()
	k, due := wire.KeysOf("PENDING"), time.Now().Add(time.Hour)
	queuetest.Put(t, rdb, k, due.UnixMilli(), queuetest.JavaNew([]byte("12345678"), unhex(t, javaMoney)))
	queuetest.Put(t, rdb, k, due.Add(-2*time.Hour).UnixMilli(), []byte("x"))
	for i := range 60 {
		queuetest.Put(t, rdb, k, due.Add(time.Hour).UnixMilli()+int64(i), wire.Pack(wire.NewIDs().Next(), fmt.Appendf(nil, `{"@class":"com.demo.Order","orderId":"W%d","email":"secret"}`, i)))
	}
	console := start(t, c, Options{Payloads: PayloadOptions{Visible: []string{"orderId"}}})
	_, body := get(t, console, "/pending?q=PENDING")
	wants(t, "first", body, []string{"1 to 50 of 62", ">Money<", "Order orderId=W0", "overdue", "bad-text", "Those behind"}, []string{"secret", "1999", "Those before"})
	_, body = get(t, console, html.UnescapeString(behind.FindStringSubmatch(body)[1]))
	wants(t, "second", body, []string{"12 further of 62", "Order orderId=W59", "The first ones"}, []string{"secret", "Those behind"})
	rdb.RPush(t.Context(), "EMPTY", "ready")
	_, body = get(t, console, "/pending?q=EMPTY")
	wants(t, "empty", body, []string{"No message is pending"}, nil)

	rdb.RPush(t.Context(), k.Queue, unhex(t, javaMoney), "\x00<script>")
	_, body = get(t, console, "/ready?q=PENDING")
	wants(t, "ready", body, []string{"1 to 2 of 2", "Money", "hidden", "Read as marshalling"}, []string{"1999", "<script>"})
	_, body = get(t, console, "/ready?q=PENDING&from=-5")
	wants(t, "nonsense", body, []string{"1 to 2 of 2"}, nil)
	_, body = get(t, console, "/inflight?q=PENDING")
	wants(t, "in flight", body, []string{"No message is", "No handler runs"}, nil)
}

// Support gives an order an hour more, then cancels it; who may not is refused by the server, and
// hidden fields are shown to those who say why.
func TestMessagePage(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	q := registry.Define[webOrder]("ORDERS", "", registry.Codec(jackson.JsonJackson()), registry.Visible("orderId"))
	r, err := framework.Bind(c, q).Offer(t.Context(), webOrder{ID: "W1", Email: "ann@example.com"}, time.Hour, framework.Key("order W1"))
	if err != nil {
		t.Fatal(err)
	}
	id := string(r.ID)
	o := Options{Queues: []registry.Descriptor{q}, Writable: true, Authorize: as(User{Name: "sue", Role: RoleSupport})}
	support := start(t, c, o)
	o.Authorize = as(User{Name: "leo", Role: RoleLook})
	looker := start(t, c, o)
	o.Authorize, o.Writable = as(User{Name: "sue", Role: RoleSupport}), false
	readOnly := start(t, c, o)

	path := "/message?q=ORDERS&id=" + id
	_, body := get(t, support, path)
	wants(t, "detail", body, []string{"Order orderId=W1", "order W1", id, "hidden", "Cancel this message", "Show hidden fields"}, []string{"ann@example.com"})
	_, body = get(t, looker, path)
	wants(t, "looker", body, []string{"Order orderId=W1"}, []string{"ann@example.com", "Cancel this message", "Show hidden fields"})
	_, body = get(t, support, "/message?q=ORDERS&id=nonsense")
	wants(t, "nonsense", body, []string{"no ID of a message"}, nil)
	_, body = get(t, support, "/message?q=ORDERS")
	wants(t, "no ID", body, []string{"needs a queue and an ID"}, nil)

	form := url.Values{"q": {"ORDERS"}, "id": {id}, "reason": {"ticket 7"}}
	for what, row := range map[string]struct {
		console *Console
		path    string
		form    url.Values
		status  int
	}{
		"reveal as a looker":   {looker, "/message", form, http.StatusForbidden},
		"reveal without why":   {support, "/message", url.Values{"q": {"ORDERS"}, "id": {id}, "reason": {" "}}, http.StatusUnprocessableEntity},
		"cancel as a looker":   {looker, "/message/cancel", form, http.StatusForbidden},
		"cancel read-only":     {readOnly, "/message/cancel", form, http.StatusForbidden},
		"cancel without why":   {support, "/message/cancel", url.Values{"q": {"ORDERS"}, "id": {id}}, http.StatusUnprocessableEntity},
		"cancel without an ID": {support, "/message/cancel", url.Values{"q": {"ORDERS"}, "id": {"x"}, "reason": {"y"}}, http.StatusBadRequest},
		"more of nothing":      {support, "/message/reschedule", form, http.StatusUnprocessableEntity},
	} {
		if status, body := post(t, row.console, row.path, row.form); status != row.status || strings.Contains(body, "ann@example.com") {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	if n, err := framework.Bind(c, q).Counts(t.Context()); err != nil || n.Delayed != 1 {
		t.Fatalf("%+v %v", n, err)
	}
	before := len(audits(t, c))
	status, body := post(t, readOnly, "/message", form)
	wants(t, "revealed", body, []string{"ann@example.com", "the audit has it"}, nil)
	if got := audits(t, c); status != http.StatusOK || len(got) != before+1 || got[0] != "sue (support) show hidden fields ORDERS [id "+id+"] because ticket 7: , failed false" {
		t.Errorf("%d %q", status, got)
	}

	more := url.Values{"q": {"ORDERS"}, "id": {id}, "reason": {"customer pays"}, "more": {"1h"}}
	if status, body := post(t, support, "/message/reschedule", more); status != http.StatusSeeOther {
		t.Errorf("%d %s", status, body)
	}
	m, err := framework.Bind(c, q).Pending().Get(t.Context(), r.ID)
	if err != nil || !m.Due.Equal(r.Due.Add(time.Hour)) {
		t.Errorf("%+v %v, want %v", m, err, r.Due.Add(time.Hour))
	}
	if status, body := post(t, support, "/message/cancel", form); status != http.StatusSeeOther {
		t.Errorf("%d %s", status, body)
	}
	if status, body := post(t, support, "/message/cancel", form); status != http.StatusConflict || !strings.Contains(body, "nor found anywhere else") {
		t.Errorf("again: %d %s", status, body)
	}
	_, body = get(t, support, path)
	wants(t, "gone", body, []string{"is not pending"}, []string{"Cancel this message"})
	got := audits(t, c)
	if len(got) != before+4 || !strings.HasPrefix(got[2], "sue (support) reschedule ORDERS [id "+id+", more 1h] because customer pays: Message") ||
		!strings.HasPrefix(got[1], "sue (support) cancel") || !strings.HasSuffix(got[0], "failed true") {
		t.Errorf("%q", got)
	}

	// Where the audit cannot be written, nothing hidden is shown and nothing changes.
	srv.Client().Del(t.Context(), wire.AuditKey)
	srv.Client().Set(t.Context(), wire.AuditKey, "text", 0)
	srv.Client().Del(t.Context(), wire.ShownKey)
	srv.Client().Set(t.Context(), wire.ShownKey, "text", 0)
	r, err = framework.Bind(c, q).Offer(t.Context(), webOrder{ID: "W2", Email: "ann@example.com"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	form.Set("id", string(r.ID))
	for _, path := range []string{"/message", "/message/cancel"} {
		if status, body := post(t, support, path, form); status != http.StatusServiceUnavailable || !strings.Contains(body, "audit cannot be written") || strings.Contains(body, "ann@example.com") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if n, err := framework.Bind(c, q).Counts(t.Context()); err != nil || n.Delayed != 1 {
		t.Fatalf("%+v %v", n, err)
	}
}

// What a handler has in hand is shown with its payload, hidden values hidden.
func TestInFlightPage(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	q := registry.Define[webOrder]("BUSY", "", registry.Codec(jackson.JsonJackson()), registry.Visible("orderId"), registry.Partitions(2))
	release := make(chan struct{})
	engine, err := framework.New(c, []framework.Consumer{framework.Consume(q, handlers.Func[webOrder](func(context.Context, *handlers.Delivery[webOrder]) error {
		<-release
		return nil
	}))})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Stop(context.WithoutCancel(t.Context())) })
	defer close(release)
	for _, id := range []string{"W1", "W2"} {
		if err := framework.Bind(c, q).Push(t.Context(), webOrder{ID: id, Email: "secret"}); err != nil {
			t.Fatal(err)
		}
	}
	console := start(t, c, Options{Queues: []registry.Descriptor{q}})
	until(t, console, "/inflight?q=BUSY", "Order orderId=W1")
	body := until(t, console, "/inflight?q=BUSY", "Order orderId=W2")
	wants(t, "in flight", body, []string{"2 messages are", "running", "hidden", "Payload"}, []string{"secret"})
}
