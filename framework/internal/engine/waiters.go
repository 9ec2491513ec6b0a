package engine

import (
	"sync"
	"time"
)

const (
	// waiterKept is for how long a queue keeps its seat after it got messages last.
	waiterKept = 5 * time.Second
	// waiterPace is how often a seat changes hands at most: each time a connection is closed and
	// another one opened.
	waiterPace = time.Second
)

// waiter is a queue that may wait in Redis.
type waiter interface {
	comparable
	LastGot() time.Time // when it got messages last
	Unseat()            // its seat is another queue's: it must not wait in Redis any more
}

// waiters are the places from which queues wait in Redis by a blocking move, each with a
// connection of its own. The first queues have them, and then those that got messages last:
// one that gets some again and again takes the seat of the one that has gone without for
// longest. Make them with newWaiters; they are safe for concurrent use.
type waiters[Q waiter] struct {
	mu     sync.Mutex
	most   int
	taken  map[Q]struct{}
	passed time.Time // when one changed hands last

	// When others got messages: two generations, each of at least the time waiterKept.
	got, gotBefore map[Q]time.Time
	turned         time.Time // when the younger one began
}

// newWaiters makes so many places.
func newWaiters[Q waiter](most int) *waiters[Q] {
	return &waiters[Q]{most: most, taken: map[Q]struct{}{}, got: map[Q]time.Time{}}
}

// Claim reports whether the queue may wait in Redis. One that has a seat keeps it until
// another queue gets it. got says that it has got messages since it asked last.
func (s *waiters[Q]) Claim(q Q, got bool) bool {
	seated, evicted, found := s.claim(q, got)
	if found {
		evicted.Unseat()
	}
	return seated
}

func (s *waiters[Q]) claim(q Q, got bool) (seated bool, evicted Q, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, has := s.taken[q]; has {
		return true, evicted, false
	}
	if len(s.taken) < s.most {
		s.taken[q] = struct{}{}
		return true, evicted, false
	}
	now := time.Now()
	if !got || !s.again(q, now) || now.Sub(s.passed) < waiterPace {
		return false, evicted, false
	}
	last := now.Add(-waiterKept)
	for holder := range s.taken {
		if at := holder.LastGot(); !at.After(last) {
			evicted, last, found = holder, at, true
		}
	}
	if found {
		delete(s.taken, evicted)
		s.taken[q], s.passed = struct{}{}, now
	}
	return found, evicted, found
}

// again reports whether the queue, which has just got messages, got some a while ago, too.
// In a large fleet each process gets few of each queue's messages: a seat for each of them
// would cost a new connection every time.
func (s *waiters[Q]) again(q Q, now time.Time) bool {
	before, ok := s.got[q]
	if !ok {
		before, ok = s.gotBefore[q]
	}
	if now.Sub(s.turned) >= waiterKept {
		s.gotBefore, s.got, s.turned = s.got, map[Q]time.Time{}, now
	}
	s.got[q] = now
	return ok && now.Sub(before) < waiterKept
}
