package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// touch is a process that had a message in hand.
type touch struct {
	at     int64 // ledger's ms
	proc   string
	batch  int   // messages of the batch in which it began; 0 or 1: it began alone
	died   int   // processes that had died with it before, as the queue counted
	end    int64 // of a start: when its handler ended; 0: nobody knows
	failed bool  // the handler ended by an error
}

// message is all that the ledger says about one message.
type message struct {
	id       string
	producer string
	offered  int64 // when it was about to be offered
	accepted int64 // when the offer had succeeded; 0: not, or not known
	refused  bool  // surely not added
	due      int64 // due time, or the earliest that it can be
	wanted   int64 // when it should be due by the ledger's clock, as far as the delay tells
	starts   []touch
	finishes []touch
	failures []int64 // when handlers failed on purpose
	outcome  string  // what the offer said, where it failed
	place    string  // what its ID begins with: its partition and a dot, where that is not the first

	group  string // of equal payloads, see content; "": it is distinct
	name   string // of an equal one: its group and ID, as handlers note it
	paired bool   // what is known of its handling is that of some message of its group
}

func (m *message) handled() bool { return len(m.finishes) > 0 }

// tally adds up a ledger.
type tally struct {
	messages map[string]*message
	last     string // entry read last
	skewed   bool   // due times follow a clock that is wrong, those of retries, too
	finished []int64
	clocks   map[string]time.Duration // how far processes are ahead of the ledger
	strange  int                      // handled or accepted, though never offered
	named    map[string]*message      // equal ones by name; those that no offer was told of are not in messages
}

func newTally() *tally {
	return &tally{messages: map[string]*message{}, named: map[string]*message{}, clocks: map[string]time.Duration{}, last: "0"}
}

// follow reads the ledger up to its present end.
func (t *tally) follow(ctx context.Context, l *ledger) error {
	for {
		entries, last, err := l.read(ctx, t.last)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			return nil
		}
		for _, e := range entries {
			t.add(e)
		}
		t.last = last
	}
}

func (t *tally) add(e entry) {
	first, second, _ := strings.Cut(e.rest, " ")
	number := func() int64 { n, _ := strconv.ParseInt(first, 10, 64); return n }
	if e.kind == noteClock {
		t.clocks[e.proc] = time.Duration(number()-e.at) * time.Millisecond
		return
	}
	m := t.messages[e.id]
	switch {
	case strings.HasPrefix(e.id, "="):
		m = t.equal(e)
	case m == nil:
		m = &message{id: e.id}
		t.messages[e.id] = m
	}
	switch e.kind {
	case noteOffering:
		m.offered, m.producer, m.due, m.wanted, m.group = e.at, e.proc, e.at+number(), e.at+number(), second
	case noteAccepted:
		m.accepted = e.at
		if due := number(); due > 0 {
			m.due = due
		}
		m.place, _, _ = strings.Cut(second, "-")
		if m.group != "" && second != "" {
			t.tell(m, m.group+"/"+second)
		}
	case noteRefused:
		m.refused, m.outcome = true, e.rest
	case noteUnknown:
		m.outcome = e.rest
	case noteStarted:
		m.starts = append(m.starts, startOf(e))
	case noteFinished:
		m.ended(e, false)
		m.finishes = append(m.finishes, touch{at: e.at, proc: e.proc})
		t.finished = append(t.finished, e.at)
	case noteFailed:
		m.ended(e, true)
		if e.rest == onPurpose {
			m.failures = append(m.failures, e.at)
		}
	}
	if m.offered == 0 && m.group == "" {
		t.strange++
	}
}

// equal finds the message that a handler noted by its group and ID. One without an ID,
// as Java's takers note it, is a message of its own each time.
func (t *tally) equal(e entry) *message {
	group, _, known := strings.Cut(e.id, "/")
	name := e.id
	if !known {
		name = fmt.Sprintf("%s@%d", e.id, len(t.named))
	}
	m := t.named[name]
	if m == nil {
		m = &message{id: name, group: group, name: name}
		t.named[name] = m
	}
	return m
}

