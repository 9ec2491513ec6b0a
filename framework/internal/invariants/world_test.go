package invariants

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// dice decide what happens: those of rapid, which shrink, or seeded ones.
type dice interface {
	roll(n int, what string) int // 0 to n-1
	fatalf(format string, args ...any)
}

// place is where a message is.
type place int

const (
	pending place = iota
	ready
	staged
	inFlight
	dead
	done
)

// message is what the model knows of one.
type message struct {
	body  string
	place place

	far     bool           // pending, and not due for an hour
	due     int64          // -1 where unknown, soon where it is some moment of this test
	id      wire.ElementID // of its element; zero where unknown
	name    string         // its ID, "" where it has none that lasts
	seen    string         // the ID it was handed out with last
	key     string         // that leads to it
	keyed   bool           // it was offered with one
	trace   []byte
	garbage bool // an element of no layout: it is found when it falls due

	delivered, failed, died, hung, redriven int

	holder    *session // of staged and inFlight
	cancelled bool     // while in flight: no attempt follows
	token     lease.Token
	fetch     int // order of the fetches
	begun     bool
	bare      bool // Java transferred it: it has no due record
	entry     string
	reason    string
	byJava    bool // Java took it: our records of it stay behind
	over      bool // its counters were over once: what is left of them counts no more
}

const soon = int64(-2)

// oversized is how large a payload may not be.
const oversized = 40

// session is one process at the queue.
type session struct {
	*lease.Session
	registered bool // it has taken or waited
	reaped     bool // and does not know it yet
}

// handed is a token that was given out once; its message may be anywhere by now.
type handed struct {
	s     *session
	token lease.Token
	m     *message
}

// world is the model beside one queue.
type world struct {
	dice
	ctx  context.Context
	rdb  *redis.Client
	line *line
	keys wire.Keys
	ids  *wire.IDs

	all      []*message
	queue    []*message // the ready list in order
	sessions []*session
	ghosts   []*session // reaped and not aware of it
	tokens   []handed
	fetches  int
}

func (w *world) check(err error) {
	if err != nil {
		w.fatalf("%v", err)
	}
}

// again repeats a call whose outcome is unknown, as the engine does.
func (w *world) again(call func() error) {
	before := w.line.losses()
	err := call()
	for range 3 {
		if err == nil || w.line.losses() == before {
			break
		}
		before = w.line.losses()
		err = call()
	}
	w.check(err)
}

func (w *world) at(p place) []*message {
	var found []*message
	for _, m := range w.all {
		if m.place == p {
			found = append(found, m)
		}
	}
	return found
}

// some draws a subset.
func some[T any](w *world, from []T, what string) []T {
	var out []T
	for _, v := range from {
		if w.roll(2, what) == 0 {
			out = append(out, v)
		}
	}
	return out
}

// one draws a member, the zero value of none.
func one[T any](w *world, from []T, what string) (v T, ok bool) {
	if len(from) == 0 {
		return v, false
	}
	return from[w.roll(len(from), what)], true
}

func (w *world) held(s *session, p place) []*message {
	var found []*message
	for _, m := range w.all {
		if m.place == p && m.holder == s {
			found = append(found, m)
		}
	}
	slices.SortStableFunc(found, func(a, b *message) int {
		if a.fetch != b.fetch {
			return a.fetch - b.fetch
		}
		return a.token.Index - b.token.Index
	})
	return found
}

// push puts messages at the head or the tail of the ready list.
func (w *world) push(head bool, ms ...*message) {
	for _, m := range ms {
		m.place, m.holder, m.begun = ready, nil, false
	}
	if head {
		w.queue = append(slices.Clone(ms), w.queue...)
	} else {
		w.queue = append(w.queue, ms...)
	}
}

// drop ends those that were cancelled while they were in flight, and returns the others.
func (w *world) drop(ms []*message) (others []*message, dropped int) {
	for _, m := range ms {
		if m.cancelled {
			w.finish(m)
			dropped++
		} else {
			others = append(others, m)
		}
	}
	return others, dropped
}

func (w *world) finish(m *message) {
	m.place, m.holder, m.cancelled = done, nil, false
	m.delivered, m.failed, m.died, m.hung, m.redriven = 0, 0, 0, 0, 0
}

func (w *world) bury(m *message, reason, entry string) {
	m.place, m.holder, m.begun, m.reason, m.entry, m.key = dead, nil, false, reason, entry, ""
}

// token draws one that was handed out, mostly one that is still good.
func (w *world) token(from []handed) (handed, bool) {
	good := slices.DeleteFunc(slices.Clone(from), func(h handed) bool { return !h.live() })
	if len(good) > 0 && w.roll(4, "zombie") > 0 {
		from = good
	}
	return one(w, from, "which")
}

// live reports whether the token is still good for its message.
func (h handed) live() bool {
	return h.m.place == inFlight && h.m.holder == h.s && h.m.token == h.token
}

func (w *world) newSession() *session {
	s, err := lease.New(w.rdb, w.rdb, w.keys, lease.Options{MaxPayload: oversized})
	w.check(err)
	made := &session{Session: s}
	w.sessions = append(w.sessions, made)
	return made
}

func (w *world) session() *session {
	if len(w.sessions) == 0 || len(w.sessions) < 2 && w.roll(4, "new session") == 0 {
		return w.newSession()
	}
	return w.sessions[w.roll(len(w.sessions), "session")]
}

// counters are what a record tells first.
func (m *message) counters() string {
	return fmt.Sprintf("%d,%d,%s%d", m.delivered, m.failed, strings.Repeat("0", m.hung), m.died)
}

func (m *message) String() string {
	return fmt.Sprintf("%s at %d (%s) due %d redriven %d", m.body, m.place, m.counters(), m.due, m.redriven)
}
