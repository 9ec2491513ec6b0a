package engine

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
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

// solo lets suspects run alone: messages that were in flight in two processes that died.
// While one runs nothing else is started on any queue of the engine, so that a third
// death is surely its own doing.
//
// Suspects share windows. A window begins by holding all queues for a moment. Those
// whose handlers have not ended by then are slow: they alone are held until these have
// ended, while the others go on; then all are held again. Once nothing runs, suspects
// run one after the other. All that counts as the window's time, of which the queues of
// the process lose a fifth at most.
//
// The healthy path costs two atomic operations.
type solo struct {
	hold atomic.Int32    // holdNone, holdSlow or holdAll
	end  <-chan struct{} // closed when the engine has handled its last message

	mu        sync.Mutex
	changed   chan struct{} // closed at each change that somebody may wait for
	patience  time.Duration // how long a window waits for handlers to end
	lanes     []*lane
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

// lane is one queue's part of solo.
type lane struct {
	solo    *solo
	running atomic.Int64
	slow    atomic.Bool // held in this window until its handlers have ended
}

// ticket is a suspect that waits.
type ticket struct {
	lane   *lane
	since  time.Time
	answer chan entry // capacity 1; sent with the lock held
}

func newSolo(patience time.Duration, end <-chan struct{}) *solo {
	return &solo{patience: patience, end: end, changed: make(chan struct{})}
}

// lane adds a queue.
func (s *solo) lane() *lane {
	l := &lane{solo: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lanes = append(s.lanes, l)
	return l
}

// entry is the answer of enter and enterAlone.
type entry uint8

const (
	entered entry = iota // at once
	waited               // after a while: much may have changed
	later                // it would take long: the message shall wait in Redis; no leave
	refused              // stop was closed; no leave
)

// enter waits until a handler may start; each one that entered needs its leave.
func (l *lane) enter(stop <-chan struct{}) entry {
	for how := entered; ; how = waited {
		l.running.Add(1)
		if !l.held() {
			return how
		}
		l.leave()
		for { // without another try, or two who wait would wake each other for ever
			ch := l.solo.watch()
			if !l.held() {
				break
			}
			left := l.solo.bearable()
			if left <= 0 {
				return later
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

// bearable returns for how long a message may wait in this process for the end of the
// window.
func (s *solo) bearable() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := time.Until(s.opened.Add(waitMost))
	if !s.alone && s.left.After(s.opened) { // it ends in a moment, unless another suspect comes
		left = max(left, time.Until(s.left.Add(2*linger)))
	}
	return left
}

// stalled reports whether this queue is held for so long that nothing shall be taken: a
// suspect runs, or slow handlers do that it has to wait for. Between two suspects it is
// not, or those that follow would not come.
func (l *lane) stalled() bool {
	if !l.held() {
		return false
	}
	l.solo.mu.Lock()
	defer l.solo.mu.Unlock()
	switch {
	case l.solo.alone:
		return true
	case l.solo.left.After(l.solo.opened):
		return false
	default:
		return time.Since(l.solo.opened) >= waitMost
	}
}

// held reports whether nothing may start here now.
func (l *lane) held() bool {
	switch l.solo.hold.Load() {
	case holdNone:
		return false
	case holdSlow:
		return l.slow.Load()
	default:
		return true
	}
}

func (l *lane) leave() {
	if l.running.Add(-1) == 0 && l.held() {
		l.solo.mu.Lock()
		l.solo.broadcast() // a suspect waits for that
		l.solo.mu.Unlock()
	}
}

// enterAlone waits until a suspect may start, with nothing beside it. One that entered
// needs its leaveAlone.
func (l *lane) enterAlone(stop <-chan struct{}) entry {
	s := l.solo
	t := &ticket{lane: l, since: time.Now(), answer: make(chan entry, 1)}
	s.mu.Lock()
	if s.opened.IsZero() && s.next.Sub(t.since) > waitMost {
		s.mu.Unlock()
		return later
	}
	s.waiting = append(s.waiting, t)
	if !s.arranging {
		s.arranging = true
		go s.arrange()
	}
	s.broadcast()
	s.mu.Unlock()
	select {
	case how := <-t.answer:
		return how
	case <-stop:
	}
	s.mu.Lock()
	if i := slices.Index(s.waiting, t); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.broadcast()
	}
	s.mu.Unlock()
	select {
	case how := <-t.answer: // just now
		if how == waited {
			s.leaveAlone()
		}
	default:
	}
	return refused
}

func (s *solo) leaveAlone() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alone, s.left = false, time.Now()
	s.broadcast()
}

// arrange opens windows for as long as suspects wait.
func (s *solo) arrange() {
	for s.rest() {
		if s.quieten() {
			s.serve()
		}
		s.mu.Lock()
		s.hold.Store(holdNone)
		for _, l := range s.lanes {
			l.slow.Store(false)
		}
		now := time.Now()
		s.next, s.opened = now.Add(restPerWindow*now.Sub(s.opened)), time.Time{}
		s.broadcast()
		s.mu.Unlock()
	}
}

// rest waits until the next window may begin, and begins it. It reports false when no
// suspect waits here: those that would wait for too long are told so.
func (s *solo) rest() bool {
	for {
		s.mu.Lock()
		left := time.Until(s.next)
		if left > waitMost {
			for _, t := range s.waiting {
				t.answer <- later
			}
			s.waiting = nil
		}
		if len(s.waiting) == 0 {
			s.arranging = false
			s.mu.Unlock()
			return false
		}
		if left <= 0 {
			s.opened = time.Now()
			s.mu.Unlock()
			return true
		}
		ch := s.changed
		s.mu.Unlock()
		if !s.await(ch, left) {
			return false
		}
	}
}

// quieten waits until nothing runs in this process, with all queues held. It reports
// false when that took too long, or no suspect waits any more.
func (s *solo) quieten() bool {
	s.mu.Lock()
	over := s.opened.Add(s.patience)
	s.mu.Unlock()
	for {
		s.hold.Store(holdAll)
		if s.awaitIdle(false, time.Now().Add(holdAtOnce)) {
			return true
		}
		for _, l := range s.lanes { // a new one each time, so there are as many rounds at most
			if l.running.Load() > 0 {
				l.slow.Store(true)
			}
		}
		s.hold.Store(holdSlow)
		s.mu.Lock()
		s.broadcast()
		s.mu.Unlock()
		if !s.awaitIdle(true, over) {
			return false
		}
	}
}

// awaitIdle waits until nothing runs, in slow queues or in all. It reports false when
// until came first, or no suspect waits any more.
func (s *solo) awaitIdle(slow bool, until time.Time) bool {
	for {
		s.mu.Lock()
		ch, wanted := s.changed, len(s.waiting) > 0
		s.mu.Unlock()
		idle := !slices.ContainsFunc(s.lanes, func(l *lane) bool {
			return l.running.Load() > 0 && (!slow || l.slow.Load())
		})
		if idle && wanted {
			return true
		}
		left := time.Until(until)
		if !wanted || left <= 0 {
			return false
		}
		if !s.await(ch, left) {
			return false
		}
	}
}

// serve lets suspects run, one after the other, until none comes or the window is old.
func (s *solo) serve() {
	start := time.Now()
	for {
		s.mu.Lock()
		ch, left := s.changed, time.Hour // the end of a suspect is awaited for as long as it takes
		switch {
		case s.alone:
		case time.Since(start) >= windowMost:
			left = 0
		case len(s.waiting) > 0:
			s.alone = true
			s.waiting[0].answer <- waited
			s.waiting = slices.Delete(s.waiting, 0, 1)
		case !s.left.Before(start):
			left = linger - time.Since(s.left)
		default: // who had waited was stopped
			left = 0
		}
		s.mu.Unlock()
		if left <= 0 || !s.await(ch, left) {
			return
		}
	}
}

// postponement is for how long a suspect is put off that finds no window here.
func (s *solo) postponement() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(max(time.Until(s.next), waitMost), postponed)
}

// await waits for a change, d at most. It reports false when the engine has ended.
func (s *solo) await(ch <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ch:
	case <-t.C:
	case <-s.end:
		return false
	}
	return true
}

// watch returns the channel of the next change; read it before looking.
func (s *solo) watch() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// broadcast wakes all who wait. Caller holds the lock.
func (s *solo) broadcast() {
	close(s.changed)
	s.changed = make(chan struct{})
}
