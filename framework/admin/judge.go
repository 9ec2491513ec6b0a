package admin

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/causes"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/watch"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// Verdict is the state of a queue. The command line, the console and readiness all report it.
type Verdict struct {
	Queue string
	// State is the worst problem in a word: "stuck", "late", "held up" …; StateFine if nothing is
	// wrong. Filters and sorting use it.
	State string
	// Severity is that of the worst finding, "" where nothing is wrong.
	Severity Severity
	// Findings are all problems of the queue, the worst first. Those of SeverityInfo do not change
	// the state.
	Findings []Finding
	// Proof says why the queue is fine. It is empty where it is not.
	Proof string
}

// StateFine is the state of a queue where nothing is wrong: nothing is late, nothing is ready that
// no process takes, and what is due is served.
const StateFine = "fine"

// Text is the verdict in one line: the worst finding, or why the queue is fine, and the states of the
// other findings.
func (v Verdict) Text() string {
	text, others := v.Proof, v.Findings
	if v.Severity != "" {
		text, others = others[0].Message, others[1:]
	}
	var also []string
	for _, f := range others {
		if f.State != v.State && f.Check != othersCheck && !slices.Contains(also, f.State) {
			also = append(also, f.State)
		}
	}
	if len(also) > 0 {
		text += "; also " + strings.Join(also, ", ")
	}
	return v.State + ": " + text
}

// Rank orders verdicts, the worst has the highest.
func (v Verdict) Rank() int {
	if v.Severity == "" {
		return 0
	}
	return rank(v.Findings[0])
}

func rank(f Finding) int {
	weight, known := weights[f.State]
	if !known {
		weight = weights[""]
	}
	switch f.Severity {
	case SeverityError:
		return 2000 + weight
	case SeverityWarning:
		return 1000 + weight
	case SeverityInfo:
	}
	return weight
}

// weights order findings of one severity by their states: those in front stop more messages.
var weights = map[string]int{
	"unreadable": 60, "expiring": 55, "denied": 52, "stuck": 50, "stranded": 48, "held up": 45, "outbox": 42, "late": 40, "": 38,
	"hung": 35, "silent": 30, "deaf": 28, "early": 25, "paused": 20, "unserved": 15, "limited": 10, "dead": 5, othersCheck: 1,
}

// lateFrom is the lag from which on a queue is late.
const lateFrom = time.Minute

// asideAfter is for how long messages lie aside at most while a process moves them.
const asideAfter = 10 * time.Second

// Judge says how a queue stands by its status and, where it was examined as well, by what
// [Diagnose] has found in its messages. It is the one place that decides: the same facts have the
// same words everywhere.
func Judge(q QueueStatus, examined ...Finding) Verdict {
	j := judge{QueueStatus: q, examined: examined}
	j.codec, j.reasons = j.take(readsCheck), j.take(reasonsCheck)
	j.readable()
	j.takes()
	j.outbox()
	j.moves()
	j.processes()
	j.rights()
	j.early()
	j.operators()
	j.others()
	j.letters()
	v := Verdict{Queue: q.Queue, State: StateFine, Findings: slices.Concat(j.found, j.examined)}
	slices.SortStableFunc(v.Findings, func(a, b Finding) int { return cmp.Compare(rank(b), rank(a)) })
	for i := range v.Findings {
		v.Findings[i].State = cmp.Or(v.Findings[i].State, v.Findings[i].Check)
	}
	if len(v.Findings) > 0 && v.Findings[0].Severity != SeverityInfo {
		v.State, v.Severity = v.Findings[0].State, v.Findings[0].Severity
		return v
	}
	v.Proof = j.proof()
	return v
}

// judge is one judgement of a queue.
type judge struct {
	QueueStatus

	codec    Finding   // which one reads the payloads
	reasons  Finding   // that most dead letters have
	examined []Finding // by [Diagnose], which says more of some of it
	found    []Finding
}

// knows reports whether the examination has said it.
func (j *judge) knows(check string) bool {
	return slices.ContainsFunc(j.examined, func(f Finding) bool { return f.Check == check && f.Severity != SeverityInfo })
}

