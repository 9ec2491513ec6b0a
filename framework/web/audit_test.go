package web

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// People see who has done what and why, of the queues that they may look at.
func TestAuditPage(t *testing.T) {
	t.Parallel()
	c := openOn(t, lab.StartRedis(t))
	console := start(t, c, Options{Writable: true, Authorize: as(User{Name: "<b>bo</b>", Role: RoleAdmin})})
	_, body := get(t, console, "/audit")
	wants(t, "empty", body, []string{"No one has changed anything"}, nil)
	for i := range 60 {
		form := url.Values{"q": {fmt.Sprint("Q", i%2)}, "reason": {fmt.Sprint("reason ", i, "<")}, "for": {"15m"}}
		if status, body := post(t, console, "/queue/pause", form); status != http.StatusSeeOther {
			t.Fatalf("%d %s", status, body)
		}
	}
	_, body = get(t, console, "/audit")
	wants(t, "first", body, []string{"&lt;b&gt;bo&lt;/b&gt;", "reason 59&lt;", "reason 10&lt;", "for 15m", "Paused.", "Those before", "console, admin"}, []string{"<b>bo", "reason 9&lt;"})
	_, body = get(t, console, "/audit?q=Q1&who="+url.QueryEscape("<b>bo</b>")+"&action=pause")
	wants(t, "one queue", body, []string{"reason 59&lt;", "reason 1&lt;"}, []string{"reason 58&lt;", "Those before"})
	_, body = get(t, console, "/audit?who=ann")
	wants(t, "another", body, []string{"nothing of that"}, nil)
	_, body = get(t, console, "/audit?cursor=x")
	wants(t, "damaged", body, []string{"begin again without one"}, nil)
	some := start(t, c, Options{Authorize: as(User{On: func(queue string) Role {
		if queue == "Q0" {
			return RoleLook
		}
		return RoleNone
	}})})
	_, body = get(t, some, "/audit")
	wants(t, "of one's queues", body, []string{"reason 58&lt;"}, []string{"reason 59&lt;", "Q1"})
}
