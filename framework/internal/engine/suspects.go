package engine

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/background"
)

// suspectQueue is one queue's part: its suspects, and what holds it up.
type suspectQueue struct {
	windows *suspectWindows
	running atomic.Int64
	slow    atomic.Bool // held in this window until its handlers have ended

	now       atomic.Pointer[running] // the suspect that runs
	postponed postponed
}

// entry is the answer of Enter and EnterAlone.
type entry uint8

// How a message may start.
const (
	entered    entry = iota // at once
	waited                  // after a while: much may have changed
	enterLater              // it would take long: the message shall wait in Redis; no leave
	refused                 // stop was closed; no leave
)

// Enter waits until a handler may start; each one that entered needs its leave.
func (q *suspectQueue) Enter(stop <-chan struct{}) entry {
	for how := entered; ; how = waited {
		q.running.Add(1)
		if !q.held() {
			return how
		}
		q.Leave()
		for { // without another try, or two who wait would wake each other for ever
			ch := q.windows.watch()
			if !q.held() {
				break
			}
			left := q.windows.bearable()
			if left <= 0 {
				return enterLater
			}
			t := time.NewTimer(left)
			select {
			case <-ch:
			case <-t.C:
			case <-stop:
				t.Stop()
				return refused
			}
			t.Stop()
		}
	}
}

// Stalled reports whether this queue is held for so long that nothing shall be taken: a
// suspect runs, or slow handlers do that it has to wait for. Between two suspects it is
// not, or those that follow would not come.
func (q *suspectQueue) Stalled() bool {
	if !q.held() {
		return false
	}
	q.windows.mu.Lock()
	defer q.windows.mu.Unlock()
	switch {
	case q.windows.alone:
		return true
	case q.windows.left.After(q.windows.opened):
		return false
	default:
		return time.Since(q.windows.opened) >= waitMost
	}
}

// held reports whether nothing may start here now.
func (q *suspectQueue) held() bool {
	switch q.windows.hold.Load() {
	case holdNone:
		return false
	case holdSlow:
		return q.slow.Load()
	default:
		return true
	}
}

// Leave ends the stay of a message that entered.
func (q *suspectQueue) Leave() {
	if q.running.Add(-1) == 0 && q.held() {
		q.windows.mu.Lock()
		q.windows.broadcast() // a suspect waits for that
		q.windows.mu.Unlock()
	}
}

// EnterAlone waits until a suspect may start, with nothing beside it. One that entered
// needs its leaveAlone.
func (q *suspectQueue) EnterAlone(stop <-chan struct{}) entry {
	w := q.windows
	t := &ticket{queue: q, since: time.Now(), answer: make(chan entry, 1)}
	w.mu.Lock()
	if w.opened.IsZero() && w.next.Sub(t.since) > waitMost {
		w.mu.Unlock()
		return enterLater
	}
	w.waiting = append(w.waiting, t)
	if !w.arranging {
		w.arranging = true
		background.Go(w.panics.In(context.Background()), "arrange the times of suspects", w.arrange) //nolint:forbidigo // it ends with the engine
	}
	w.broadcast()
	w.mu.Unlock()
	select {
	case how := <-t.answer:
		return how
	case <-stop:
	}
	w.mu.Lock()
	if i := slices.Index(w.waiting, t); i >= 0 {
		w.waiting = slices.Delete(w.waiting, i, i+1)
		w.broadcast()
	}
	w.mu.Unlock()
	select {
	case how := <-t.answer: // just now
		if how == waited {
			w.leaveAlone()
		}
	default:
	}
	return refused
}

// LeaveAlone ends the stay of a suspect that entered.
func (q *suspectQueue) LeaveAlone() { q.windows.leaveAlone() }

// Watch returns a channel that is closed when what holds the queue up may have changed; read
// it before looking.
func (q *suspectQueue) Watch() <-chan struct{} { return q.windows.watch() }

// running is a suspect that runs now.
type running struct {
	id, digest string
	since      time.Time
}

// Begun notes that a suspect runs, for health alone.
func (q *suspectQueue) Begun(id, digest string) {
	q.now.Store(&running{id: id, digest: digest, since: time.Now()})
}

// Ended notes that it has ended.
func (q *suspectQueue) Ended() { q.now.Store(nil) }

// suspectPostponeMost is how long a suspect is put off at most before it is looked at again,
// perhaps by another process, in which it may run sooner.
const suspectPostponeMost = time.Minute

// postponed remembers the suspects that were put off, for health alone: they wait in
// Redis, where another process may run them.
type postponed struct {
	mu       sync.Mutex
	byDigest map[string]postponement
}

type postponement struct{ since, until time.Time }

// Postponement is for how long a suspect is put off that finds no window here.
func (q *suspectQueue) Postponement() time.Duration {
	w := q.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	return min(max(time.Until(w.next), waitMost), suspectPostponeMost)
}

// Postponed notes that a suspect was put off; since when one waits is kept from its first.
func (q *suspectQueue) Postponed(digest string, delay time.Duration) {
	q.postponed.add(digest, time.Now(), delay)
}

func (p *postponed) add(digest string, now time.Time, delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byDigest == nil {
		p.byDigest = map[string]postponement{}
	}
	maps.DeleteFunc(p.byDigest, func(_ string, w postponement) bool { return now.Sub(w.until) > suspectPostponeMost })
	w, known := p.byDigest[digest]
	if !known {
		w.since = now
	}
	w.until = now.Add(delay)
	p.byDigest[digest] = w
}

// waiting counts those that wait still, and tells since when the first does.
func (p *postponed) waiting(now time.Time) (n int, since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.byDigest {
		if now.Before(w.until) {
			n, since = n+1, first(since, w.since)
		}
	}
	return n, since
}

// first is the earlier one; the zero time is none.
func first(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// waiting counts the suspects that wait for their turn, in this process or put
// off by it, and tells since when the first does.
func (q *suspectQueue) waiting(now time.Time) (n int, since time.Time) {
	n, since = q.postponed.waiting(now)
	q.windows.mu.Lock()
	defer q.windows.mu.Unlock()
	for _, t := range q.windows.waiting {
		if t.queue == q {
			n, since = n+1, first(since, t.since)
		}
	}
	return n, since
}

// Count returns how many suspects run or wait.
func (q *suspectQueue) Count() int {
	n, _ := q.waiting(time.Now())
	if q.now.Load() != nil {
		n++
	}
	return n
}

// Health is nil where no suspect runs or waits.
func (q *suspectQueue) Health() *health.Suspect {
	now := time.Now()
	s, h := q.now.Load(), &health.Suspect{}
	if s != nil {
		h.ID, h.Digest, h.StartedAt = s.id, s.digest, s.since
	}
	var since time.Time
	if h.Waiting, since = q.waiting(now); h.Waiting > 0 {
		h.WaitingSince = &since
	}
	if s == nil && h.Waiting == 0 {
		return nil
	}
	q.windows.mu.Lock()
	defer q.windows.mu.Unlock()
	if next := q.windows.next; next.After(now) {
		h.NextAt = &next
	}
	return h
}

// HeldSince is since when nothing is started on this queue for a suspect's sake; zero
// where it is not held.
func (q *suspectQueue) HeldSince() time.Time {
	q.windows.mu.Lock()
	defer q.windows.mu.Unlock()
	if !q.held() {
		return time.Time{}
	}
	return q.windows.opened
}