func (j *judge) add(state, check string, severity Severity, n int64, message, advice string) *Finding {
	j.found = append(j.found, Finding{State: state, Check: check, Severity: severity, Queue: j.Queue, Count: n, Message: message, Advice: advice, Age: j.Age})
	return &j.found[len(j.found)-1]
}

// command is one that runs as printed.
func (j *judge) command(words string) string { return "duequeue " + words + " " + shellName(j.Queue) }

// move is the command that moves the messages to another queue.
func (j *judge) move(words, to string) string { return j.command(words) + " " + shellName(to) }

// readable reports what is not known.
func (j *judge) readable() {
	if j.Err == nil || j.knows("type") {
		return
	}
	if errors.As(j.Err, new(*fault.ControlError)) {
		j.add("unreadable", "control", SeverityError, 0, j.Err.Error()+"; Go processes that start take nothing", "set it anew, as with this command; pause and limit do so, too").Command = j.command("resume")
		return
	}
	if rediserr.MayPass(j.Err) {
		j.add("unreadable", "node", SeverityError, 0, "the Redis node of this queue does not answer: "+j.Err.Error(), "look at that node: the queue stands still until it answers")
		return
	}
	f := j.add("unreadable", "unreadable", SeverityError, 0, "the queue cannot be read: "+j.Err.Error(),
		"find out who else uses these names")
	if r, refused := control.RefusalOf(j.Err); refused {
		f.Advice = "this command prints the missing rule for your Redis user: it takes nothing from it"
		f.Command = causes.Grant(RoleOperate.String(), j.user, shellName(j.Queue), j.partitions, r)
	}
}

// crashLoop is how many processes that died within a lease are no deploy that was killed.
const crashLoop = 3

// heardWithin is for how long a process that has just said something is alive though it does not listen:
// subscriptions break, and are made anew.
const heardWithin = 10 * time.Second

// unheard reports that no one listens for messages that fall due, and no process has said anything just
// now.
func (j *judge) unheard() bool {
	alive := j.Processes > j.Silent && (j.Heard < heardWithin || j.deaf() > 0)
	return j.Listeners == 0 && !alive
}

// moves reports messages that are due or will be, and that no process moves to the ready list.
func (j *judge) moves() {
	if len(j.Expiring) > 0 && !j.knows("expiry") {
		severity := SeverityError
		if j.viewEnds {
			severity = SeverityWarning
		}
		f := j.add("expiring", "expiry", severity, int64(len(j.Expiring)), causes.Expiring(j.Expiring...),
			"find the program that calls expire on them; this command lets Redis keep them")
		f.Command = j.command("doctor -fix")
	}
	if j.AsideFor > asideAfter {
		j.add("stranded", "aside", SeverityError, j.Aside, fmt.Sprintf("%s been set aside for %s, on the way to %s: the program that moved them was killed", count(j.Aside, "message has", "messages have"), words.Span(j.AsideFor), j.AsideTo),
			"this command brings them there, and moves the rest of the queue").Command = j.move("move -yes", j.AsideTo)
	}
	if j.Unserved > 0 && !j.knows("partitions") {
		j.add("stranded", "partitions", SeverityError, j.Unserved, count(j.Unserved, "message is", "messages are")+" in partitions from which no Go process takes",
			"let all services declare the same number of partitions")
	}
	switch {
	case j.denied(): // why is said
	case j.Overdue > 0 && j.unheard():
		f := j.add("stuck", "overdue", SeverityError, j.Overdue, count(j.Overdue, "message is", "messages are")+" due"+j.oldest(j.overdueLag(), false)+", and no process moves or takes "+them(j.Overdue)+j.near(),
			"start a service that handles the queue, or one in Java that calls getDelayedQueue on it; this command moves what is due for as long as it runs")
		if !strings.Contains(j.Queue, ",") {
			f.Command = j.command("transfer -listen off -queues") // another one may have the address
		}
		j.misspelt(f)
	case j.Overdue > 0 && j.overdueLag() > lateFrom && j.Ready < watch.FullReady:
		j.add("late", "overdue", SeverityError, j.Overdue, fmt.Sprintf("%s due%s, and no program moves %s in time", count(j.Overdue, "message is", "messages are"), j.oldest(j.overdueLag(), false), them(j.Overdue)),
			j.command("doctor")+" names elements that stop Redisson; where there are none, a transfer cannot keep up")
	case j.Delayed > 0 && j.unheard():
		j.misspelt(j.add("unserved", "listeners", SeverityWarning, j.Delayed, count(j.Delayed, "message is", "messages are")+" pending, and no process would move "+them(j.Delayed)+" when due"+j.near(),
			"start a service that handles or transfers the queue, or one in Java that calls getDelayedQueue on it"))
	}
}

