package queuestate

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/health"
)

// A queue is as bad as the worst that is known of it, and the rest is told behind that.
func TestAQueueIsJudgedByTheWorst(t *testing.T) {
	t.Parallel()
	pause := &health.Pause{Reason: "stock is down", By: "ann"}
	limit := &health.Limit{Workers: 1, By: "bob"}
	for _, row := range []struct {
		want  string // what each state says
		level Level  // of the worst
		q     admin.QueueStatus
	}{
		{"unreadable: wrong type; stuck: messages are due, and no process transfers them", Bad, admin.QueueStatus{Err: errors.New("wrong type"), Overdue: 1}},
		{"stuck: messages are due, and no process transfers them; paused by ann: stock is down (" + admin.JavaGoesOn + ")", Bad, admin.QueueStatus{Overdue: 1, Delayed: 1, Pause: pause}},
		{
			"held up: no Go process takes from this queue: handlers fail in a row, and their breaker is open; late: the oldest message that is due has waited for more than a minute; silent: killed, or without Redis: 1 of 2 Go processes",
			Bad,
			admin.QueueStatus{Ready: 1, Processes: 2, Closed: 1, Silent: 1, Because: health.BecauseBreaker, Lag: time.Hour},
		},
		{"held up: no Go process takes from this queue: too many handlers hang", Warn, admin.QueueStatus{Processes: 1, Closed: 1, Because: health.BecauseHung}},
		{"late: the oldest message that is due has waited for more than a minute", Bad, admin.QueueStatus{Ready: 1, Lag: 2 * time.Minute, Listeners: 1}},
		{"late: due messages are not transferred in time; paused by ann: stock is down (" + admin.JavaGoesOn + ")", Bad, admin.QueueStatus{Overdue: 1, Lag: 2 * time.Minute, Listeners: 1, Pause: pause}},
		{"held up: 1 of 2 Go processes take nothing: payloads in a row could not be decoded", Warn, admin.QueueStatus{Processes: 2, Closed: 1, Because: health.BecauseUndecodable}},
		{"held up: 1 of 2 Go processes take nothing: of tomorrow", Warn, admin.QueueStatus{Processes: 2, Closed: 1, Because: "of tomorrow"}},
		{"silent: killed, or without Redis: 1 of 2 Go processes; paused by ann: stock is down (" + admin.JavaGoesOn + ")", Warn, admin.QueueStatus{Processes: 2, Silent: 1, Pause: pause}},
		// What is ready waits since it is paused, and what has just fallen due is moved in a moment.
		{"paused by ann: stock is down (" + admin.JavaGoesOn + ")", Warn, admin.QueueStatus{Ready: 9, Overdue: 1, Lag: time.Hour, Listeners: 1, Pause: pause}},
		{"paused by ann: stock is down (" + admin.JavaGoesOn + "); limited: each Go process has at most 1 worker, by bob", Warn, admin.QueueStatus{Listeners: 1, Pause: pause, Limit: limit}},
		{"unserved: messages are pending, and no process would transfer them", Warn, admin.QueueStatus{Delayed: 1}},
		{"limited: each Go process has at most 1 worker, by bob", Info, admin.QueueStatus{Limit: limit}},
		{"fine", Good, admin.QueueStatus{Ready: 1, Lag: time.Second, Listeners: 1}},
		{"fine", Good, admin.QueueStatus{}},
	} {
		all := All(row.q)
		var got []string
		for i, s := range all {
			got = append(got, s.String())
			if i > 0 && s.Weight > all[i-1].Weight {
				t.Errorf("%s stands behind %s, which weighs less", s.Word, all[i-1].Word)
			}
		}
		if strings.Join(got, "; ") != row.want || all[0].Level != row.level || Of(row.q) != all[0] {
			t.Errorf("%+v\n is %s: %s\nnot %s: %s", row.q, all[0].Level, strings.Join(got, "; "), row.level, row.want)
		}
	}
}
