package chaos

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// strike is one fault that struck. Its times are the ledger's, in ms.
type strike struct {
	what    string
	at      int64
	healed  int64    // 0: it holds
	from    int64    // the state to which the server fell back; 0: it lost nothing
	procs   []string // the processes that it hit; none: the server, and so all of them
	outage  bool     // nothing can be handled while it holds: recovery counts from its end
	late    bool     // what nobody has begun waits until it is healed
	repeats bool     // what is in hand may be handled again
	effects int      // what it did to others
	idle    bool     // it may find nobody to harm
}

// handling is a process that had a message in hand.
type handling struct {
	at   int64
	proc string
	died int   // processes that had died with the message before, as the queue counted
	end  int64 // when its handler ended; 0: nobody knows
}

// message is all that the ledger says about one message.
type message struct {
	id       string
	producer string
	offered  int64 // when it was about to be offered
	accepted int64 // when the offer had succeeded; 0: not, or not known
	refused  bool  // surely not added
	due      int64 // due time, or the earliest that it can be
	starts   []handling
	finishes []int64
	failed   bool // a handler failed: it has waited for its retry
}

func (m *message) handled() bool { return len(m.finishes) > 0 }

// tally adds up a ledger.
type tally struct {
	messages map[string]*message
	last     string                   // entry read last
	clocks   map[string]time.Duration // how far processes are ahead of the ledger
	strange  []string                 // handled, though nobody offered them
	events   int                      // starts and ends of handlers
}

func newTally() *tally {
	return &tally{messages: map[string]*message{}, clocks: map[string]time.Duration{}, last: "0"}
}

// follow reads the ledger up to its present end.
func (t *tally) follow(ctx context.Context, l *ledger) error {
	for {
		entries, last, err := l.read(ctx, t.last)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			t.add(e)
		}
		t.last = last
	}
}

func (t *tally) add(e entry) {
	n, _ := strconv.ParseInt(e.rest, 10, 64) // 0 where the rest is text
	if e.kind == noteClock {
		t.clocks[e.proc] = time.Duration(n-e.at) * time.Millisecond
		return
	}
	m := t.messages[e.id]
	if m == nil {
		m = &message{id: e.id}
		t.messages[e.id] = m
		if e.kind != noteOffering {
			t.strange = append(t.strange, e.id)
		}
	}
	switch e.kind {
	case noteOffering:
		m.offered, m.producer, m.due = e.at, e.proc, e.at+n
	case noteAccepted:
		m.accepted = e.at
		if n > 0 {
			m.due = n
		}
	case noteRefused:
		m.refused = true
	case noteStarted:
		t.events++
		m.starts = append(m.starts, handling{at: e.at, proc: e.proc, died: int(n)})
	case noteFinished:
		t.events++
		m.finishes = append(m.finishes, e.at)
		m.ended(e)
	case noteFailed:
		t.events++
		m.failed = true
		m.ended(e)
	}
}

// ended notes the end of what the process began last.
func (m *message) ended(e entry) {
	for i := len(m.starts) - 1; i >= 0; i-- {
		if s := &m.starts[i]; s.proc == e.proc && s.end == 0 {
			s.end = e.at
			return
		}
	}
}

// open lists the accepted messages that nobody has handled.
func (t *tally) open() (out []string) {
	for _, m := range t.messages {
		if m.accepted > 0 && !m.handled() {
			out = append(out, m.id)
		}
	}
	return out
}

// handled counts the messages that somebody has handled.
func (t *tally) handled() (n int) {
	for _, m := range t.messages {
		if m.handled() {
			n++
		}
	}
	return n
}

// account is what came of all messages of a row.
type account struct {
	accepted, refused, unknown, handled int

	lost      []string // accepted, neither handled nor in the dead store
	dead      []string // in the dead store
	early     []string // begun before they were due
	refusals  []string // handled, though their offer said that nothing was added
	doubled   int      // handlings beyond the first
	unreached []string // handled more often than faults reached them

	recovery time.Duration // the longest, of those whose faults the ledger knows
	slowest  string        // id of that one
	ordinary time.Duration // the longest that a message waited to begin while no fault held
}

// earlyTolerance is how far, in ms, the clock of one Redis, which stands still while it runs a
// batch of commands, may be behind that of another on the same machine.
const earlyTolerance = 5

// settle makes the account. dead tells which messages are in the dead store, since when all
// processes ran: nobody can be late before that.
func (t *tally) settle(strikes []*strike, dead func(id string) bool, since int64) *account {
	a := &account{}
	for _, m := range t.messages {
		a.count(m, dead(m.id))
		a.countDoubles(m, strikes)
		a.countRecovery(m, strikes, since)
	}
	for _, ids := range [][]string{a.lost, a.dead, a.early, a.refusals, a.unreached} {
		slices.Sort(ids)
	}
	return a
}

