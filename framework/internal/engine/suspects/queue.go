package suspects

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
)

// Queue is one queue's part: its suspects, and what holds it up.
type Queue struct {
	windows *Windows
	running atomic.Int64
	slow    atomic.Bool // held in this window until its handlers have ended

	now       atomic.Pointer[running] // the suspect that runs
	postponed postponed
}

// Entry is the answer of [Queue.Enter] and [Queue.EnterAlone].
type Entry uint8

// How a message may start.
const (
	Entered Entry = iota // at once
	Waited               // after a while: much may have changed
	Later                // it would take long: the message shall wait in Redis; no leave
	Refused              // stop was closed; no leave
)

// Enter waits until a handler may start; each one that entered needs its leave.
func (q *Queue) Enter(stop <-chan struct{}) Entry {
	for how := Entered; ; how = Waited {
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
				return Later
			}
			t := time.NewTimer(left)
			select {
			case <-ch:
			case <-t.C:
			case <-stop:
				t.Stop()
				return Refused
			}
			t.Stop()
		}
	}
}

// Stalled reports whether this queue is held for so long that nothing shall be taken: a
// suspect runs, or slow handlers do that it has to wait for. Between two suspects it is
// not, or those that follow would not come.
func (q *Queue) Stalled() bool {
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
func (q *Queue) held() bool {
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
func (q *Queue) Leave() {
	if q.running.Add(-1) == 0 && q.held() {
		q.windows.mu.Lock()
		q.windows.broadcast() // a suspect waits for that
		q.windows.mu.Unlock()
	}
}

// EnterAlone waits until a suspect may start, with nothing beside it. One that entered
// needs its leaveAlone.
func (q *Queue) EnterAlone(stop <-chan struct{}) Entry {
	w := q.windows
	t := &ticket{queue: q, since: time.Now(), answer: make(chan Entry, 1)}
	w.mu.Lock()
	if w.opened.IsZero() && w.next.Sub(t.since) > waitMost {
		w.mu.Unlock()
		return Later
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
		if how == Waited {
			w.leaveAlone()
		}
	default:
	}
	return Refused
}

// LeaveAlone ends the stay of a suspect that entered.
func (q *Queue) LeaveAlone() { q.windows.leaveAlone() }

// Watch returns a channel that is closed when what holds the queue up may have changed; read
// it before looking.
func (q *Queue) Watch() <-chan struct{} { return q.windows.watch() }