// tell gives an equal message its name, and what was noted under that before.
func (t *tally) tell(m *message, name string) {
	if known := t.named[name]; known != nil && known != m {
		m.adopt(known)
	}
	m.name, t.named[name] = name, m
}

func (m *message) adopt(stray *message) {
	m.starts, m.finishes, m.failures = stray.starts, stray.finishes, stray.failures
}

// strays are the equal messages, by group, that were handled though no offer was told
// their ID: the offer's outcome is unknown, or the ID was not kept. Then one may also have
// come under the ID of another, whose further handlings are strays as well.
func (t *tally) strays(idsLost bool) map[string][]*message {
	out := map[string][]*message{}
	for _, m := range t.named {
		if m.offered == 0 && m.handled() {
			out[m.group] = append(out[m.group], m)
		}
		if idsLost {
			for _, f := range m.finishes[min(1, len(m.finishes)):] {
				out[m.group] = append(out[m.group], &message{group: m.group, starts: []touch{{at: f.at, proc: f.proc, end: f.at}}, finishes: []touch{f}})
			}
		}
	}
	for _, ms := range out {
		slices.SortFunc(ms, func(a, b *message) int { return cmp.Compare(a.finishes[0].at, b.finishes[0].at) })
	}
	return out
}

// pair gives each stray to a message of its group that nobody is known to have handled:
// where IDs are not kept, first to those that were accepted, then to those of unknown
// outcome, and where they are kept last to refused ones. What is over is returned: each was
// handled though nothing of the kind was left, or where IDs are not kept a second time.
func (t *tally) pair(idsLost bool) (over int) {
	strays := t.strays(idsLost)
	choices := []func(*message) bool{
		func(m *message) bool { return idsLost && m.accepted > 0 },
		func(m *message) bool { return m.accepted == 0 && !m.refused },
		func(m *message) bool { return m.refused && !idsLost },
	}
	for _, fits := range choices {
		for _, m := range t.sorted() {
			if rest := strays[m.group]; m.group != "" && len(rest) > 0 && !m.handled() && fits(m) {
				m.adopt(rest[0])
				m.paired, strays[m.group] = true, rest[1:]
			}
		}
	}
	for _, rest := range strays {
		over += len(rest)
	}
	if idsLost { // nothing but their number is known of any of them
		for _, m := range t.messages {
			if m.group != "" {
				m.paired, m.finishes = true, m.finishes[:min(1, len(m.finishes))]
			}
		}
	}
	return over
}

// sorted are all messages in the order in which they were due.
func (t *tally) sorted() []*message {
	return slices.SortedFunc(maps.Values(t.messages), func(a, b *message) int { return cmp.Compare(a.due, b.due) })
}

// ended notes the end of what the process began last.
func (m *message) ended(e entry, failed bool) {
	for i := len(m.starts) - 1; i >= 0; i-- {
		if s := &m.starts[i]; s.proc == e.proc && s.end == 0 {
			s.end, s.failed = e.at, failed
			return
		}
	}
}

// startOf reads a start; Java's and other peers' have the attempt alone.
func startOf(e entry) touch {
	began := touch{at: e.at, proc: e.proc}
	if parts := strings.Split(e.rest, "/"); len(parts) == 3 {
		began.batch, _ = strconv.Atoi(parts[1])
		began.died, _ = strconv.Atoi(parts[2])
	}
	return began
}

// open lists accepted messages that nobody has handled. Where IDs are not kept, each
// stray stands for one of its group.
func (t *tally) open(idsLost bool) (out []*message) {
	strays := map[string][]*message{}
	if idsLost {
		strays = t.strays(true)
	}
	for _, m := range t.sorted() {
		switch rest := strays[m.group]; {
		case m.accepted == 0 || m.handled():
		case len(rest) > 0:
			strays[m.group] = rest[1:]
		default:
			out = append(out, m)
		}
	}
	return out
}

// handled counts messages that somebody has handled.
func (t *tally) handled() (n int) {
	for _, m := range t.messages {
		if m.handled() {
			n++
		}
	}
	return n
}
