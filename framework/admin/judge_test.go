package admin

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
)

// Each state names the cause in a sentence, and what to do as a command that runs as printed.
func TestJudge(t *testing.T) {
	t.Parallel()
	pause := &health.Pause{Reason: "stock is down", By: "ann"}
	limit := &health.Limit{Rate: 5, By: "bob"}
	served := QueueStatus{Listeners: 2, Processes: 2, Takers: 2}
	with := func(change func(q *QueueStatus)) QueueStatus {
		q := served
		change(&q)
		return q
	}
	for _, row := range []struct {
		want     string // state and sentence of the worst
		command  string
		severity Severity
		others   []string // states of the others
		q        QueueStatus
	}{
		// Fine needs proof.
		{"fine: no message waits", "", "", nil, QueueStatus{}},
		{"fine: no message waits, and 2 Go processes take", "", "", nil, served},
		{"fine: nothing is due, and 1 program listens", "", "", nil, QueueStatus{Delayed: 9, Listeners: 1}},
		{"fine: the oldest message that is due has waited for 1 s, and 2 Go processes take", "", "", nil, with(func(q *QueueStatus) { q.Ready, q.Lag = 1, time.Second })},
		// No process moves or takes.
		{"stuck: 40 messages are due, the oldest for 24 min, and no process moves or takes them", "duequeue transfer -listen off -queues Q", SeverityError, nil, QueueStatus{Delayed: 41, Overdue: 40, Lag: 24 * time.Minute}},
		{"unserved: 1 message is pending, and no process would move it when due", "", SeverityWarning, nil, QueueStatus{Delayed: 1}},
		{
			"unserved: 30 messages are ready, the oldest for at least 24 min, and no process takes them: no Go process serves the queue, and no program listens to it", "", SeverityError, nil,
			QueueStatus{Ready: 30, Lag: 24 * time.Minute, LagAtLeast: true},
		},
		{
			"unserved: 200 messages are ready, and no process takes them: no Go process serves the queue, and no program listens to it; ORDERS is served, and has no message: is one of the names misspelt?", "duequeue move Q ORDERS", SeverityWarning, nil,
			QueueStatus{Ready: 200, Near: "ORDERS"},
		},
		{
			"stuck: 2 messages are due, and no process moves or takes them; OR DERS is served, and has no message: is one of the names misspelt?", "duequeue move Q 'OR DERS'", SeverityError, nil,
			QueueStatus{Delayed: 2, Overdue: 2, Near: "OR DERS"},
		},
		{
			"late: 4 messages are ready, the oldest for 2 min, and no Go process takes them; the program that listens takes none, or too few; ORDERS is served, and has no message: is one of the names misspelt?", "duequeue move Q ORDERS", SeverityError, nil,
			QueueStatus{Ready: 4, Lag: 2 * time.Minute, Listeners: 1, Processes: 1, Near: "ORDERS"},
		},
		// A program that moved messages was killed.
		{
			"stranded: 100 messages have been set aside for 3 min, on the way to ORDERS: the program that moved them was killed", "duequeue move -yes Q ORDERS", SeverityError, nil,
			QueueStatus{Aside: 100, AsideTo: "ORDERS", AsideFor: 3 * time.Minute},
		},
		{"fine: its messages are on the way to ORDERS", "", "", nil, QueueStatus{Aside: 100, AsideTo: "ORDERS", AsideFor: time.Second}},
		{
			"late: 40 messages are ready, the oldest for 1 h 30 min, and no Go process takes them; the program that listens takes none, or too few", "", SeverityError, nil,
			QueueStatus{Ready: 40, Lag: 90 * time.Minute, Listeners: 1, Processes: 1},
		},
		// Processes take, and messages wait.
		{"late: 3 messages are ready, the oldest for 18 min: handlers are slower than messages come, all workers of 2 Go processes are busy", "duequeue inflight Q", SeverityError, nil, with(func(q *QueueStatus) { q.Ready, q.Lag, q.Full = 3, 18*time.Minute, 2 })},
		{"late: 3 messages are ready, the oldest for 18 min: messages come faster than 2 Go processes take them", "duequeue ps Q", SeverityError, nil, with(func(q *QueueStatus) { q.Ready, q.Lag = 3, 18*time.Minute })},
		{
			"late: 3 messages are ready, the oldest for 21 min: the rate limit lets no more through: each of 2 Go processes handles at most 0.05 a second, as the program declares", "", SeverityError, nil,
			with(func(q *QueueStatus) { q.Ready, q.Lag, q.Limited, q.Rate = 3, 21*time.Minute, 2, 0.05 }),
		},
		{
			"late: 3 messages are ready, the oldest for 21 min: the rate limit lets no more through: each Go process has at most 5 messages a second, by bob; also limited", "duequeue limit -off Q", SeverityError,
			[]string{"limited"},
			with(func(q *QueueStatus) { q.Ready, q.Lag, q.Limited, q.Rate, q.Limit = 3, 21*time.Minute, 2, 5, limit }),
		},
		{
			"late: 1 message is ready, the oldest for 2 min, and 3 handlers hang (host, pid 7)", "duequeue inflight Q", SeverityError, nil,
			with(func(q *QueueStatus) { q.Ready, q.Lag, q.Hung, q.HungIn = 1, 2*time.Minute, 3, []string{"host, pid 7"} }),
		},
		{
			"hung: 1 handler hangs (host, pid 7): each keeps memory and what it waits for", "duequeue inflight Q", SeverityWarning, nil,
			with(func(q *QueueStatus) { q.Hung, q.HungIn = 1, []string{"host, pid 7"} }),
		},
		// Processes take nothing.
		{
			"held up: no Go process takes from the queue: handlers fail one after the other, and their breaker is open: *net.OpError", "duequeue ps Q", SeverityError, nil,
			with(func(q *QueueStatus) {
				q.Ready, q.Lag, q.Closed, q.Because, q.LastErrorKind = 1, time.Hour, 2, health.BecauseBreaker, "*net.OpError"
			}),
		},
		{
			"held up: 1 of 2 Go processes takes nothing: the next messages are of another codec than the program declares (kryo5): JSON object", "duequeue inspect Q", SeverityWarning, nil,
			with(func(q *QueueStatus) {
				q.Ready, q.Closed, q.Because, q.LastErrorKind, q.Codec = 10, 1, health.BecauseUndecodable, "JSON object", "kryo5"
			}),
		},
		{
			"held up: no Go process takes from the queue: 8 handlers hang (host, pid 7)", "duequeue inflight Q", SeverityWarning, nil,
			with(func(q *QueueStatus) {
				q.Closed, q.Because, q.Hung, q.HungIn = 2, health.BecauseHung, 8, []string{"host, pid 7"}
			}),
		},
		{"held up: 1 of 2 Go processes takes nothing: of tomorrow", "duequeue ps Q", SeverityWarning, nil, with(func(q *QueueStatus) { q.Closed, q.Because = 1, "of tomorrow" })},
		// Processes died.
		{"silent: 1 of 2 Go processes is gone without a word (host, pid 7): killed, or without Redis", "duequeue reap -wait Q", SeverityWarning, nil, with(func(q *QueueStatus) { q.Silent, q.Takers, q.SilentIn = 1, 1, []string{"host, pid 7"} })},
		{
			"silent: Go processes die and start again: 3 are gone without a word (host, pid 7), and 1 started within the last minute", "duequeue dead groups Q", SeverityWarning, nil,
			with(func(q *QueueStatus) { q.Silent, q.Takers, q.Young, q.SilentIn = 3, 1, 1, []string{"host, pid 7"} }),
		},
		// One that a deploy has killed is no such fleet.
		{
			"silent: 1 of 2 Go processes is gone without a word (host, pid 7): killed, or without Redis", "duequeue reap -wait Q", SeverityWarning, nil,
			with(func(q *QueueStatus) { q.Silent, q.Takers, q.Young, q.SilentIn = 1, 1, 1, []string{"host, pid 7"} }),
		},
		// What is pending and what is ready have waited for different times.
		{
			"late: 4 messages are due, the oldest for 12 min, and no program moves them in time", "", SeverityError, nil,
			with(func(q *QueueStatus) {
				q.Overdue, q.Delayed, q.Ready, q.Lag, q.OverdueLag, q.ReadyLag = 4, 4, 3, 12*time.Minute, 12*time.Minute, time.Second
			}),
		},
		{
			"stuck: 4 messages are due, the oldest for 12 min, and no process moves or takes them; also unserved", "duequeue transfer -listen off -queues Q", SeverityError,
			[]string{"unserved"},
			QueueStatus{Overdue: 4, Delayed: 4, Ready: 3, Lag: 12 * time.Minute, OverdueLag: 12 * time.Minute, ReadyLag: 2 * time.Second},
		},
		{"silent: 1 Go process has a lease on the queue, and none listens to it: killed within the last half minute, or without Redis", "duequeue reap -wait Q", SeverityWarning, nil, QueueStatus{Processes: 1, Takers: 1, InFlight: 8, Heard: 15 * time.Second}},
		// A subscription that is being made anew is no death.
		{"fine: nothing waits for longer than it should, and 1 Go process takes", "", "", nil, QueueStatus{Processes: 1, Takers: 1, InFlight: 8, Overdue: 1, Delayed: 2, Heard: 2 * time.Second}},
		{
			"late: 1 message is due, the oldest for 2 min, and no program moves it in time", "", SeverityError, nil,
			QueueStatus{Processes: 1, Takers: 1, Overdue: 1, Delayed: 2, Heard: 2 * time.Second, Lag: 2 * time.Minute},
		},
		{"stranded: a Go process ended 26 min ago and still holds messages: no process gives them back", "duequeue reap Q", SeverityError, nil, QueueStatus{Listeners: 1, Ended: 26 * time.Minute}},
		// A process that stops in a deploy, and one that is closed, hide no lateness of the others.
		{
			"late: 3 messages are ready, the oldest for 2 h: messages come faster than 2 Go processes take them; also held up", "duequeue ps Q", SeverityError,
			[]string{"held up"},
			with(func(q *QueueStatus) { q.Ready, q.Lag, q.Closed, q.Because = 3, 2*time.Hour, 1, health.BecauseLease }),
		},
		{"early: 12 messages came up to 5 min before they were due, in the last ten minutes: the clock of a Java client is ahead", "", SeverityWarning, nil, with(func(q *QueueStatus) { q.Early, q.EarlyBy = 12, 5*time.Minute })},
		{"outbox: Go processes write messages of this queue into an outbox, and no relay has looked for them in the last 26 min: they wait in the database", "", SeverityError, nil, with(func(q *QueueStatus) { q.OutboxFor = 26 * time.Minute })},
		{"outbox: Go processes write messages of this queue into an outbox, and no relay has ever looked for them: they wait in the database", "", SeverityError, nil, with(func(q *QueueStatus) { q.OutboxFor, q.OutboxNever = time.Minute, true })},
		{
			"deaf: the Redis user svc of 1 Go process may not listen to redisson_delay_queue_channel:{Q}: due messages are looked for once a second", "duequeue acl -add channels -user svc Q", SeverityWarning, nil,
			with(func(q *QueueStatus) {
				q.Refused = []Refused{{User: "svc", Processes: 1, Channel: "redisson_delay_queue_channel:{Q}"}}
			}),
		},
		{
			"denied: the Redis user of 2 Go processes may not run BLMOVE", "duequeue acl -add commands Q", SeverityError, nil,
			with(func(q *QueueStatus) {
				q.Ready, q.Lag, q.Refused = 3, time.Hour, []Refused{{Processes: 2, Command: "BLMOVE"}}
			}),
		},
		// That processes are gone is wrong, and so is that no process serves the queue.
		{
			"denied: the Redis user a b of 1 Go process may not use keys of this queue, such as duequeue:processes:{Q}", "duequeue acl -add keys -user 'a b' Q", SeverityError, nil,
			QueueStatus{Ready: 3, Delayed: 4, Overdue: 4, Lag: time.Hour, Processes: 1, Silent: 1, Refused: []Refused{{User: "a b", Processes: 1, Key: "duequeue:processes:{Q}"}}},
		},
		// What operators have set. What is ready waits since it is paused.
		{"paused: paused in all Go processes by ann: stock is down (" + JavaGoesOn + ")", "duequeue resume Q", SeverityWarning, nil, with(func(q *QueueStatus) {
			q.Ready, q.Overdue, q.Lag, q.Pause = 9, 0, time.Hour, &health.Pause{Reason: pause.Reason, By: pause.By, Fleet: true}
		})},
		{"fine: no message waits, and 2 Go processes take; also limited", "", "", []string{"limited"}, with(func(q *QueueStatus) { q.Limit = limit })},
		{"dead: 5 messages are in the dead store", "duequeue dead groups Q", SeverityWarning, nil, with(func(q *QueueStatus) { q.Dead = 5 })},
		// What is not known.
		{"unreadable: the queue cannot be read: wrong type; also stuck", "", SeverityError, []string{"stuck"}, QueueStatus{Err: errors.New("wrong type"), Overdue: 1}},
		{"unreadable: the queue cannot be read: " + (&fault.PermissionError{Err: errors.New("NOPERM")}).Error(), "duequeue acl -role operate -add keys -user ann Q", SeverityError, nil, QueueStatus{user: "ann", Err: &fault.PermissionError{Err: errors.New("NOPERM")}}},
		{"unreadable: the Redis node of this queue does not answer: dial tcp: connection refused", "", SeverityError, nil, QueueStatus{Err: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}}},
		{"expiring: Redis is going to delete keys of the queue: a key", "duequeue doctor -fix Q", SeverityError, nil, with(func(q *QueueStatus) { q.Expiring = []string{"a key"} })},
		{"expiring: Redis is going to delete keys of the queue: Java's view", "duequeue doctor -fix Q", SeverityWarning, nil, with(func(q *QueueStatus) { q.Expiring, q.viewEnds = []string{"Java's view"}, true })},
	} {
		row.q.Queue = "Q"
		v := Judge(row.q)
		var worst Finding
		var others []string
		if len(v.Findings) > 0 {
			rest := v.Findings
			if v.Severity != "" {
				worst, rest = rest[0], rest[1:]
			}
			for _, f := range rest {
				others = append(others, f.State)
			}
		}
		if v.Text() != row.want || worst.Command != row.command || v.Severity != row.severity || !slices.Equal(others, row.others) {
			t.Errorf("%+v\n is %s %q %s %v\nnot %s %q %s %v", row.q, v.Text(), worst.Command, v.Severity, others, row.want, row.command, row.severity, row.others)
		}
		if v.Severity != "" && worst.Advice == "" {
			t.Errorf("%s: no advice", v.Text())
		}
	}
}

