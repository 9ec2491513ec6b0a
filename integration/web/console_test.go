package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/web"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

type order struct {
	OrderID  string `java:"orderId"`
	Customer string `java:"customer"`
}

// shop is a console on a Redis with queues in several states.
type shop struct {
	client  *framework.Client
	server  *httptest.Server
	payment *registry.Queue[order]
	stuck   *registry.Queue[order]
	failing *registry.Queue[order]
	raw     *registry.Queue[[]byte] // bytes of other programs
}

// connect opens a quiet client of a server; noTransfer lets due messages lie.
func connect(t *testing.T, srv *lab.Server, noTransfer bool) *framework.Client {
	t.Helper()
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, NoTransfer: noTransfer}, framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// serve runs an engine until the test ends.
func serve(t *testing.T, c *framework.Client, consumers ...framework.Consumer) *framework.Engine {
	t.Helper()
	e, err := framework.New(c, consumers)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Stop(context.WithoutCancel(t.Context())) })
	return e
}

func openShop(t *testing.T, change func(*web.Options)) *shop {
	t.Helper()
	srv := lab.StartRedis(t, lab.AppendOnly())
	s := &shop{
		client:  connect(t, srv, true),
		payment: registry.Define[order]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel the order", registry.Visible("orderId"), registry.SearchField("orderId")),
		stuck:   registry.Define[order]("NOTIFY_SMS", "remind by text message"),
		failing: registry.Define[order]("ORDER_TIMEOUT_NOT_EVALUATED", "not reviewed: default good review", registry.MaxAttempts(1)),
		raw:     registry.Define[[]byte]("<img src=x onerror=alert(1)>", "", registry.Codec(codecs.ByteArray())),
	}
	for i := range 600 {
		delay := time.Minute + time.Duration(i*i)*7*time.Millisecond + time.Duration(i)*3*time.Second
		if _, err := framework.Bind(s.client, s.payment).Offer(t.Context(), order{fmt.Sprint(4400 + i), "Grete"}, delay, framework.Key(fmt.Sprint("order-", 4400+i))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 40 {
		offer := func(q *registry.Queue[order]) {
			if _, err := framework.Bind(s.client, q).Offer(t.Context(), order{fmt.Sprint(9000 + i), "Hans"}, 0); err != nil {
				t.Fatal(err)
			}
		}
		offer(s.stuck)
		if i < 7 {
			offer(s.failing)
		}
	}
	if err := framework.Bind(s.client, s.raw).Push(t.Context(), []byte("<script>alert(2)</script>\u202e")); err != nil {
		t.Fatal(err)
	}
	serve(t, connect(t, srv, false),
		framework.Consume(s.payment, handlers.Func[order](func(context.Context, *handlers.Delivery[order]) error { return nil })),
		framework.Consume(s.failing, handlers.Func[order](func(context.Context, *handlers.Delivery[order]) error { return errors.New("no such customer: 17") })))
	o := web.Options{
		Queues: []registry.Descriptor{s.payment, s.stuck, s.failing}, Writable: true, Budget: 0.2, Log: slog.New(slog.DiscardHandler),
		Authorize: func(*http.Request) (web.User, error) { return web.User{Name: "ann", Role: web.RoleAdmin}, nil },
	}
	if change != nil {
		change(&o)
	}
	console, err := web.New(s.client, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = console.Close() })
	s.server = httptest.NewServer(console)
	t.Cleanup(s.server.Close)
	return s
}

func (s *shop) paused(t *testing.T, queue string) *admin.Control {
	t.Helper()
	set, err := admin.ControlOf(t.Context(), s.client, queue)
	if err != nil {
		t.Fatal(err)
	}
	return &set
}

// Every page can be used in both themes and on a phone, asks nothing of other hosts, and runs
// nothing that lies in Redis.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	s := openShop(t, nil)
	b := open(t, s.server)
	<-time.After(time.Second) // the engine fails some messages
	p := s.payment.Key()
	linked := func(from, to string) string { // the first link of a page to another
		b.visit(from)
		return strings.TrimPrefix(eval[string](b, `document.querySelector("main [href^='`+to+`']").href`), b.base)
	}
	group := linked(inQueue("/dead", s.failing.Key()), "/dead?group")
	b.expect("404 (Not Found)")
	for name, path := range map[string]string{
		"message": linked(inQueue("/search", p, "text", "order-4711"), "/message"), "dead-group": group, "dead-letter": linked(group, "/dead/entry"),
		"search-all": "/search?text=4711", "nothing": "/nothing",
		"queues": "/", "queue": inQueue("/queue", p), "queue-stuck": inQueue("/queue", s.stuck.Key()), "processes": "/processes",
		"pending": inQueue("/pending", p), "ready": inQueue("/ready", s.raw.Key()), "in-flight": inQueue("/inflight", p), "dead": inQueue("/dead", s.failing.Key()),
		"search": inQueue("/search", p, "text", "4711"), "audit": "/audit", "decode": "/decode", "hostile": inQueue("/queue", s.raw.Key()),
	} {
		for theme, on := range map[string]bool{"light": false, "dark": true} {
			b.do(dark(on))
			b.visit(path)
			b.usable(name + " in " + theme)
			b.picture(name + "-" + theme)
		}
		b.do(chromedp.EmulateViewport(375, 800, chromedp.EmulateMobile))
		b.usable(name + " on a phone")
		b.picture(name + "-phone")
		b.do(chromedp.EmulateViewport(1280, 800))
	}
	if outside := b.fromOutside(); outside != nil {
		t.Errorf("asked of other hosts: %v", outside)
	}
}

