package invariants

import (
	"encoding/hex"
	"slices"

	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// take takes a few messages and settles others with the same script. Now and then it is
// a session that was reaped and does not know it.
func (w *world) take() {
	s := w.session()
	if len(w.ghosts) > 0 && w.roll(5, "a ghost takes") == 0 {
		s = w.ghosts[0]
		w.ghosts = w.ghosts[1:]
		w.sessions = append(w.sessions, s)
	}
	var acked []handed
	for _, h := range w.tokens {
		if h.s == s && w.roll(3, "ack") == 0 {
			acked = append(acked, h)
		}
	}
	w.takeBy(s, 1+w.roll(5, "how many"), "", acked)
}

// probe takes one message as a breaker does, which asks for one that was never handed out.
func (w *world) probe() {
	if slices.ContainsFunc(w.queue, func(m *message) bool { return m.over }) {
		return // what is left of its counters may tell so or not
	}
	w.takeBy(w.session(), 1, []string{"probe", "new"}[w.roll(2, "untried")], nil)
}

// stock offers a few messages and takes them by several fetches of one session.
func (w *world) stock() {
	for range 4 {
		w.offer()
	}
	w.transfer()
	s := w.session()
	for range 3 {
		w.takeBy(s, 1+w.roll(2, "how many"), "", nil)
	}
}

func (w *world) takeBy(s *session, n int, probe string, acked []handed) {
	var acks lease.Acks
	for _, h := range acked {
		acks = append(acks, h.token)
	}
	expected, buried, used := w.plan(s, n, probe)
	before := w.line.losses()
	w.mayLose()
	if len(expected) == 0 && len(buried) > 0 {
		// No fetch remembers a take that buried all it found: its repeat takes what is next.
		w.line.lose(nothing)
	}
	var b lease.Batch
	var err error
	if probe == "" {
		b, err = s.Take(w.ctx, n, acks)
	} else {
		b, err = s.Probe(w.ctx, probe == "new", acks)
	}
	w.check(err)
	if b.Lost != s.reaped && (s.reaped || !b.Repeated) && before == w.line.losses() {
		w.fatalf("take of a session, reaped %v: lost %v (I3)", s.reaped, b.Lost)
	}
	w.acked(acked, b, before)
	s.registered, s.reaped = true, false
	w.took(s, b, expected, used)
	for i, m := range buried {
		reason := "oversized"
		if m.died >= 3 {
			reason = "crash-loop"
		}
		entry := ""
		if i < len(b.Buried) {
			entry = b.Buried[i].Entry
		}
		w.bury(m, reason, entry)
	}
}

// acked notes what a take has settled.
func (w *world) acked(acked []handed, b lease.Batch, before int) {
	stale := 0
	for _, h := range acked {
		if !h.live() {
			stale++
			continue
		}
		w.finish(h.m)
	}
	if stale != b.Stale && before == w.line.losses() {
		w.fatalf("%d acks had no effect, want %d (I3)", b.Stale, stale)
	}
}

// plan says what a take must bring: messages, those it buries, and how many leave
// staging and the list. A probe's one message is the first that was never handed out, else
// the head; a new one's must be.
func (w *world) plan(s *session, n int, probe string) (expected, buried, used []*message) {
	line := append(w.held(s, staged), w.queue...)
	if probe != "" && len(line) > 0 && line[0].place == ready {
		if i := slices.IndexFunc(line, func(m *message) bool { return m.delivered+m.failed == 0 }); i >= 0 {
			line = line[i:]
		} else if probe == "new" {
			line = nil
		}
	}
	for _, m := range line[:min(n, len(line))] {
		if len(m.body) > oversized || m.died >= 3 {
			buried, used = append(buried, m), append(used, m)
			continue
		}
		if m.died >= 2 && len(expected) > 0 {
			break
		}
		expected, used = append(expected, m), append(used, m)
		if m.died >= 2 {
			break
		}
	}
	return expected, buried, used
}

func (w *world) took(s *session, b lease.Batch, expected, used []*message) {
	if len(b.Messages) != len(expected) {
		w.fatalf("took %d messages, want %v (I1)", len(b.Messages), expected)
	}
	w.fetches++
	suspect := len(expected) == 1 && expected[0].died >= 2
	if b.Suspect != suspect {
		w.fatalf("suspect %v: %v (I5)", b.Suspect, expected)
	}
	for _, m := range used {
		if m.place == ready {
			w.queue = slices.DeleteFunc(w.queue, func(q *message) bool { return q == m })
		}
	}
	for i, m := range expected {
		got := b.Messages[i]
		w.compare(got, m)
		m.place, m.holder, m.token, m.fetch, m.begun = inFlight, s, got.Token, w.fetches, false
		w.tokens = append(w.tokens, handed{s, got.Token, m})
	}
}

// compare checks what a consumer learns of a message.
func (w *world) compare(got lease.Message, m *message) {
	switch {
	case string(got.Body) != m.body:
		w.fatalf("took %q, want %s (I4)", got.Body, m)
	case got.Delivered != m.delivered || got.Failed != m.failed || got.Died != m.died || got.Hung != m.hung:
		w.fatalf("took %+v, want %s (I5)", got, m)
	case string(got.Trace) != string(m.trace):
		w.fatalf("%s has the trace %x, want %x (I7)", m, got.Trace, m.trace)
	case wire.ParseHistory(got.History).Redriven != m.redriven:
		w.fatalf("%s has the history %q (I5)", m, got.History)
	case m.due == soon && got.DueMs <= 0, m.due != soon && got.DueMs != m.due:
		w.fatalf("%s is due at %d (I7)", m, got.DueMs)
	case m.name != "" && got.ID.String() != m.name:
		w.fatalf("%s has the ID %s, want %s (I7)", m, got.ID, m.name)
	}
	m.due, m.seen, m.bare = got.DueMs, got.ID.String(), false
	raw, err := hex.DecodeString(got.Field()[1:])
	w.check(err)
	m.id = wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte(raw)}
}