// Other programs than the processes that say what they do are a hint, which is no part of the line.
func TestJudgeHintsAtOtherPrograms(t *testing.T) {
	t.Parallel()
	q := QueueStatus{Queue: "Q", Listeners: 3, Processes: 2, Takers: 1, Codec: "kryo5"}
	v := Judge(q)
	if len(v.Findings) != 1 || v.Text() != "fine: no message waits, and 1 Go process takes" {
		t.Fatalf("%s %+v", v.Text(), v.Findings)
	}
	if f := v.Findings[0]; f.Severity != SeverityInfo || f.Command != "duequeue inspect Q" || !strings.HasPrefix(f.Message, "1 other program listens to this queue: Java programs, or") || !strings.Contains(f.Advice, "kryo5") {
		t.Errorf("%+v", f)
	}
	q.Listeners = 2
	if v = Judge(q); len(v.Findings) != 0 {
		t.Errorf("%+v", v.Findings)
	}
}

// What the messages show is part of the verdict, and what both know is said once.
func TestJudgeOfWhatWasExamined(t *testing.T) {
	t.Parallel()
	v := Judge(QueueStatus{Queue: "Q", Listeners: 1, Expiring: []string{"a key"}, Dead: 1},
		Finding{Check: "expiry", Severity: SeverityError, Message: "more of it", Queue: "Q"}, Finding{Check: "ghosts", Severity: SeverityWarning, Queue: "Q"})
	var states []string
	for _, f := range v.Findings {
		states = append(states, f.State)
	}
	if v.Text() != "expiry: more of it; also ghosts, dead" || !slices.Equal(states, []string{"expiry", "ghosts", "dead"}) {
		t.Errorf("%s, %v", v.Text(), states)
	}
}

