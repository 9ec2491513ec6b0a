package interop_test

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// soakOp says what somebody did, or saw.
type soakOp string

// What a message's life is made of. Those of the second group end it.
const (
	soakOffer       soakOp = "offer"
	soakRescheduled soakOp = "rescheduled"
	soakFailed      soakOp = "failed"   // a handler returned an error
	soakRejected    soakOp = "rejected" // a handler sent it to the dead store
	soakRedriven    soakOp = "redriven" // N of the dead store were put back

	soakHandled   soakOp = "handled"
	soakTaken     soakOp = "taken"     // off the ready list
	soakPolled    soakOp = "polled"    // before it was due
	soakRemoved   soakOp = "removed"   // before it was due, by its value
	soakCancelled soakOp = "cancelled" // before it was due, by its id
	soakPicked    soakOp = "picked"    // off the ready list, by its value

	soakForbidden soakOp = "cancelled in flight" // it ends unless the attempt that is under way succeeds

	soakCancelKey soakOp = "cancelled by key" // which one, only Redis knows
	soakCleared   soakOp = "cleared"          // N pending ones
)

// What somebody was told.
const (
	soakGone     soakOp = "gone"     // a cancellation or rescheduling of Payload came too late
	soakHolds    soakOp = "holds"    // Payload is pending
	soakLacks    soakOp = "lacks"    // Payload is not pending
	soakEmpty    soakOp = "empty"    // nothing is pending
	soakSize     soakOp = "size"     // N are pending
	soakListed   soakOp = "listed"   // All are pending
	soakReadyHas soakOp = "is ready" // Payload is on the ready list
	soakTrouble  soakOp = "trouble"  // an error that nothing explains
)

// soakEvent is one of them, as whoever did it saw it.
type soakEvent struct {
	Who     string
	Op      soakOp
	Queue   string
	Payload string   `json:",omitempty"`
	Element string   `json:",omitempty"` // the id without its due time
	Key     string   `json:",omitempty"`
	Out     string   `json:",omitempty"` // of an offer with a key: what came of it
	Due     int64    `json:",omitempty"` // ms: not before
	N       int64    `json:",omitempty"`
	All     []string `json:",omitempty"`
	From    int64    // µs: when it began
	To      int64    // µs: when it was over
}

// soakPayload names a message. What is to happen to it is in its name, so that every
// worker can name those of every other.
func soakPayload(who, queue string, n int) string {
	name := fmt.Sprintf("%s.%s.%d", who, queue, n)
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	kind := "plain"
	switch r := h.Sum32() % 100; {
	case r < 8:
		kind = "fails-once"
	case r < 12:
		kind = "fails-twice"
	case r < 16:
		kind = "dies"
	}
	return name + "." + kind
}

// soakRandom draws what a worker does.
type soakRandom struct{ *rand.Rand }

