package framework

import (
	"sync"
	"sync/atomic"
	"time"
)

// solo lets a suspect run alone: a message that was in flight in two processes
// that died. While it runs nothing else is started on any queue of the engine, so
// that a third death is surely its own doing. The healthy path costs two atomic
// operations.
type solo struct {
	running  atomic.Int64
	alone    atomic.Bool
	patience time.Duration // how long a suspect keeps others from starting before it runs

	mu      sync.Mutex
	changed chan struct{} // closed at each change that somebody may wait for
}

func newSolo(patience time.Duration) *solo {
	return &solo{patience: patience, changed: make(chan struct{})}
}

// entry is the answer of solo.enter.
type entry uint8

const (
	entered   entry = iota // at once
	waited                 // after a while: much may have changed
	impatient              // a suspect found others running for too long; no leave
	refused                // stop was closed; no leave
)

// enter waits until the handler may start; each one that entered needs its leave.
func (s *solo) enter(stop <-chan struct{}, alone bool) entry {
	if alone {
		return s.enterAlone(stop)
	}
	for how := entered; ; how = waited {
		s.running.Add(1)
		if !s.alone.Load() {
			return how
		}
		if s.running.Add(-1) == 0 {
			s.broadcast() // the suspect waits for that
		}
		ch := s.watch()
		if !s.alone.Load() {
			continue
		}
		select {
		case <-ch:
		case <-stop:
			return refused
		}
	}
}

func (s *solo) enterAlone(stop <-chan struct{}) entry {
	how := entered
	for { // one suspect at a time
		ch := s.watch()
		if s.alone.CompareAndSwap(false, true) {
			break
		}
		how = waited
		select {
		case <-ch:
		case <-stop:
			return refused
		}
	}
	t := time.NewTimer(s.patience)
	defer t.Stop()
	for ; ; how = waited {
		ch := s.watch()
		if s.running.Load() == 0 {
			return how
		}
		select {
		case <-ch:
		case <-t.C:
			s.leave(true)
			return impatient
		case <-stop:
			s.leave(true)
			return refused
		}
	}
}

func (s *solo) leave(alone bool) {
	if alone {
		s.alone.Store(false)
		s.broadcast()
		return
	}
	if s.running.Add(-1) == 0 && s.alone.Load() {
		s.broadcast()
	}
}

// watch returns the channel of the next change; read it before looking.
func (s *solo) watch() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

func (s *solo) broadcast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}