// The codec that reads payloads of another codec is part of the sentence.
func TestJudgeNamesTheCodecThatReads(t *testing.T) {
	t.Parallel()
	v := Judge(QueueStatus{Queue: "Q", Processes: 1, Takers: 1, Closed: 1, Ready: 10, Because: health.BecauseUndecodable, LastErrorKind: "JSON object", Codec: "kryo5"},
		Finding{Check: readsCheck, Severity: SeverityInfo, Message: "jsonjackson reads 10 of the first 10 ready messages"})
	want := "held up: no Go process takes from the queue: the next messages are of another codec than the program declares (kryo5); jsonjackson reads 10 of the first 10 ready messages"
	if v.Text() != want || len(v.Findings) != 1 || !strings.HasSuffix(v.Findings[0].Advice, "with duequeue dead bury -reason 'another codec' -codec jsonjackson Q") {
		t.Errorf("%s, %+v", v.Text(), v.Findings)
	}
	// An old word of a process does not hide what is ready now.
	old := QueueStatus{Queue: "Q", Processes: 1, Takers: 1, Closed: 1, Ready: 1, Because: health.BecauseUndecodable, LastErrorKind: "JSON object", Codec: "kryo5", Age: 12 * time.Second}
	const now = "12 s ago the next messages were of another codec; none of those that are ready now is"
	if v = Judge(old, Finding{Check: readsCheck, Severity: SeverityInfo, Message: "kryo5 reads 1 of the first 1 ready message"}); v.State != "held up" || !strings.HasSuffix(v.Text(), now) {
		t.Error(v.Text())
	}
	if old.Ready = 0; Judge(old).Text() != "fine: no message waits, and 1 Go process takes; also held up" {
		t.Error(Judge(old).Text())
	}
	if v = Judge(QueueStatus{Queue: "Q"}, Finding{Check: readsCheck, Severity: SeverityInfo}); len(v.Findings) != 0 {
		t.Errorf("without need: %+v", v.Findings)
	}
}

