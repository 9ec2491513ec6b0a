package invariants

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// actions are what may happen, by name; the number says how often beside others.
func (w *world) actions() map[string]func() {
	all := map[string]func(){}
	for _, a := range []struct {
		often int
		name  string
		do    func()
	}{
		{3, "offer", w.offer},
		{1, "garbage", w.garbage},
		{1, "cancel", w.cancel},
		{1, "cancel in flight", w.forbid},
		{1, "reschedule", w.reschedule},
		{1, "probe", w.probe},
		{2, "past", w.past},
		{3, "transfer", w.transfer},
		{1, "Java transfers", w.javaTransfer},
		{1, "Java takes", w.javaTake},
		{5, "take", w.take},
		{1, "stock", w.stock},
		{2, "wait", w.wait},
		{1, "begin", w.begin},
		{1, "renew", w.renew},
		{1, "ack", w.ack},
		{4, "nack", w.nack},
		{3, "dead", w.dead},
		{3, "release", w.release},
		{2, "lapse", w.lapse},
		{2, "reap", w.reap},
		{2, "crash", w.crash},
		{1, "close", w.close},
		{1, "restore", w.restore},
		{3, "redrive", w.redrive},
	} {
		for i := range a.often {
			all[fmt.Sprintf("%s %d", a.name, i)] = a.do
		}
	}
	return all
}

// mayLose loses what is sent next, or its answer, now and then.
func (w *world) mayLose() {
	if w.roll(8, "lost") == 0 {
		w.loseNext()
	}
}

func (w *world) loseNext() { w.line.lose(loss(1 + w.roll(2, "what is lost"))) }

const hour = 3_600_000

func (w *world) now() int64 {
	t, err := w.rdb.Time(w.ctx).Result()
	w.check(err)
	return t.UnixMilli()
}

func (w *world) offer() {
	m := &message{body: fmt.Sprintf("m%d", len(w.all)+1), due: -1, far: w.roll(6, "far") == 0}
	if w.roll(7, "size") == 0 {
		m.body += "-" + fmt.Sprintf("%0*d", oversized, 0)
	}
	w.offerOne(m)
}

func (w *world) offerOne(m *message) {
	if w.roll(2, "traced") == 0 {
		m.trace = bytes.Repeat([]byte{byte(len(w.all) + 1)}, 25)
	}
	at := w.now() - 10 + int64(w.roll(5, "due"))
	if m.far {
		at += hour
	}
	if w.roll(4, "keyed") == 0 {
		m.key, m.keyed = "key of "+m.body, true
	}
	w.mayLose()
	r, err := delayed.Offer(w.ctx, w.rdb, w.keys, delayed.OfferArgs{
		Payload: []byte(m.body), At: time.UnixMilli(at), Trace: m.trace, IDs: w.ids, Dedup: delayed.Dedup{Key: m.key},
	})
	var unknown *fault.OutcomeUnknownError
	if errors.As(err, &unknown) {
		// The request was lost and its due time is past: it was not added, as nobody
		// else is here to move it.
		return
	}
	w.check(err)
	m.due, m.id, m.name = r.DueMs, r.ID, r.Text
	w.all = append(w.all, m)
}

func (w *world) garbage() {
	m := &message{body: fmt.Sprintf("garbage %d", len(w.all)+1), due: w.now() - 20, garbage: true}
	_, err := w.rdb.TxPipelined(w.ctx, func(p redis.Pipeliner) error {
		p.ZAdd(w.ctx, w.keys.Timeout, redis.Z{Score: float64(m.due), Member: m.body})
		p.RPush(w.ctx, w.keys.Pending, m.body)
		return nil
	})
	w.check(err)
	w.all = append(w.all, m)
}

func (w *world) cancel() {
	m, ok := one(w, slices.DeleteFunc(w.at(pending), func(m *message) bool { return m.garbage }), "which")
	if !ok {
		return
	}
	before := w.line.losses()
	_, err := delayed.Cancel(w.ctx, w.rdb, w.keys, w.named(m))
	if before == w.line.losses() {
		w.check(err) // else a repeat may have found it gone
	}
	w.finish(m)
}

// forbid cancels a message in flight: it is told so, and no attempt follows.
func (w *world) forbid() {
	m, ok := one(w, w.at(inFlight), "which")
	if !ok {
		return
	}
	args := delayed.ChangeArgs{Key: m.key}
	if m.key == "" || w.roll(2, "by ID") == 0 {
		id, err := wire.ParseID(m.seen)
		w.check(err)
		args = delayed.ChangeArgs{DueMs: id.DueMs, ID: id.Element}
	}
	w.line.lose(nothing) // a repeat could not tell
	_, err := delayed.Cancel(w.ctx, w.rdb, w.keys, args)
	var gone *delayed.NotPending
	if !errors.As(err, &gone) {
		w.fatalf("cancel of %s in flight: %v (I3)", m, err)
	}
	w.mayLose()
	w.again(func() error { return lease.Find(w.ctx, w.rdb, w.keys, gone, true) })
	if gone.Where != fault.WhereInFlight || !gone.Forbidden {
		w.fatalf("cancel of %s in flight: %v (I3)", m, gone)
	}
	m.cancelled = true
}

