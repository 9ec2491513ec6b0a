//go:build simulation

package simulation

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework"
)

// message is what the ledger knows of one.
type message struct {
	name string
	q    *queue
	kind kind
	id   framework.ID

	offered  time.Time // when its offer began
	accepted time.Time // when its offer had succeeded; zero: it has not, or nobody knows
	due      time.Time // the earliest that was asked for, by the server's clock
	latest   time.Time // the latest

	gone      time.Time // when it was cancelled, or Java took it
	excused   string    // why it may be gone
	buried    bool      // it was in the dead store
	failures  int
	failed    time.Time // last, or put off, so that it is due again at latest
	postponed time.Time // since when it is put off as a suspect, and no handler has begun
	starts    []time.Time
	finishes  []time.Time
	began     map[string]time.Time // by process: in hand
	ended     map[string]time.Time // by process: when it was out of its hand
}

// ledger is what really happened, whatever Redis says.
type ledger struct {
	mu       sync.Mutex
	byName   map[string]*message
	byID     map[framework.ID]*message
	all      []*message
	made     int
	counts   map[string]*tally // of queues where equal payloads cannot be told apart
	findings []string
	troubles []trouble
	killed   map[string]time.Time   // processes
	redrives map[string][]time.Time // by queue
	jumps    []jumped
	steering map[string][]trouble // by queue: pauses and limits of all processes
	handled  int
	dead     int // letters
	began    time.Time
}

// tally counts the messages of a queue that nobody can tell apart.
type tally struct{ accepted, unknown, finished, gone, excused int }

func newLedger() *ledger {
	return &ledger{
		began: time.Now(), killed: map[string]time.Time{}, redrives: map[string][]time.Time{}, steering: map[string][]trouble{},
		byName: map[string]*message{}, byID: map[framework.ID]*message{}, counts: map[string]*tally{},
	}
}

func (l *ledger) find(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.findLocked(format, args...)
}

func (l *ledger) findLocked(format string, args ...any) {
	if len(l.findings) < 20 {
		l.findings = append(l.findings, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
	}
}

func (l *ledger) failed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.findings) > 0
}

func (l *ledger) tally(q *queue) *tally {
	if l.counts[q.Code()] == nil {
		l.counts[q.Code()] = &tally{}
	}
	return l.counts[q.Code()]
}

// offering notes that an offer begins.
func (l *ledger) offering(q *queue, k kind, due time.Time) *message {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made++
	m := &message{q: q, kind: k, offered: time.Now(), due: due, latest: due, began: map[string]time.Time{}, ended: map[string]time.Time{}}
	m.name = payload(q, k, l.made)
	if !q.equal {
		l.byName[m.name] = m
		l.all = append(l.all, m)
	}
	return m
}