// takes reports ready messages that wait, and of processes that do not take them.
func (j *judge) takes() {
	late := j.readyLag() > lateFrom
	switch {
	case j.Closed > 0:
		j.heldUp()
		if late && j.Ready > 0 && j.Pause == nil && j.Closed < j.Takers {
			j.slow()
		}
	case j.Ready == 0 || j.Pause != nil || j.denied():
	case j.Takers == 0 && j.Listeners == 0:
		severity := SeverityWarning
		if late {
			severity = SeverityError
		}
		j.misspelt(j.add("unserved", "ready", severity, j.Ready, fmt.Sprintf("%s ready%s, and no process takes %s: no Go process serves the queue, and no program listens to it", count(j.Ready, "message is", "messages are"), j.oldest(j.readyLag(), j.LagAtLeast), them(j.Ready))+j.near(),
			"start a service that handles the queue"))
	case !late:
	case j.Takers == 0:
		j.misspelt(j.add("late", "ready", SeverityError, j.Ready, fmt.Sprintf("%s ready%s, and no Go process takes %s; %s none, or too few", count(j.Ready, "message is", "messages are"), j.oldest(j.readyLag(), j.LagAtLeast), them(j.Ready), listeners(j.Listeners))+j.near(),
			"start consumers in Go or in Java: a program that only offers or transfers does not take"))
	default:
		j.slow()
	}
}

// heldUp tells why processes take nothing.
func (j *judge) heldUp() {
	severity, who := SeverityWarning, fmt.Sprintf("%d of %d Go processes %s nothing", j.Closed, j.Takers, takes(j.Closed))
	if j.Closed == j.Takers {
		who = "no Go process takes from the queue"
		if j.Ready > 0 {
			severity = SeverityError
		}
	}
	add := func(why, advice, command string) *Finding {
		f := j.add("held up", "intake", severity, int64(j.Closed), who+": "+why, advice)
		f.Evidence, f.Command = j.LastError, command
		return f
	}
	switch j.Because {
	case health.BecauseBreaker:
		add(causes.Breaker(j.LastErrorKind), "repair what the handlers depend on; the processes try again by themselves", j.command("ps"))
	case health.BecauseUndecodable:
		if j.Ready == 0 || j.reads() != "" && j.reads() == j.Codec { // what they met was taken out since
			if j.Ready == 0 {
				severity = SeverityInfo
			}
			add(words.Span(j.Age)+" ago the next messages were of another codec; none of those that are ready now is", "nothing: the processes look again by themselves", j.command("ps"))
			return
		}
		add(causes.Undecodable(j.Codec, j.codec.Message, j.LastErrorKind), j.otherCodec(), j.command("inspect"))
	case health.BecauseHung:
		add(causes.Hung(j.Hung, j.HungIn...), restart, j.command("inflight"))
	case health.BecauseLease:
		add(causes.Lease, "look at the network between them and Redis, and at how long Redis takes", j.command("ps"))
	case health.BecauseControl:
		add(causes.Unread, "this command shows what they say; their logs have the error", j.command("ps"))
	case "", health.BecausePaused, health.BecauseRateLimited, health.BecauseDraining:
	default:
		add(string(j.Because), "this command shows what they say", j.command("ps"))
	}
}

// restart is what to do where handlers hang.
const restart = "restart these processes; their logs have the stacks of the handlers"