// reschedule gives a pending message another due time.
func (w *world) reschedule() {
	m, ok := one(w, slices.DeleteFunc(w.at(pending), func(m *message) bool { return m.garbage }), "which")
	if !ok {
		return
	}
	m.far = w.roll(2, "far") == 0
	due := w.now() - 10 + int64(w.roll(5, "due"))
	if m.far {
		due += hour
	}
	r, err := delayed.Reschedule(w.ctx, w.rdb, w.keys, w.named(m), due)
	w.check(err)
	if m.due = due; m.name == "" {
		m.name = r.ID.String()
	} else if m.name != r.ID.String() {
		w.fatalf("%s of the ID %s was rescheduled as %s (I7)", m, m.name, r.ID)
	}
}

// named names a pending message, by its key or its ID where it has one.
func (w *world) named(m *message) delayed.ChangeArgs {
	if m.key != "" && w.roll(2, "by key") == 0 {
		return delayed.ChangeArgs{Key: m.key}
	}
	args := delayed.ChangeArgs{DueMs: m.due, ID: m.id}
	if m.name != "" {
		id, err := wire.ParseID(m.name)
		w.check(err)
		args = delayed.ChangeArgs{DueMs: id.DueMs, ID: id.Element}
	}
	return args
}

// overdue returns what a transfer has to move, in order.
func (w *world) overdue() []*message {
	var found []*message
	for _, z := range w.rdb.ZRange(w.ctx, w.keys.Timeout, 0, -1).Val() {
		i := slices.IndexFunc(w.all, func(m *message) bool {
			if m.place != pending || m.far {
				return false
			}
			_, body, err := wire.Parse([]byte(z), false)
			return m.garbage && z == m.body || err == nil && !m.garbage && string(body) == m.body
		})
		if i >= 0 {
			found = append(found, w.all[i])
		}
	}
	return found
}

func (w *world) transfer() {
	due := w.overdue()
	// A script that took its time leaves some for the next one; a broken one may do so
	// for ever.
	for more, n := true, 0; more && n <= len(due); n++ {
		w.again(func() error {
			r, err := delayed.Transfer(w.ctx, w.rdb, w.keys, delayed.TransferArgs{})
			if err == nil && r.DeadErr != nil {
				err = r.DeadErr
			}
			more = err == nil && r.More()
			return err
		})
	}
	for _, m := range due {
		if m.garbage {
			w.bury(m, "malformed", "")
		} else {
			w.push(false, m)
		}
	}
}

// javaTransfer moves what is due as Java does, which knows none of our keys.
func (w *world) javaTransfer() {
	for _, m := range w.overdue() {
		if m.garbage || m.over { // what is left of its record may tell its due time or not
			continue
		}
		element := string(wire.Pack(m.id, []byte(m.body)))
		_, err := w.rdb.TxPipelined(w.ctx, func(p redis.Pipeliner) error {
			p.RPush(w.ctx, w.keys.Queue, m.body)
			p.LRem(w.ctx, w.keys.Pending, 1, element)
			p.ZRem(w.ctx, w.keys.Timeout, element)
			return nil
		})
		w.check(err)
		// Its record, or that of its trace, finds it again.
		w.push(false, m)
		if m.bare = true; m.trace == nil && w.record(m) == "" {
			m.due, m.id, m.name = -1, wire.ElementID{}, ""
		}
	}
}

func (w *world) javaTake() {
	if len(w.queue) == 0 || w.roll(3, "rarely") > 0 {
		return
	}
	body, err := w.rdb.LPop(w.ctx, w.keys.Queue).Result()
	m := w.queue[0]
	if err != nil || body != m.body {
		w.fatalf("Java took %q %v, want %s (I4)", body, err, m)
	}
	w.queue = w.queue[1:]
	w.finish(m)
	m.byJava = true
}

func (w *world) wait() {
	s := w.session()
	if len(w.queue) == 0 {
		return
	}
	for range min(len(w.queue), 1+w.roll(2, "twice")) {
		r, err := s.Wait(w.ctx)
		if err != nil || !r.Landed || r.Lost {
			w.fatalf("wait: %+v %v", r, err)
		}
		s.registered = true
		m := w.queue[0]
		w.queue = w.queue[1:]
		w.fetches++
		m.place, m.holder, m.fetch = staged, s, w.fetches
	}
}

// renew asks for a longer lease; one that was reaped learns of it.
func (w *world) renew() {
	s, ok := one(w, append(slices.Clone(w.sessions), w.ghosts...), "who")
	if !ok || !s.registered {
		return
	}
	var gone bool
	w.again(func() (err error) {
		gone, err = s.Renew(w.ctx)
		return err
	})
	if gone != s.reaped {
		w.fatalf("renewal of a session, reaped %v: lost %v (I3)", s.reaped, gone)
	}
}

// begin starts the handler of a suspect, as the engine does.
func (w *world) begin() {
	suspects := slices.DeleteFunc(slices.Clone(w.tokens), func(h handed) bool { return h.m.died < 2 })
	if h, ok := w.token(suspects); ok {
		w.start(h)
	}
}

