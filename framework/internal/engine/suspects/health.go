package suspects

import (
	"maps"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/health"
)

// running is a suspect that runs now.
type running struct {
	id, digest string
	since      time.Time
}

// Begun notes that a suspect runs, for health alone.
func (q *Queue) Begun(id, digest string) {
	q.now.Store(&running{id: id, digest: digest, since: time.Now()})
}

// Ended notes that it has ended.
func (q *Queue) Ended() { q.now.Store(nil) }

// postponeMost is how long a suspect is put off at most before it is looked at again,
// perhaps by another process, in which it may run sooner.
const postponeMost = time.Minute

// postponed remembers the suspects that were put off, for health alone: they wait in
// Redis, where another process may run them.
type postponed struct {
	mu       sync.Mutex
	byDigest map[string]postponement
}

type postponement struct{ since, until time.Time }

// Postponement is for how long a suspect is put off that finds no window here.
func (q *Queue) Postponement() time.Duration {
	w := q.windows
	w.mu.Lock()
	defer w.mu.Unlock()
	return min(max(time.Until(w.next), waitMost), postponeMost)
}

// Postponed notes that a suspect was put off; since when one waits is kept from its first.
func (q *Queue) Postponed(digest string, delay time.Duration) {
	q.postponed.add(digest, time.Now(), delay)
}

func (p *postponed) add(digest string, now time.Time, delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byDigest == nil {
		p.byDigest = map[string]postponement{}
	}
	maps.DeleteFunc(p.byDigest, func(_ string, w postponement) bool { return now.Sub(w.until) > postponeMost })
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
func (q *Queue) waiting(now time.Time) (n int, since time.Time) {
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
func (q *Queue) Count() int {
	n, _ := q.waiting(time.Now())
	if q.now.Load() != nil {
		n++
	}
	return n
}

// Health is nil where no suspect runs or waits.
func (q *Queue) Health() *health.Suspect {
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
func (q *Queue) HeldSince() time.Time {
	q.windows.mu.Lock()
	defer q.windows.mu.Unlock()
	if !q.held() {
		return time.Time{}
	}
	return q.windows.opened
}