func (a *account) count(m *message, dead bool) {
	switch {
	case m.accepted > 0:
		a.accepted++
	case m.refused:
		a.refused++
		if len(m.starts) > 0 {
			a.refusals = append(a.refusals, m.id)
		}
	default:
		a.unknown++
	}
	switch {
	case m.handled():
		a.handled++
	case m.accepted > 0 && dead:
		a.dead = append(a.dead, m.id)
	case m.accepted > 0:
		a.lost = append(a.lost, m.id)
	}
	if len(m.starts) > 0 && m.starts[0].at < m.due-earlyTolerance {
		a.early = append(a.early, fmt.Sprintf("%s by %d ms", m.id, m.due-m.starts[0].at))
	}
}

// ackTime is how long, in ms, the ack of a handled message may be under way. It leaves with the
// next take, after 20 ms at the latest; while Redis does not answer the pauses between the tries
// grow to 5 s, see framework/internal/engine/sessions/acks.go.
const ackTime = 5000

// countDoubles looks whether a fault reached the message before each repetition: a process that
// the fault hit had it in hand, or had handled it with the ack unsent. A server that fell back
// to an earlier state has forgotten what was done since. Each fault explains one repetition.
func (a *account) countDoubles(m *message, strikes []*strike) {
	if len(m.finishes) < 2 {
		return
	}
	a.doubled += len(m.finishes) - 1
	var reached []int64
	for _, k := range strikes {
		if k.repeats && slices.ContainsFunc(m.starts, func(s handling) bool {
			return k.hits(s.proc) && s.at <= max(k.at, k.healed) && m.endOf(s)+ackTime >= min(k.at, cmp.Or(k.from, k.at))
		}) {
			reached = append(reached, k.at)
		}
	}
	slices.Sort(reached)
	for i, again := range m.finishes[1:] {
		if i >= len(reached) || reached[i] > again {
			a.unreached = append(a.unreached, m.id)
			return
		}
	}
}

// countRecovery counts how long a message waited to begin for the last time: from when it was
// due, or from the last fault that hit it. A fault of a process hits what that process has in
// hand; a fault of the server hits everything until it is healed. Left out are messages that
// failed, since they wait for their retry, and those that two processes died with, since they
// run alone and wait for their turn.
func (a *account) countRecovery(m *message, strikes []*strike, since int64) {
	if !m.handled() || m.accepted == 0 || m.failed {
		return
	}
	var last handling
	for _, s := range m.starts {
		if s.at <= m.finishes[0] && (s.end == 0 || s.end >= m.finishes[0]) {
			last = s
		}
	}
	begun := last.at
	if begun < since {
		return
	}
	base, quiet := max(m.due, m.accepted, since), true
	due := base
	for _, k := range strikes {
		if k.at >= begun {
			continue
		}
		end := max(k.at, k.healed)
		quiet = quiet && end < due
		switch {
		case (k.outage || k.late && !m.begunWithin(base, k.healed)) && k.healed >= base:
			base = min(k.healed, begun)
		case len(k.procs) > 0 && m.inHand(k):
			base = max(base, k.at)
		}
	}
	took := time.Duration(begun-base) * time.Millisecond
	switch {
	case last.died > 1:
	case quiet:
		a.ordinary = max(a.ordinary, took)
	case took > a.recovery:
		a.recovery, a.slowest = took, m.id
	}
}

// begunWithin tells whether anybody began the message in that time.
func (m *message) begunWithin(after, until int64) bool {
	return slices.ContainsFunc(m.starts, func(s handling) bool { return s.at > after && s.at <= until })
}

// inHand tells whether a process that the fault hit had begun the message and not finished it.
func (m *message) inHand(k *strike) bool {
	return slices.ContainsFunc(m.starts, func(s handling) bool {
		return k.hits(s.proc) && s.at <= k.at && m.endOf(s) > k.at
	})
}

// hits tells whether the fault hits a process: one of the server hits all.
func (k *strike) hits(proc string) bool { return len(k.procs) == 0 || slices.Contains(k.procs, proc) }

// endOf is when a handling was over: by its own end or, where its process did not live to tell,
// at the next start.
func (m *message) endOf(s handling) int64 {
	if s.end > 0 {
		return s.end
	}
	for _, next := range m.starts {
		if next.at > s.at {
			return next.at
		}
	}
	return math.MaxInt64 / 2
}

// sample shows a few of many.
func sample(ids []string) string {
	const most = 5
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:most], ", ") + ", …"
}
