package invariants

import (
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// reap lets the lease of a session end, and takes back what it held.
func (w *world) reap() {
	if s, ok := one(w, w.sessions, "session"); ok && s.registered && (len(w.held(s, inFlight)) > 0 || w.roll(3, "idle") == 0) {
		w.reapSession(s)
	}
}

// crash ends the process that holds a suspect, whose handler may have begun.
func (w *world) crash() {
	suspects := slices.DeleteFunc(slices.Clone(w.tokens), func(h handed) bool { return h.m.died < 2 || !h.live() })
	h, ok := one(w, suspects, "suspect")
	if !ok {
		return
	}
	if w.roll(2, "begun") == 0 {
		w.start(h)
	}
	w.reapSession(h.s)
}

func (w *world) reapSession(s *session) {
	w.mayLose()
	w.rdb.ZAddXX(w.ctx, w.keys.Sessions, redis.Z{Score: 1, Member: s.ID()})
	var r lease.Handed
	before := w.line.losses()
	w.again(func() (err error) {
		r, err = lease.NewReaper(w.rdb, w.keys, lease.ReaperOptions{}).Reap(w.ctx, s.ID())
		return err
	})
	var back []*message
	buried := 0
	held, cancelled := w.drop(w.held(s, inFlight))
	for _, m := range held {
		if m.died >= 2 && !m.begun { // it was in hand only
			back = append(back, m)
			continue
		}
		m.delivered++
		m.keepName()
		if m.died++; m.died >= 3 {
			w.bury(m, "crash-loop", "")
			buried++
			continue
		}
		back = append(back, m)
	}
	onStage := w.held(s, staged)
	if before == w.line.losses() && (r.Bodies != len(back) || r.Staged != len(onStage) || r.Buried != buried || r.Cancelled != cancelled) {
		w.fatalf("reaped %+v, want %d, %d, %d, %d (I5)", r, len(back), len(onStage), buried, cancelled)
	}
	w.push(true, append(back, onStage...)...)
	w.sessions = slices.DeleteFunc(w.sessions, func(o *session) bool { return o == s })
	s.reaped = true
	w.ghosts = append(w.ghosts, s)
	w.wantNoTrace(s)
}

func (w *world) close() {
	if len(w.sessions) == 0 || w.roll(2, "rarely") > 0 {
		return
	}
	i := w.roll(len(w.sessions), "session")
	s := w.sessions[i]
	w.again(func() error {
		_, err := s.Close(w.ctx)
		return err
	})
	back, _ := w.drop(w.held(s, inFlight))
	w.push(true, append(back, w.held(s, staged)...)...)
	w.sessions = slices.Delete(w.sessions, i, i+1)
	w.wantNoTrace(s)
}

// wantNoTrace demands that a session that ended leaves nothing (I9).
func (w *world) wantNoTrace(s *session) {
	left, err := w.rdb.Keys(w.ctx, "*"+s.ID()+"*").Result()
	w.check(err)
	if _, err := w.rdb.ZScore(w.ctx, w.keys.Sessions, s.ID()).Result(); len(left) > 0 || !errors.Is(err, redis.Nil) {
		w.fatalf("a session left %q (I9)", left)
	}
}

// dying returns some of the dead store, oldest first.
func (w *world) dying() []*message {
	w.entries()
	chosen := some(w, w.at(dead), "entry")
	slices.SortFunc(chosen, func(a, b *message) int { return compareEntries(a.entry, b.entry) })
	return chosen
}

// restore takes undecodable messages back to the head, as a row of them goes.
func (w *world) restore() {
	if w.roll(2, "rarely") > 0 {
		return
	}
	chosen := slices.DeleteFunc(w.dying(), func(m *message) bool { return m.garbage })
	entries := make([]string, len(chosen))
	for i, m := range chosen {
		entries[i], m.hung = m.entry, 0 // a dead letter does not tell that
	}
	w.again(func() error {
		_, err := lease.Restore(w.ctx, w.rdb, w.keys, entries)
		return err
	})
	w.push(true, chosen...)
}

func (w *world) redrive() {
	chosen := w.dying()
	args := delayed.RedriveArgs{Malformed: w.roll(2, "malformed") == 0, IDs: w.ids}
	delays := []time.Duration{0, time.Microsecond, time.Hour}
	for _, m := range chosen {
		args.Entries = append(args.Entries, delayed.RedriveEntry{Entry: m.entry, Delay: delays[w.roll(3, "delay")]})
	}
	statuses, err := delayed.Redrive(w.ctx, w.rdb, w.keys, args)
	w.check(err)
	for begun := w.now(); w.now() < begun+2; { //nolint:revive // until those are due whose delay is the shortest
	}
	for i, m := range chosen {
		if refused := m.reason == "malformed" && !args.Malformed; refused != (statuses[i] == delayed.RedriveRefused) {
			w.fatalf("redrive of %s: %s (I1)", m, statuses[i])
		} else if refused {
			continue
		}
		m.delivered, m.failed, m.died, m.hung, m.entry, m.garbage = 0, 0, 0, 0, "", false
		m.redriven++
		m.due, m.id = soon, wire.ElementID{}
		m.over = false
		if args.Entries[i].Delay == 0 {
			w.push(false, m)
		} else {
			m.place, m.far = pending, args.Entries[i].Delay > time.Second
		}
	}
}