func newSoakRandom(seed uint64, who string) soakRandom {
	h := fnv.New64a()
	_, _ = h.Write([]byte(who))
	return soakRandom{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

func (r soakRandom) below(n int) int { return r.IntN(n) }

// soakMessage is what is known of one message.
type soakMessage struct {
	payload, key string
	offer        soakEvent
	minDue       int64 // ms: the earliest that any offer or rescheduling gave it
	moves        []soakEvent
	ends         []soakEvent
	attempts     []soakEvent // of Go's handlers that failed or rejected it
	forbidden    []soakEvent
	cutShort     bool // it was cancelled in flight, and no attempt succeeded
}

// in reports whether the offer added it.
func (m *soakMessage) in() bool { return m.offer.Out == "" || m.offer.Out == "replaced" }

// surely reports whether it was pending all the time from one moment to another.
func (m *soakMessage) surely(q soakQueue, from, to int64) bool {
	if !m.in() || m.offer.To > from || m.minDue*1000 <= to+1000 {
		return false
	}
	if len(m.ends) == 0 {
		return m.key == "" && !q.Cleared // else it was replaced or cleared, at some time
	}
	return !slices.ContainsFunc(m.ends, func(e soakEvent) bool { return e.From <= to })
}

// maybe reports whether it may have been there at some moment between two others.
func (m *soakMessage) maybe(from, to int64) bool {
	return m.in() && m.offer.From <= to && !slices.ContainsFunc(m.ends, func(e soakEvent) bool { return e.To < from })
}

// moved reports whether it was given another due time before a moment.
func (m *soakMessage) moved(before int64) bool {
	return slices.ContainsFunc(m.moves, func(e soakEvent) bool { return e.From <= before })
}

// soakLedger gathers what everybody did.
type soakLedger struct {
	mu     sync.Mutex
	events []soakEvent
	queues map[string]soakQueue

	messages  map[string]*soakMessage // by payload
	byQueue   map[string][]*soakMessage
	byElement map[string]*soakMessage
	problems  []string
}

func newSoakLedger(queues []soakQueue) *soakLedger {
	l := &soakLedger{
		queues: map[string]soakQueue{}, messages: map[string]*soakMessage{},
		byQueue: map[string][]*soakMessage{}, byElement: map[string]*soakMessage{},
	}
	for _, q := range queues {
		l.queues[q.Name] = q
	}
	return l
}

// add takes an event. Safe for concurrent use.
func (l *soakLedger) add(e soakEvent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

func (l *soakLedger) problem(e soakEvent, format string, args ...any) {
	l.problems = append(l.problems, fmt.Sprintf(format, args...)+fmt.Sprintf(": %+v", e))
}

// judge returns everything that cannot be. It is called when all is over.
func (l *soakLedger) judge() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.Op == soakOffer {
			l.offered(e)
		}
	}
	for _, e := range l.events {
		l.lived(e)
	}
	for _, m := range l.messages {
		l.cutShort(m)
	}
	l.account()
	for _, e := range l.events {
		l.told(e)
	}
	return l.problems
}

func (l *soakLedger) offered(e soakEvent) {
	if l.messages[e.Payload] != nil {
		l.problem(e, "offered twice")
		return
	}
	m := &soakMessage{payload: e.Payload, key: e.Key, offer: e, minDue: e.Due}
	l.messages[e.Payload] = m
	l.byQueue[e.Queue] = append(l.byQueue[e.Queue], m)
	if m.in() && e.Element != "" {
		if l.byElement[e.Queue+e.Element] != nil {
			l.problem(e, "two elements with one id")
		}
		l.byElement[e.Queue+e.Element] = m
	}
}

// lived enters what was done to messages.
func (l *soakLedger) lived(e soakEvent) {
	switch e.Op {
	case soakOffer:
		l.outcome(e)
	case soakRescheduled, soakForbidden:
		m := l.messages[e.Payload]
		if e.Payload == "" {
			m = l.byElement[e.Queue+e.Element]
		}
		if m == nil || e.Key != "" && m.key != e.Key {
			l.problem(e, "a message that nobody offered so")
			return
		}
		if e.Op == soakForbidden {
			m.forbidden = append(m.forbidden, e)
			return
		}
		m.moves, m.minDue = append(m.moves, e), min(m.minDue, e.Due)
	case soakHandled, soakTaken, soakPolled, soakRemoved, soakCancelled, soakPicked, soakFailed, soakRejected:
		m := l.messages[e.Payload]
		if m == nil || !m.in() || m.offer.Queue != e.Queue {
			l.problem(e, "a message that nobody offered to this queue")
			return
		}
		if e.To < m.offer.From {
			l.problem(e, "before it was offered")
		}
		switch e.Op {
		case soakFailed, soakRejected:
			m.attempts = append(m.attempts, e)
		default:
			m.ends = append(m.ends, e)
		}
	case soakTrouble:
		l.problem(e, "an unexpected error")
	default: // it changed no message that is known
	}
}

// cutShort ends a message that was cancelled in flight and that nobody handled, and checks
// that it was not tried again: one attempt may have been under way.
func (l *soakLedger) cutShort(m *soakMessage) {
	if len(m.forbidden) == 0 {
		return
	}
	first := slices.MinFunc(m.forbidden, func(a, b soakEvent) int { return cmp.Compare(a.To, b.To) })
	last := first.To // when the attempt that was under way was over
	for _, a := range m.attempts {
		if a.To >= first.To && (last == first.To || a.To < last) {
			last = a.To
		}
	}
	for _, e := range slices.Concat(m.attempts, m.ends) {
		if last > first.To && e.From > last {
			l.problem(e, "came again though it was cancelled in flight (%+v)", first)
		}
	}
	if m.cutShort = len(m.ends) == 0; m.cutShort {
		m.ends = []soakEvent{first}
	}
}

// buried returns how often it went to the dead store, at least and at most. What was
// cancelled while it was being rejected does not go there.
func (m *soakMessage) buried() (least, most int64) {
	for _, a := range m.attempts {
		switch {
		case a.Op != soakRejected:
		case !m.cutShort:
			least, most = least+1, most+1
		case a.To < m.ends[0].To:
			most++ // before or after, a moment lies between
		}
	}
	return least, most
}

// outcome checks an offer that met the holder of its key.
func (l *soakLedger) outcome(e soakEvent) {
	if e.Out != "kept" && e.Out != "extended" {
		return
	}
	first := l.byElement[e.Queue+e.Element]
	if first == nil || first.key != e.Key {
		l.problem(e, "the holder of the key is a message that nobody offered with it")
		return
	}
	if e.Out == "extended" {
		first.moves, first.minDue = append(first.moves, e), min(first.minDue, e.Due)
	}
}

// account: every message that is in left exactly once.
func (l *soakLedger) account() {
	cleared, redriven, freed := map[string]int64{}, map[string]int64{}, map[string]int{}
	unclear := map[string]int64{} // burials that may have been
	for _, e := range l.events {
		switch {
		case e.Op == soakCleared:
			cleared[e.Queue] += e.N
		case e.Op == soakRedriven:
			redriven[e.Queue] += e.N
		case e.Op == soakCancelKey, e.Op == soakOffer && e.Out == "replaced":
			freed[e.Queue+"/"+e.Key]++
		}
	}
	for name, messages := range l.byQueue {
		for _, m := range messages {
			least, most := m.buried()
			redriven[name] -= least
			unclear[name] += most - least
			switch {
			case !m.in():
			case len(m.ends) > 1:
				l.problem(m.offer, "left %d times: %+v", len(m.ends), m.ends)
			case len(m.ends) == 1:
				l.punctual(m, m.ends[0])
			case l.queues[name].Cleared:
				cleared[name]--
			case m.key != "":
				freed[name+"/"+m.key]--
			default:
				l.problem(m.offer, "lost")
			}
		}
	}
	for name, n := range redriven {
		if n > 0 {
			redriven[name] = max(0, n-unclear[name])
		}
	}
	for _, counts := range []struct {
		what string
		left map[string]int64
	}{{"cleared", cleared}, {"put back from the dead store", redriven}} {
		for name, n := range counts.left {
			if n != 0 {
				l.problems = append(l.problems, fmt.Sprintf("queue %s: %+d messages were %s that nobody misses (-: missing)", name, n, counts.what))
			}
		}
	}
	for key, n := range freed {
		if n != 0 {
			l.problems = append(l.problems, fmt.Sprintf("key %s: %+d messages were replaced or cancelled that nobody misses (-: missing)", key, n))
		}
	}
}

// punctual: nothing that has to be due first came before.
func (l *soakLedger) punctual(m *soakMessage, end soakEvent) {
	at := end.To / 1000
	switch end.Op {
	case soakHandled:
		at = end.From / 1000
	case soakTaken, soakPicked:
	default:
		return
	}
	if at+1 < m.minDue {
		l.problem(end, "%d ms early (%+v)", m.minDue-at, m.offer)
	}
}

// summary counts what happened.
func (l *soakLedger) summary() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := map[string]int{}
	for _, e := range l.events {
		side := "Go"
		if strings.HasPrefix(e.Who, "java") {
			side = "Java"
		}
		counts[string(e.Op)+" ("+side+")"]++
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%d %s", counts[name], name)
	}
	return strings.Join(parts, ", ")
}