// From the first click to the effect in Redis, and what another viewer sees of it.
func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	s := openShop(t, func(o *web.Options) { o.BasePath = "/ops/queues" })
	b, other := open(t, s.server), open(t, s.server)
	other.visit("/ops/queues/queue?q=ORDER_PAYMENT_TIMEOUT")
	b.visit("/ops/queues/")
	b.do(chromedp.Click(`main a[href$="q=ORDER_PAYMENT_TIMEOUT"]`), chromedp.WaitVisible("#verdict"))
	b.do(chromedp.Click(`//summary[contains(., "Pause all")]`), chromedp.SendKeys(`form[action$="/queue/pause"] input[name=reason]`, "payment provider is down\r"))
	b.await(".notice", "Paused. No Go process takes from this queue for 1 h")
	if p := s.paused(t, "ORDER_PAYMENT_TIMEOUT").Pause; p == nil || p.By != "ann" || p.Reason != "payment provider is down" {
		t.Fatalf("in Redis: %+v", p)
	}
	b.picture("paused-light")
	other.await("#verdict", "payment provider is down")
	other.await("#steer", "paused")
	b.do(chromedp.SendKeys(`form[action$="/queue/resume"] input[name=reason]`, "it is up\r"))
	b.await(".notice", "Resumed")
	if p := s.paused(t, "ORDER_PAYMENT_TIMEOUT").Pause; p != nil {
		t.Errorf("after resume: %+v", p)
	}
	b.visit("/ops/queues/audit")
	for _, want := range []string{"payment provider is down", "it is up", "ann"} {
		b.await("main", want)
	}
}

// A page follows what changes while one looks, in the viewer's zone; a hidden tab asks nothing.
func TestLive(t *testing.T) {
	t.Parallel()
	s := openShop(t, nil)
	b := open(t, s.server, command(emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "America/St_Johns"}))
	b.visit("/queue?q=NOTIFY_SMS")
	b.await("#counts", "40\noverdue")
	if shown, title := b.text("#seen time"), eval[string](b, `document.querySelector("#seen time").title`); !strings.HasSuffix(title, " UTC") || strings.Contains(shown, "UTC") {
		t.Errorf("time %q, on hover %q", shown, title)
	}
	if _, err := framework.Bind(s.client, s.stuck).Offer(t.Context(), order{}, time.Hour); err != nil {
		t.Fatal(err)
	}
	b.await("#counts", "41\npending")
	b.hidden(true)
	before := b.asked()
	<-time.After(6 * time.Second)
	if n := b.asked() - before; n > 1 { // one may have been under way
		t.Errorf("a hidden tab has asked %d times", n)
	}
	b.expect("ERR_CONNECTION")
	s.server.Close()
	b.hidden(false)
	b.await("#stale", "does not answer")
}

// Without JavaScript everything works, and times are in UTC.
func TestWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := openShop(t, nil)
	b := open(t, s.server, command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	b.visit("/?sort=-queue&find=order")
	text, err := chromedp.Run(b.ctx, chromedp.OuterHTML("html"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, " UTC</time>") || strings.Contains(text, "NOTIFY_SMS") {
		t.Error("no UTC, or a queue that the filter leaves out")
	}
	b.visit("/queue?q=NOTIFY_SMS")
	b.do(chromedp.WaitVisible("#plot-due svg"), chromedp.WaitVisible("#plot-lag svg"), chromedp.WaitNotPresent("figure.drawn"))
	b.do(chromedp.Click(`//summary[contains(., "Limit")]`), chromedp.SendKeys(`form[action$="/queue/limit"] input[name=workers]`, "2"),
		chromedp.SendKeys(`form[action$="/queue/limit"] input[name=reason]`, "slow provider"), chromedp.Click(`form[action$="/queue/limit"] button`), chromedp.WaitVisible(".notice"))
	if l := s.paused(t, "NOTIFY_SMS").Limit; l == nil || l.Workers != 2 || l.Reason != "slow provider" {
		t.Errorf("in Redis: %+v", l)
	}
}

// A form that another site sends for a user who is logged in changes nothing.
func TestForgedForm(t *testing.T) {
	t.Parallel()
	s := openShop(t, nil)
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<form method="post" action="%s/queue/pause"><input name="q" value="NOTIFY_SMS"><input name="reason" value="evil"><button>Win</button></form><footer></footer>`, s.server.URL)
	}))
	t.Cleanup(evil.Close)
	b := open(t, s.server)
	b.expect("403")
	b.expect("404") // the icon of that site
	b.do(chromedp.Navigate(evil.URL), chromedp.Click("button"), chromedp.WaitVisible("main"))
	b.await("main", "sent by a page of another site")
	if p := s.paused(t, "NOTIFY_SMS").Pause; p != nil {
		t.Errorf("paused: %+v", p)
	}
}

// Who may only look is shown no form, and the keyboard reaches what there is.
func TestLookingAlone(t *testing.T) {
	t.Parallel()
	s := openShop(t, func(o *web.Options) {
		o.Authorize = func(*http.Request) (web.User, error) { return web.User{Name: "bob", Role: web.RoleLook}, nil }
	})
	b := open(t, s.server)
	b.visit("/queue?q=NOTIFY_SMS")
	b.await("#steer", "takes the role operate; yours is look")
	if n := eval[int](b, `document.querySelectorAll("form[method=post]").length`); n != 0 {
		t.Errorf("%d forms", n)
	}
	b.do(chromedp.KeyEvent("\t"), chromedp.KeyEvent("\r"))
	if at := eval[string](b, "document.activeElement.id"); at != "main" {
		t.Errorf("the first key leads to %q, not to the content", at)
	}
}