// slow tells why messages wait though processes take.
func (j *judge) slow() {
	ready := count(j.Ready, "message is", "messages are") + " ready" + j.oldest(j.readyLag(), j.LagAtLeast)
	switch {
	case j.Limited > 0 && j.Limit != nil && j.Limit.Rate > 0:
		f := j.add("late", "rate", SeverityError, j.Ready, ready+": "+causes.Rate(j.Limit, j.Rate, each(j.Takers)), "raise the limit, or take it back with this command")
		f.Command = j.command("limit -off")
	case j.Limited > 0:
		j.add("late", "rate", SeverityError, j.Ready, ready+": "+causes.Rate(nil, j.Rate, each(j.Takers)),
			"raise the rate in the program's declaration, or start more processes: an operator's limit only lowers it")
	case j.Hung > 0:
		f := j.add("late", "hung", SeverityError, j.Ready, ready+", and "+causes.Hung(j.Hung, j.HungIn...),
			restart)
		f.Command = j.command("inflight")
	case j.Full >= j.Takers-j.Closed:
		f := j.add("late", "slow", SeverityError, j.Ready, fmt.Sprintf("%s: handlers are slower than messages come, all workers of %s are busy", ready, processes(j.Takers-j.Closed)),
			"raise Workers, start more processes, or look at why handlers are slow: this command shows what runs")
		f.Command = j.command("inflight")
	default:
		f := j.add("late", "slow", SeverityError, j.Ready, ready+": messages come faster than "+processes(j.Takers)+" "+takes(j.Takers)+" them",
			"start more processes, or look at why they are slow")
		f.Command = j.command("ps")
	}
}

// outbox reports rows that no relay sends.
func (j *judge) outbox() {
	if j.OutboxFor > 0 {
		since := "looked for them in the last " + words.Span(j.OutboxFor)
		if j.OutboxNever {
			since = "ever looked for them"
		}
		j.add("outbox", "outbox", SeverityError, 0, "Go processes write messages of this queue into an outbox, and no relay has "+since+": they wait in the database",
			"start a process with a relay that knows the queue (outbox.NewRelay), or look at the log of the one that runs")
	}
}

// processes reports those that died or hang.
func (j *judge) processes() {
	if j.Hung > 0 && j.Because != health.BecauseHung && !slices.ContainsFunc(j.found, func(f Finding) bool { return f.Check == "hung" }) {
		j.add("hung", "hung", SeverityWarning, int64(j.Hung), causes.Hung(j.Hung, j.HungIn...)+": each keeps memory and what it waits for",
			restart).Command = j.command("inflight")
	}
	if j.Ended > endedAfter && !j.knows("sessions") {
		j.add("stranded", "sessions", SeverityError, 0, fmt.Sprintf("a Go process ended %s ago and still holds messages: no process gives them back", words.Span(j.Ended)),
			"start any Go service that handles, transfers or offers to this queue, or run this command: it returns the messages to the head").Command = j.command("reap")
	}
	switch {
	case j.denied(): // they live
	case j.Silent >= crashLoop && j.Young > 0:
		j.add("silent", "silent", SeverityWarning, int64(j.Silent), fmt.Sprintf("Go processes die and start again: %d %s gone without a word (%s), and %d started within the last minute", j.Silent, are(j.Silent), strings.Join(j.SilentIn, "; "), j.Young),
			"look at their exit codes and logs; this command shows the messages in whose hands they died").Command = j.command("dead groups")
	case j.Silent > 0:
		j.add("silent", "silent", SeverityWarning, int64(j.Silent), fmt.Sprintf("%d of %d Go processes %s gone without a word (%s): killed, or without Redis", j.Silent, j.Processes, are(j.Silent), strings.Join(j.SilentIn, "; ")),
			"start them again; what they held goes back to the queue, by any Go process that lives or by this command").Command = j.command("reap -wait")
	case (j.Processes > 0 || j.sessions > 0) && j.unheard() && j.Err == nil && j.Ended == 0 && !j.knows("sessions"):
		who := max(int64(j.Processes), j.sessions)
		j.add("silent", "silent", SeverityWarning, who, count(who, "Go process has", "Go processes have")+" a lease on the queue, and none listens to it: killed within the last half minute, or without Redis",
			"start them again; what they held goes back to the queue, by any Go process that lives or by this command").Command = j.command("reap -wait")
	}
}

// early reports a Java client whose clock is ahead: it moves messages by its own clock.
func (j *judge) early() {
	if j.Early > 0 {
		j.add("early", "early", SeverityWarning, j.Early, fmt.Sprintf("%s up to %s before %s due, in the last ten minutes: the clock of a Java client is ahead", count(j.Early, "message came", "messages came"), words.Span(j.EarlyBy), were(j.Early)),
			"compare the clocks of the machines of the Java programs that call getDelayedQueue on this queue with that of Redis, and let NTP set them")
	}
}