func (w *world) start(h handed) {
	var mine bool
	w.again(func() (err error) {
		mine, err = h.s.Begin(w.ctx, h.token)
		return err
	})
	if mine != h.live() {
		w.fatalf("begin of %s: %v (I3)", h.m, mine)
	}
	h.m.begun = h.m.begun || mine
}

func (w *world) ack() {
	h, ok := w.token(w.tokens)
	if !ok {
		return
	}
	stale, before := 0, w.line.losses()
	w.mayLose()
	w.again(func() (err error) {
		stale, err = h.s.Ack(w.ctx, lease.Acks{h.token})
		return err
	})
	if live := h.live(); (stale == 0) != live && before == w.line.losses() {
		w.fatalf("ack of %s: %d stale (I3)", h.m, stale)
	}
	if h.live() {
		w.finish(h.m)
	}
}

func (w *world) nack() {
	h, ok := w.token(w.tokens)
	if !ok {
		return
	}
	charge, hangs, m := w.roll(3, "charge") > 0, 0, h.m
	if w.roll(4, "hung") == 0 {
		hangs = 2
	}
	uncalled := !charge && hangs == 0 && w.roll(2, "uncalled") == 0
	var r lease.NackResult
	w.mayLose()
	w.again(func() (err error) {
		r, err = h.s.Nack(w.ctx, h.token, lease.NackArgs{Charge: charge, MaxAttempts: 3, MaxHangs: hangs, Uncalled: uncalled, ErrText: "why"})
		return err
	})
	if h.live() == (r.Outcome == lease.Gone) {
		w.fatalf("nack of %s: %+v (I3)", m, r)
	}
	if !h.live() {
		return
	}
	if m.cancelled != (r.Outcome == lease.Cancelled) {
		w.fatalf("nack of %s, cancelled %v: %+v (I3)", m, m.cancelled, r)
	}
	if m.cancelled {
		w.finish(m)
		return
	}
	if !uncalled {
		m.delivered++
	}
	if charge {
		m.failed++
	}
	if hangs > 0 {
		m.hung++
	}
	over := charge && m.failed >= 3 || hangs > 0 && m.hung >= hangs
	if r.Delivered != m.delivered || r.Failed != m.failed || (r.Outcome == lease.Dead) != over {
		w.fatalf("nack of %s: %+v (I5)", m, r)
	}
	if r.Outcome == lease.Dead {
		w.bury(m, "exhausted", r.Entry)
		return
	}
	m.place, m.holder, m.begun, m.far = pending, nil, false, false
	m.due = r.DueMs
	m.keepName()
}

func (w *world) dead() {
	h, ok := w.token(w.tokens)
	if !ok {
		return
	}
	var r lease.DeadResult
	w.mayLose()
	w.again(func() (err error) {
		r, err = h.s.Dead(w.ctx, h.token, lease.DeadArgs{Reason: "rejected", Charge: true})
		return err
	})
	if h.live() == r.Gone {
		w.fatalf("dead of %s: %+v (I3)", h.m, r)
	}
	if live := h.live(); live && h.m.cancelled != r.Cancelled {
		w.fatalf("dead of %s, cancelled %v: %+v (I3)", h.m, h.m.cancelled, r)
	}
	switch {
	case r.Cancelled && h.live():
		w.finish(h.m)
	case !r.Gone:
		h.m.delivered++
		h.m.failed++
		w.bury(h.m, "rejected", r.Entry)
	}
}

func (w *world) release() {
	h, ok := w.token(w.tokens)
	if !ok {
		return
	}
	s := h.s
	if i := slices.IndexFunc(w.sessions, func(s *session) bool { return len(w.held(s, staged)) > 0 }); i >= 0 && w.roll(2, "who waits") == 0 {
		s = w.sessions[i] // as when the intake closes
	}
	var back []lease.Released
	var given []*message
	for _, h := range w.tokens {
		if h.s != s || w.roll(2, "give back") == 0 {
			continue
		}
		started := w.roll(2, "started") == 0
		back = append(back, lease.Released{Token: h.token, Started: started})
		if h.live() {
			given = append(given, h.m)
			if started && !h.m.cancelled {
				h.m.delivered++
				h.m.keepName()
			}
		}
	}
	onStage := w.held(s, staged)
	slices.SortStableFunc(given, func(a, b *message) int {
		if a.fetch != b.fetch {
			return a.fetch - b.fetch
		}
		return a.token.Index - b.token.Index
	})
	if w.roll(2, "backwards") == 0 {
		slices.Reverse(back)
	}
	var r lease.ReleaseResult
	before := w.line.losses()
	w.again(func() (err error) {
		r, err = s.Release(w.ctx, back)
		return err
	})
	given, cancelled := w.drop(given)
	if before == w.line.losses() && (r.Given != len(given) || r.Cancelled != cancelled || r.Staged != len(onStage) || r.Given+r.Gone+r.Cancelled != len(back)) {
		w.fatalf("released %+v, want %d and %d cancelled of %d (I3)", r, len(given), cancelled, len(back))
	}
	w.push(true, append(given, onStage...)...)
}
