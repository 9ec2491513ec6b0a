package framework

import (
	"sync"
	"sync/atomic"
)

// solo lets a suspect run alone: a message that was in flight in two processes
// that died. While it runs nothing else is started on any queue of the engine, so
// that a third death is surely its own doing. The healthy path costs two atomic
// operations.
type solo struct {
	running atomic.Int64
	alone   atomic.Bool

	mu      sync.Mutex
	changed chan struct{} // closed at each change that somebody may wait for
}

func newSolo() *solo { return &solo{changed: make(chan struct{})} }

// enter waits until the handler may start; every enter needs its leave.
func (s *solo) enter(alone bool) {
	if alone {
		s.enterAlone()
		return
	}
	for {
		s.running.Add(1)
		if !s.alone.Load() {
			return
		}
		if s.running.Add(-1) == 0 {
			s.broadcast() // the suspect waits for that
		}
		ch := s.watch()
		if s.alone.Load() {
			<-ch
		}
	}
}

func (s *solo) enterAlone() {
	for {
		ch := s.watch()
		if s.alone.CompareAndSwap(false, true) {
			break
		}
		<-ch
	}
	for {
		ch := s.watch()
		if s.running.Load() == 0 {
			return
		}
		<-ch
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