func were(n int64) string {
	if n == 1 {
		return "it was"
	}
	return "they were"
}

// operators tells what is set.
func (j *judge) operators() {
	if p := j.Pause; p != nil {
		j.add("paused", "control", SeverityWarning, 0, p.String()+" ("+JavaGoesOn+")", "resume when the reason is gone").Command = j.command("resume")
	}
	if l := j.Limit; l != nil {
		j.add("limited", "control", SeverityInfo, 0, l.String(), "this command takes the limit back").Command = j.command("limit -off")
	}
}

// letters reports messages that were given up: nothing deletes them unless the declaration says so.
func (j *judge) letters() {
	if j.Dead == 0 {
		return
	}
	advice := "this command shows why; fix the cause, then redrive or drop them"
	message := count(j.Dead, "message is", "messages are") + " in the dead store"
	if r := j.reasons; r.Message != "" {
		message += ", " + r.Message
		advice = "this command shows the causes, and " + r.Command + " one of the messages; fix the cause, then redrive or drop them"
		if causes.Harmful(r.State) {
			advice += ": redrive -all leaves those that killed a process or hung"
		}
	}
	if j.Dead > manyDead {
		message += ": all of them are kept in the memory of Redis"
		advice += ", or export them, or declare registry.DeadLimit or DeadAge"
	}
	j.add("dead", "dead", SeverityWarning, j.Dead, message, advice).Command = j.command("dead groups")
}

// proof says why nothing is wrong.
func (j *judge) proof() string {
	var text string
	switch {
	case j.Aside > 0:
		text = "its messages are on the way to " + j.AsideTo
	case j.Ready+j.Delayed+j.InFlight == 0:
		text = "no message waits"
	case j.Lag > 0:
		text = "the oldest message that is due has waited for " + words.Span(j.Lag)
	case j.Ready == 0 && j.Overdue == 0 && j.Delayed > 0:
		text = "nothing is due"
	default:
		text = "nothing waits for longer than it should"
	}
	switch {
	case j.Takers > 0:
		text += ", and " + count(int64(j.Takers), "Go process takes", "Go processes take")
	case j.Listeners > 0:
		text += ", and " + count(j.Listeners, "program listens", "programs listen")
	}
	return text
}

// overdueLag and readyLag are the parts of the lag, all of it where they are not known. Where so many are
// ready that nothing more is moved, what is pending waits for their consumers, too.
func (j *judge) overdueLag() time.Duration {
	if j.OverdueLag+j.ReadyLag == 0 {
		return j.Lag
	}
	return j.OverdueLag
}

func (j *judge) readyLag() time.Duration {
	if j.OverdueLag+j.ReadyLag == 0 || j.Ready >= watch.FullReady {
		return j.Lag
	}
	return j.ReadyLag
}

func (j *judge) oldest(lag time.Duration, atLeast bool) string {
	switch {
	case lag <= 0:
		return ""
	case atLeast:
		return ", the oldest for at least " + words.Span(lag)
	}
	return ", the oldest for " + words.Span(lag)
}

func (j *judge) near() string {
	if j.Near == "" {
		return ""
	}
	return fmt.Sprintf("; %s is served, and has no message: is one of the names misspelt?", j.Near)
}

// misspelt gives a finding the command that moves the messages to the queue of the right name.
func (j *judge) misspelt(f *Finding) {
	if j.Near != "" {
		f.Advice = "if this name is wrong, correct it in the program that offers, and move its messages: this command shows how many, and moves them with -yes; if it is right, " + f.Advice
		f.Command = j.move("move", j.Near)
	}
}

func them(n int64) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func listeners(n int64) string {
	if n == 1 {
		return "the program that listens takes"
	}
	return fmt.Sprintf("the %d programs that listen take", n)
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func takes(n int) string {
	if n == 1 {
		return "takes"
	}
	return "take"
}

func each(n int) string {
	if n == 1 {
		return "1 Go process handles"
	}
	return "each of " + processes(n) + " handles"
}

func processes(n int) string { return count(int64(n), "Go process", "Go processes") }