// offered notes what came of it.
func (l *ledger) offered(m *message, id framework.ID, due time.Time, err error, unknown bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tally(m.q)
	switch {
	case err == nil:
		m.accepted, m.id = time.Now(), id
		if !due.IsZero() {
			m.due, m.latest = earlier(m.due, due), due
		}
		t.accepted++
	case unknown:
		t.unknown++
	default:
		if len(m.starts) > 0 {
			l.findLocked("%s was refused, and was handled: %v", m, err)
		}
	}
	if m.q.equal && id != "" {
		if known := l.byID[id]; known != nil { // it was handled before its offer was answered
			m.starts, m.finishes, m.failures, m.failed, m.began, m.ended, m.buried = known.starts, known.finishes, known.failures, known.failed, known.began, known.ended, known.buried
		}
		l.byID[id] = m
		l.all = append(l.all, m)
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// who returns the message that a handler got, nil where it cannot be told.
func (l *ledger) who(q *queue, body, id string) *message {
	if q.equal {
		return l.byID[framework.ID(id)]
	}
	return l.byName[body]
}

// started notes that a handler begins.
func (l *ledger) started(q *queue, body, id, proc string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.who(q, body, id)
	if m == nil {
		if !q.equal {
			l.findLocked("%s handles %.60q, which nobody offered", q.Code(), body)
			return
		}
		m = &message{q: q, name: body, id: framework.ID(id), began: map[string]time.Time{}, ended: map[string]time.Time{}}
		l.byID[m.id] = m
	}
	now := time.Now()
	m.starts = append(m.starts, now)
	m.postponed = time.Time{}
	m.began[proc] = now
	l.pausedLocked(m)
	if at := l.passedLocked(m.due, m.offered, false); now.Add(time.Millisecond).Before(at) {
		l.findLocked("%s began %v early", m, at.Sub(now))
	}
	if m.kind == poison {
		l.poisonedLocked(m)
	}
}

// over notes that a handler ended: with success or a failure that counts.
func (l *ledger) over(q *queue, body, id, proc string, success bool, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.who(q, body, id)
	if success {
		l.handled++
		l.tally(q).finished++
	}
	if m == nil {
		return
	}
	m.endedLocked(proc)
	if !success {
		l.failedLocked(m)
		return
	}
	m.finishes = append(m.finishes, time.Now())
	if len(m.finishes) == 1 {
		l.punctualLocked(m, took)
	}
}

// stopped notes that a handler was ended, which is a failure where its time was over, and may
// count as one else.
func (l *ledger) stopped(q *queue, body, id, proc string, timeout bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.who(q, body, id)
	if m == nil {
		return
	}
	m.endedLocked(proc)
	if timeout {
		l.failedLocked(m)
	} else {
		m.failures++
	}
}

// endedLocked notes that a handler of a process has ended.
func (m *message) endedLocked(proc string) {
	delete(m.began, proc)
	m.ended[proc] = time.Now()
}

// failedLocked notes a failure: the message is due again by the clock of the server, at the
// latest after twice its backoff.
func (l *ledger) failedLocked(m *message) {
	m.failures++
	l.againLocked(m, 2*backoff[min(m.failures, len(backoff))-1])
}

// againLocked notes that the message is due again, at the latest after a delay from now.
func (l *ledger) againLocked(m *message, delay time.Duration) {
	m.failed = time.Now()
	m.latest = m.failed.Add(delay)
	if n := len(l.jumps); n > 0 {
		m.latest = m.latest.Add(l.jumps[n-1].ahead)
	}
}

// tolerance is what handling may take beside what faults explain: a sweep, a wait, and
// some work before.
const tolerance = 12 * time.Second

// punctualLocked: a message was handled, or is, when it is due, or 1.2 leases after the last fault.
func (l *ledger) punctualLocked(m *message, took time.Duration) {
	if m.q.suffers || m.kind == fails || m.kind == flaky || m.excused != "" {
		return
	}
	now := time.Now()
	from := l.passedLocked(m.latest, later(m.offered, m.failed), true)
	if m.accepted.After(from) {
		from = m.accepted
	}
	began := slices.IndexFunc(m.starts, m.failed.Before)
	if began >= 0 && m.starts[began].Before(from) {
		from = m.starts[began] // it was rescheduled when it had begun
	}
	limit := tolerance + took + m.q.patience
	last := ""
	for _, t := range slices.Concat(l.troubles, l.steering[m.q.Code()]) {
		if !t.begin.After(now) && !t.end.Before(from) {
			from, last, limit = t.end, t.what, 12*leaseTime/10+tolerance+2*took+m.q.patience
		}
	}
	if late := now.Sub(from); late > limit {
		l.findLocked("%s is %v late, %v are allowed (after: %s)", m, late, limit, last)
	}
}

// end notes that a message is no longer there, or may be.
func (l *ledger) end(m *message, surely bool, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if surely {
		m.gone = time.Now()
		l.tally(m.q).gone++
	}
	if m.excused = why; why == "" {
		m.excused = "gone"
	}
}

// taken notes what Java took.
func (l *ledger) taken(q *queue, body string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tally(q).gone++
	if m := l.byName[body]; m != nil {
		m.gone, m.excused = time.Now(), "Java took it"
	}
}

// rolledBack excuses what was accepted after a moment, and what was gone since may be back.
func (l *ledger) rolledBack(to time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.all {
		if m.offered.After(to) || m.accepted.After(to) {
			m.excused = "its offer was rolled back"
			l.tally(m.q).excused++
		}
	}
	for _, t := range l.counts {
		t.excused += 20 // of equal ones Java may have taken, and offers without an answer
	}
}

// moved notes another due time.
func (l *ledger) moved(m *message, due time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.due = earlier(m.due, due)
	if due.After(m.latest) {
		m.latest = due
	}
}

// some returns the messages that are open, newest last.
func (l *ledger) some(ok func(*message) bool) []*message {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*message
	for _, m := range l.all {
		if ok(m) {
			out = append(out, m)
		}
	}
	return out
}

// open are those that must still be somewhere: accepted and not handled.
func (m *message) open() bool {
	return !m.accepted.IsZero() && len(m.finishes) == 0 && m.excused == "" && m.gone.IsZero()
}

func (m *message) String() string {
	name, _, _ := strings.Cut(m.name, " 00000")
	show := func(times []time.Time) string {
		var out []string
		for _, at := range times[max(0, len(times)-6):] {
			out = append(out, at.Format("15:04:05.000"))
		}
		return strings.Join(out, " ")
	}
	return fmt.Sprintf("%q (%s, %s; offered %s, due %s, began %s, done %s, %d failures)", name, m.q.Code(), m.id,
		m.offered.Format("15:04:05.000"), m.latest.Format("15:04:05.000"), show(m.starts), show(m.finishes), m.failures)
}

// keep takes back that a message may be gone.
func (l *ledger) keep(m *message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.gone.IsZero() && m.excused == "it is being cancelled" {
		m.excused = ""
	}
}

// Steering of all processes.
const (
	fleetPause = "pause of all processes"
	fleetLimit = "limit of all processes"
	// reaches is within what a pause reaches all processes: five seconds, and then handlers
	// that had their message begin.
	reaches = 6 * time.Second
)

// steered notes that all processes are paused or bounded until a moment. It reports false
// where the queue is steered already.
func (l *ledger) steered(q *queue, until time.Time, pause bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.steering[q.Code()]
	if n := len(all); n > 0 && all[n-1].end.After(time.Now()) {
		return false
	}
	what := fleetLimit
	if pause {
		what = fleetPause
	}
	l.steering[q.Code()] = append(all, trouble{what, time.Now(), until})
	return true
}

// pausedLocked judges that a message begins: not while all processes are paused, unless a
// fault has kept one from knowing it, or the clock of the server has ended the pause.
func (l *ledger) pausedLocked(m *message) {
	all, now := l.steering[m.q.Code()], time.Now()
	if len(all) == 0 {
		return
	}
	p := all[len(all)-1]
	if p.what != fleetPause || now.Sub(p.begin) < reaches || now.After(p.end.Add(-10*time.Millisecond)) {
		return
	}
	if slices.ContainsFunc(l.troubles, func(t trouble) bool { return t.end.After(p.begin.Add(-time.Second)) }) {
		return
	}
	l.findLocked("%s began %v after all processes were paused", m, now.Sub(p.begin))
}
