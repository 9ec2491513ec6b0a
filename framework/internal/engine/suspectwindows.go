package engine

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
)

// The rules of windows, in which suspects run alone.
const (
	// A window is followed by so many times its length in which none begins: windows
	// have a fifth of the time at most.
	restPerWindow = 4
	// holdAtOnce is for how long all queues are held to find out which of them are slow.
	holdAtOnce = 100 * time.Millisecond
	// windowMost is after how long no further suspect begins in a window.
	windowMost = 5 * time.Second
	// linger is for how long a window stays open for a suspect that is just being taken.
	linger = 50 * time.Millisecond
	// waitMost is for how long a suspect waits in this process for the next window to
	// begin, and other messages for the end of one; where that takes longer they wait in
	// Redis, where other processes can take them.
	waitMost = time.Second
)

// suspectWindows are the times in which suspects run, one after the other, on whatever queue of an
// engine they are.
//
// Suspects share them. A window begins by holding all queues for a moment. Those
// whose handlers have not ended by then are slow: they alone are held until these have
// ended, while the others go on; then all are held again. Once nothing runs, suspects
// run one after the other. All that counts as the window's time, of which the queues of
// the process lose a fifth at most.
//
// The healthy path costs two atomic operations.
type suspectWindows struct {
	panics *background.Panics

	hold atomic.Int32    // holdNone, holdSlow or holdAll
	end  <-chan struct{} // closed when the engine has handled its last message

	mu        sync.Mutex
	changed   chan struct{} // closed at each change that somebody may wait for
	patience  time.Duration // how long a window waits for handlers to end
	queues    []*suspectQueue
	waiting   []*ticket
	alone     bool      // a suspect runs
	left      time.Time // when the last one ended
	arranging bool      // the goroutine that opens windows runs
	opened    time.Time // of the window; zero where there is none
	next      time.Time // when the next one may begin
}

const (
	holdNone int32 = iota
	holdSlow       // queues with slow handlers start nothing
	holdAll        // no queue starts anything
)

// ticket is a suspect that waits.
type ticket struct {
	queue  *suspectQueue
	since  time.Time
	answer chan entry // capacity 1; sent with the lock held
}

// NewWindows makes those of an engine. A window waits for handlers to end for patience; end is
// closed when the engine has handled its last message.
func newSuspectWindows(panics *background.Panics, patience time.Duration, end <-chan struct{}) *suspectWindows {
	return &suspectWindows{panics: panics, patience: patience, end: end, changed: make(chan struct{})}
}

// Queue adds a queue.
func (w *suspectWindows) Queue() *suspectQueue {
	q := &suspectQueue{windows: w}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queues = append(w.queues, q)
	return q
}

// bearable returns for how long a message may wait in this process for the end of the
// window.
func (w *suspectWindows) bearable() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := time.Until(w.opened.Add(waitMost))
	if !w.alone && w.left.After(w.opened) { // it ends in a moment, unless another suspect comes
		left = max(left, time.Until(w.left.Add(2*linger)))
	}
	return left
}

// leaveAlone lets the next suspect run, or ends the window.
func (w *suspectWindows) leaveAlone() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.alone, w.left = false, time.Now()
	w.broadcast()
}

// arrange opens windows for as long as suspects wait.
func (w *suspectWindows) arrange() {
	for w.rest() {
		if w.quieten() {
			w.serve()
		}
		w.mu.Lock()
		w.hold.Store(holdNone)
		for _, l := range w.queues {
			l.slow.Store(false)
		}
		now := time.Now()
		w.next, w.opened = now.Add(restPerWindow*now.Sub(w.opened)), time.Time{}
		w.broadcast()
		w.mu.Unlock()
	}
}

// rest waits until the next window may begin, and begins it. It reports false when no
// suspect waits here: those that would wait for too long are told so.
func (w *suspectWindows) rest() bool {
	for {
		w.mu.Lock()
		left := time.Until(w.next)
		if left > waitMost {
			for _, t := range w.waiting {
				t.answer <- enterLater
			}
			w.waiting = nil
		}
		if len(w.waiting) == 0 {
			w.arranging = false
			w.mu.Unlock()
			return false
		}
		if left <= 0 {
			w.opened = time.Now()
			w.mu.Unlock()
			return true
		}
		ch := w.changed
		w.mu.Unlock()
		if !w.await(ch, left) {
			return false
		}
	}
}

// quieten waits until nothing runs in this process, with all queues held. It reports
// false when that took too long, or no suspect waits any more.
func (w *suspectWindows) quieten() bool {
	w.mu.Lock()
	over := w.opened.Add(w.patience)
	w.mu.Unlock()
	for {
		w.hold.Store(holdAll)
		if w.awaitIdle(false, time.Now().Add(holdAtOnce)) {
			return true
		}
		for _, l := range w.queues { // a new one each time, so there are as many rounds at most
			if l.running.Load() > 0 {
				l.slow.Store(true)
			}
		}
		w.hold.Store(holdSlow)
		w.mu.Lock()
		w.broadcast()
		w.mu.Unlock()
		if !w.awaitIdle(true, over) {
			return false
		}
	}
}

// awaitIdle waits until nothing runs, in slow queues or in all. It reports false when
// until came first, or no suspect waits any more.
func (w *suspectWindows) awaitIdle(slow bool, until time.Time) bool {
	for {
		w.mu.Lock()
		ch, wanted := w.changed, len(w.waiting) > 0
		w.mu.Unlock()
		idle := !slices.ContainsFunc(w.queues, func(l *suspectQueue) bool {
			return l.running.Load() > 0 && (!slow || l.slow.Load())
		})
		if idle && wanted {
			return true
		}
		left := time.Until(until)
		if !wanted || left <= 0 {
			return false
		}
		if !w.await(ch, left) {
			return false
		}
	}
}

// serve lets suspects run, one after the other, until none comes or the window is old.
func (w *suspectWindows) serve() {
	start := time.Now()
	for {
		w.mu.Lock()
		ch, left := w.changed, time.Hour // the end of a suspect is awaited for as long as it takes
		switch {
		case w.alone:
		case time.Since(start) >= windowMost:
			left = 0
		case len(w.waiting) > 0:
			w.alone = true
			w.waiting[0].answer <- waited
			w.waiting = slices.Delete(w.waiting, 0, 1)
		case !w.left.Before(start):
			left = linger - time.Since(w.left)
		default: // who had waited was stopped
			left = 0
		}
		w.mu.Unlock()
		if left <= 0 || !w.await(ch, left) {
			return
		}
	}
}

// await waits for a change, d at most. It reports false when the engine has ended.
func (w *suspectWindows) await(ch <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ch:
	case <-t.C:
	case <-w.end:
		return false
	}
	return true
}

// watch returns the channel of the next change; read it before looking.
func (w *suspectWindows) watch() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// broadcast wakes all who wait. Caller holds the lock.
func (w *suspectWindows) broadcast() {
	close(w.changed)
	w.changed = make(chan struct{})
}
