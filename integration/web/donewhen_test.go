package web

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/web"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// javaOffers puts a message where Redisson's RDelayedQueue.offer puts it.
func javaOffers(t *testing.T, rdb *redis.Client, queue, id, order string, due time.Time) (element string) {
	t.Helper()
	body := fmt.Sprintf(`{"@class":"com.demo.Order","orderId":%q,"customer":"Grete"}`, order)
	e := append([]byte{byte(len(id))}, id...)
	e = append(binary.LittleEndian.AppendUint64(e, uint64(len(body))), body...)
	rdb.ZAdd(t.Context(), "redisson_delay_queue_timeout:{"+queue+"}", redis.Z{Score: float64(due.UnixMilli()), Member: e})
	if err := rdb.RPush(t.Context(), "redisson_delay_queue:{"+queue+"}", e).Err(); err != nil {
		t.Fatal(err)
	}
	return string(e)
}

// died puts a letter into the dead store.
func died(t *testing.T, rdb *redis.Client, queue string, ago time.Duration, reason, detail, order string) {
	t.Helper()
	at := time.Now().Add(-ago).UnixMilli()
	if err := rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: "duequeue:dead:{" + queue + "}", ID: fmt.Sprintf("%d-0", at), Values: []any{
		"body", fmt.Sprintf(`{"@class":"com.demo.Order","orderId":%q}`, order), "reason", reason, "detail", detail, "at", fmt.Sprint(at), "delivered", "1", "failed", "1",
	}}).Err(); err != nil {
		t.Fatal(err)
	}
}

// click follows the link, or opens or sends what a person reads by these words. Behind a link
// it waits for the next page: this one may say already what the test awaits there.
func (b *tab) click(words string) {
	b.t.Helper()
	by := fmt.Sprintf(`//main//a[contains(normalize-space(.), %[1]q)] | //main//button[contains(normalize-space(.), %[1]q)] | //main//summary[contains(normalize-space(.), %[1]q)] | //header//a[normalize-space(.)=%[1]q]`, words)
	b.do(chromedp.WaitVisible(by))
	leaves := eval[bool](b, fmt.Sprintf(`document.body.dataset.left = "no", document.evaluate(%q, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue?.tagName === "A"`, by))
	b.do(chromedp.Click(by))
	if leaves {
		b.do(chromedp.WaitReady(`body:not([data-left]) footer`))
	}
}

// fill types into the field that an open form has by this label.
func (b *tab) fill(form, field, text string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(fmt.Sprintf(`form[action=%q] [name=%s]`, form, field), text))
}

