package engine

import (
	"sync"
	"time"
)

// waiterKept is for how long a queue keeps its seat after it got messages last: each time a seat
// changes hands a connection is closed and another one opened.
const waiterKept = 5 * time.Second

// waiter is a queue that may wait in Redis.
type waiter interface {
	comparable
	LastGot() time.Time // when it got messages last
	Unseat()            // its seat is another queue's: it must not wait in Redis any more
}

// waiters are the places from which queues wait in Redis by a blocking move, each with a
// connection of its own. The first queues have them, and then those that got messages last:
// one that gets some takes the seat of the one that has gone without for longest. Make them
// with newWaiters; they are safe for concurrent use.
type waiters[Q waiter] struct {
	mu    sync.Mutex
	most  int
	taken map[Q]struct{}
}

// newWaiters makes so many places.
func newWaiters[Q waiter](most int) *waiters[Q] {
	return &waiters[Q]{most: most, taken: map[Q]struct{}{}}
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
	_, has := s.taken[q]
	if has || len(s.taken) < s.most {
		s.taken[q] = struct{}{}
		return true, evicted, false
	}
	if !got {
		return false, evicted, false
	}
	last := time.Now().Add(-waiterKept)
	for holder := range s.taken {
		if at := holder.LastGot(); !at.After(last) {
			evicted, last, found = holder, at, true
		}
	}
	if found {
		delete(s.taken, evicted)
		s.taken[q] = struct{}{}
	}
	return found, evicted, found
}
