package web

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/health"
)

// A queue is as bad as the worst that is known of it.
func TestStateOf(t *testing.T) {
	t.Parallel()
	pause := &health.Pause{Reason: "stock is down", By: "ann"}
	last := 1000
	for _, row := range []struct {
		want string // word and a part of why
		q    admin.QueueStatus
	}{
		{"unreadable: wrong type", admin.QueueStatus{Err: errors.New("wrong type"), Overdue: 1}},
		{"stuck: no process transfers", admin.QueueStatus{Overdue: 1, Delayed: 1, Pause: pause}},
		{"held up: no Go process takes from this queue: handlers fail", admin.QueueStatus{Ready: 1, Processes: 2, Closed: 1, Silent: 1, Because: health.BecauseBreaker, Lag: time.Hour}},
		{"late: has waited for 2 h", admin.QueueStatus{Ready: 1, Lag: 2 * time.Hour, Listeners: 1}},
		{"held up: 1 of 2 Go processes take nothing: payloads", admin.QueueStatus{Processes: 2, Closed: 1, Because: health.BecauseUndecodable}},
		{"silent: was killed", admin.QueueStatus{Processes: 2, Silent: 1, Pause: pause}},
		{"paused: stock is down", admin.QueueStatus{Ready: 9, Lag: time.Hour, Pause: pause}},
		{"unserved: no process transfers", admin.QueueStatus{Delayed: 1}},
		{"limited: slow", admin.QueueStatus{Limit: &health.Limit{Workers: 1, Reason: "slow"}}},
		{"fine: ", admin.QueueStatus{Ready: 1, Lag: time.Second, Listeners: 1}},
	} {
		got := stateOf(row.q)
		word, why, _ := strings.Cut(row.want, ": ")
		if got.Word != word || !strings.Contains(got.Why, why) {
			t.Errorf("%+v\n is %s: %s\n not %s", row.q, got.Word, got.Why, row.want)
		}
		if got.weight > last {
			t.Errorf("%s weighs more than what is worse", got.Word)
		}
		last = got.weight
	}
}

func TestSpanAndCount(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 0: "0 s", 250 * time.Millisecond: "250 ms", 59900 * time.Millisecond: "59 s", 90 * time.Second: "1 min 30 s",
		time.Hour: "1 h", 25 * time.Hour: "1 d 1 h", 300 * time.Hour: "12 d", 11*time.Minute + 30*time.Second: "11 min",
	} {
		if got := span(d); got != want {
			t.Errorf("%v: %q, not %q", d, got, want)
		}
	}
	for n, want := range map[any]string{0: "0", 1234: "1234", int64(12345): "12\u202f345", -1234567: "-1\u202f234\u202f567", 12345.5: "12\u202f345.5"} {
		if got := count(n); got != want {
			t.Errorf("%v: %q, not %q", n, got, want)
		}
	}
}