// Names that differ in a letter or two are likely misspelt; those that differ in a number are not.
func TestNear(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		near bool
	}{
		{"F_ORDER_TIMEUOT", "F_ORDER_TIMEOUT", true},
		{"orders", "ORDERS", true},
		{"ORDERS", "ORDER", true},
		{"ORDERS_1", "ORDERS_2", false},
		{"PAID", "MAID", false},
		{"REFUNDS", "ORDERS", false},
		{"PAYMENT_TIMEOUT", "SHIPMENT_TIMEOUT", false},
	} {
		if near(row.a, row.b) != row.near || near(row.b, row.a) != row.near {
			t.Errorf("%s and %s: want %v", row.a, row.b, row.near)
		}
	}
	all := []QueueStatus{{Queue: "ORDERS", Processes: 1, Takers: 1, Listeners: 1}, {Queue: "ORDRES", Delayed: 2}, {Queue: "ORDER", Delayed: 2, Listeners: 1}, {Queue: "REFUNDS", Delayed: 2}}
	findNear(all)
	if all[1].Near != "ORDERS" || all[2].Near != "ORDERS" || all[3].Near != "" {
		t.Errorf("%+v", all)
	}
}

// A command runs as printed, whatever the queue is called.
func TestShellName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ORDERS": "ORDERS", "a b": "'a b'", "it's": `"it's"`, "$(rm -rf /)": "'$(rm -rf /)'", "-json": `'"-json"'`, "\x00odd": `'"\x00odd"'`, " x": `'" x"'`, "": `'""'`, "订单": "'订单'",
	} {
		if got := shellName(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

// A process whose breaker lets single probes pass takes nothing, also while a probe runs.
func TestProbesDoNotHideABreaker(t *testing.T) {
	t.Parallel()
	q := QueueStatus{Queue: "Q", Processes: 1, Ready: 3, Lag: time.Hour}
	q.said(control.Process{Record: control.Record{Intake: string(health.IntakeProbing), Reason: string(health.BecauseBreaker), ErrorKind: "*net.OpError"}})
	if v := Judge(q); v.State != "held up" || !strings.Contains(v.Text(), "their breaker is open: *net.OpError") {
		t.Error(v.Text())
	}
}
