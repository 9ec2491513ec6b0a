package engine

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/health"
)

// suspect is a message that runs alone, see solo.
type suspect struct {
	id, digest string
	since      time.Time
}

// putOff remembers the suspects that were postponed, for health alone: they wait in
// Redis, where another process may run them.
type putOff struct {
	mu       sync.Mutex
	byDigest map[string]postponement
}

type postponement struct{ since, until time.Time }

// add notes a postponement; since when one waits is kept from its first.
func (p *putOff) add(digest string, now time.Time, delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byDigest == nil {
		p.byDigest = map[string]postponement{}
	}
	maps.DeleteFunc(p.byDigest, func(_ string, w postponement) bool { return now.Sub(w.until) > postponed })
	w, known := p.byDigest[digest]
	if !known {
		w.since = now
	}
	w.until = now.Add(delay)
	p.byDigest[digest] = w
}

// waiting counts those that wait still, and tells since when the first does.
func (p *putOff) waiting(now time.Time) (n int, since time.Time) {
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

// suspectsWaiting counts the suspects that wait for their turn, in this process or put
// off by it, and tells since when the first does.
func (r *runner) suspectsWaiting(now time.Time) (n int, since time.Time) {
	n, since = r.putOff.waiting(now)
	r.solo.mu.Lock()
	defer r.solo.mu.Unlock()
	for _, t := range r.solo.waiting {
		if t.lane == r.lane {
			n, since = n+1, first(since, t.since)
		}
	}
	return n, since
}

// suspectHealth is nil where no suspect runs or waits.
func (r *runner) suspectHealth() *health.Suspect {
	now := time.Now()
	s, h := r.suspect.Load(), &health.Suspect{}
	if s != nil {
		h.ID, h.Digest, h.StartedAt = s.id, s.digest, s.since
	}
	var since time.Time
	if h.Waiting, since = r.suspectsWaiting(now); h.Waiting > 0 {
		h.WaitingSince = &since
	}
	if s == nil && h.Waiting == 0 {
		return nil
	}
	r.solo.mu.Lock()
	defer r.solo.mu.Unlock()
	if next := r.solo.next; next.After(now) {
		h.NextAt = &next
	}
	return h
}

// heldSince is since when nothing is started on this queue for a suspect's sake; zero
// where it is not held.
func (l *lane) heldSince() time.Time {
	l.solo.mu.Lock()
	defer l.solo.mu.Unlock()
	if !l.held() {
		return time.Time{}
	}
	return l.solo.opened
}

// begin tells Redis that the handler of a suspect begins: from now on it is charged
// where this process dies, and not before, since until then it cannot be the cause.
// What is acknowledged is sent first, for this process may not live much longer. It
// reports false where the message may not start after all.
func (r *runner) begin(j *job) bool {
	if !j.alone {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.base), settleTimeout)
	defer cancel()
	err := j.holder.flush(ctx)
	if err == nil {
		var ours bool
		if ours, err = j.holder.sess.Begin(ctx, j.msg.Token); ours {
			s := &suspect{id: j.ID(), digest: j.Digest(), since: time.Now()}
			r.suspect.Store(s)
			r.log.WarnContext(ctx, "a message was in flight in two processes that died: it runs alone now", j.named()...)
			return true
		}
	}
	if err != nil {
		r.log.WarnContext(ctx, "suspect not started: Redis did not record its start", j.named("err", err)...)
	}
	return false
}

// leaveSolo ends the stay of a message that entered.
func (r *runner) leaveSolo(j *job) {
	if j.alone {
		r.solo.leaveAlone()
	} else {
		r.lane.leave()
	}
}

// quit ends the stay of a message among those that run in this process. That of a
// suspect ends only when Redis knows of its settlement: what runs next may kill the
// process, and what is still in flight then would be charged for that.
func (r *runner) quit(ctx context.Context, j *job) {
	if j.alone {
		r.suspect.Store(nil)
		r.persist(context.WithoutCancel(ctx), "ack", j.holder.flush)
	}
	r.leaveSolo(j)
}