// A person who has never seen the project has nothing but this console, in which no queue is
// declared: what Java's clients wrote is found without help.
func TestAPersonAnswersByTheConsoleAlone(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t, lab.AppendOnly())
	rdb := srv.Client()
	console, err := web.New(connect(t, srv, true), web.Options{
		Writable: true, Budget: 0.5, SearchBudget: 1, Log: slog.New(slog.DiscardHandler), Payloads: web.PayloadOptions{Visible: []string{"orderId"}, SearchFields: []string{"orderId"}},
		Authorize: func(*http.Request) (web.User, error) { return web.User{Name: "ann", Role: web.RoleOperate}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = console.Close() })
	server := httptest.NewServer(console)
	t.Cleanup(server.Close)

	// Five faults: due messages that no process transfers, an element that stops Redisson,
	// messages that died, a process that was killed with two messages in hand, and a pause.
	javaOffers(t, rdb, "ORDERS", "javaold1", "4000", time.Now().Add(-6*time.Minute))
	rdb.ZAdd(t.Context(), "redisson_delay_queue_timeout:{ORDERS}", redis.Z{Score: float64(time.Now().Add(48 * time.Hour).UnixMilli()), Member: "hello"})
	died(t, rdb, "ORDERS", 26*time.Hour, "rejected", "no stock", "3999")
	rdb.ZAdd(t.Context(), "duequeue:sessions:{ORDERS}", redis.Z{Score: float64(time.Now().Add(-time.Minute).UnixMilli()), Member: "0123456789abcdef"})
	rdb.SAdd(t.Context(), "duequeue:fetches:{ORDERS}:0123456789abcdef", "fedcba9876543210")
	rdb.RPush(t.Context(), "duequeue:stage:{ORDERS}:0123456789abcdef", "a", "b")
	if _, err := admin.Pause(t.Context(), connect(t, srv, true), "ORDERS", admin.PauseOptions{Reason: "Friday", By: "bob"}); err != nil {
		t.Fatal(err)
	}
	due := time.Now().Add(58 * time.Minute).Truncate(time.Millisecond)
	element := javaOffers(t, rdb, "ORDERS", "java4711", "4711", due)
	javaOffers(t, rdb, "OTHERS", "javaothe", "1", due)

	// What is wrong with this queue?
	b := open(t, server)
	b.visit("/")
	b.await("main tbody tr", "ORDERS") // the worst is in front, as soon as the first search has ended
	b.click("ORDERS")
	b.do(chromedp.WaitVisible("#verdict"))
	said := b.text("#verdict") + b.text("#findings") + b.text("#steer")
	for fault, words := range map[string]string{
		"overdue": "no process moves or takes it", "malformed": "fits no layout", "dead": "dead store", "killed": "no process gives them back", "paused": "Friday",
	} {
		if !strings.Contains(said, words) {
			t.Errorf("%s: no %q in %s", fault, words, said)
		}
	}
	b.picture("story-wrong-light")

	// Will order 4711 be cancelled? Give it an hour more.
	b.click("Search")
	b.do(chromedp.SendKeys(`main form[role=search] input[name=text]`, "4711\r"))
	b.await("main", "1 message found")
	b.await("main", "pending")
	b.await("main", "Order orderId=4711")
	b.do(chromedp.Click(`//div[@class="match"]//a`))
	b.do(chromedp.WaitVisible(`//summary[.="More time"]`))
	b.click("More time")
	b.fill("/message/reschedule", "reason", "the customer asks\r")
	b.await(".notice", "is due at")
	if score := rdb.ZScore(t.Context(), "redisson_delay_queue_timeout:{ORDERS}", element).Val(); score != float64(due.Add(time.Hour).UnixMilli()) {
		t.Errorf("due at %v in Redis, want %v", score, due.Add(time.Hour).UnixMilli())
	}

	// The provider is down: all orders that begin with 47 get an hour more, after a look at how many.
	javaOffers(t, rdb, "ORDERS", "java4712", "4712", due)
	b.visit(inQueue("/pending", "ORDERS"))
	b.do(chromedp.SendKeys(`form[action="/pending"] input[name=text]`, "orderId=47\r"))
	b.await("main", "2 messages among the")
	b.do(chromedp.Click(`form[action="/pending/reschedule-all"] button[name=dry]`))
	b.await("#runs", "would change 2")
	b.visit(inQueue("/pending", "ORDERS", "text", "orderId=47"))
	b.fill("/pending/reschedule-all", "reason", "the provider is down\r")
	b.await("#runs", "2 so far")
	b.picture("story-bulk-light")
	if score := rdb.ZScore(t.Context(), "redisson_delay_queue_timeout:{ORDERS}", element).Val(); score != float64(due.Add(2*time.Hour).UnixMilli()) {
		t.Errorf("due at %v in Redis, want %v", score, due.Add(2*time.Hour).UnixMilli())
	}

	// Which deploy broke what? Redrive that.
	died(t, rdb, "ORDERS", 14*time.Minute, "undecodable", "unknown field couponCode", "4720")
	died(t, rdb, "ORDERS", 13*time.Minute, "undecodable", "unknown field couponCode", "4721")
	b.click("Dead letters")
	b.click("new since 1 h")
	b.await("#groups", "unknown field couponCode")
	fresh := eval[string](b, `[...document.querySelectorAll("#groups tr")].filter(r => r.innerText.includes("new")).map(r => r.innerText).join("|")`)
	if !strings.Contains(fresh, "couponCode") || strings.Contains(fresh, "no stock") {
		t.Errorf("new: %q", fresh)
	}
	b.click("unknown field couponCode")
	b.await("main", "Order orderId=4720")
	b.fill("/dead/redrive-all", "reason", "the new deploy reads it\r")
	b.await("#runs", "2 so far")
	b.await("#runs", "done")
	b.picture("story-redriven-light")
	if dead, ready := rdb.XLen(t.Context(), "duequeue:dead:{ORDERS}").Val(), rdb.LLen(t.Context(), "ORDERS").Val(); dead != 1 || ready != 2 {
		t.Errorf("%d dead, %d ready", dead, ready)
	}

	// Pause the fleet; and who did so?
	raw := registry.Define[[]byte]("ORDERS", "", registry.Codec(codecs.ByteArray()))
	engine := serve(t, connect(t, srv, false), framework.Consume(raw, handlers.Func[[]byte](func(context.Context, *handlers.Delivery[[]byte]) error { return nil })))
	intake := func(want health.Intake) {
		t.Helper()
		lab.Wait(t, func() string {
			if got := engine.Health().Queues[0].Intake; got != want {
				return fmt.Sprintf("intake %s, want %s", got, want)
			}
			return ""
		})
	}
	intake(health.IntakeClosed)
	b.visit(inQueue("/queue", "ORDERS"))
	b.fill("/queue/resume", "reason", "it is Monday\r")
	b.await(".notice", "Resumed")
	intake(health.IntakeOpen)
	b.click("Pause all processes")
	b.fill("/queue/pause", "reason", "the provider is down\r")
	b.await(".notice", "Paused. No Go process takes from this queue for 1 h")
	intake(health.IntakeClosed)
	b.await("#steer", "the provider is down")
	b.visit("/")
	b.click("Audit")
	for _, want := range []string{"ann", "pause", "the provider is down", "resume", "it is Monday", "redrive", "the new deploy reads it", "reschedule", "the customer asks"} {
		b.await("main", want)
	}
	b.picture("story-audit-light")
}
