package engine

import (
	"sync"
	"sync/atomic"

	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/lease"
)

// parking gathers what goes back to the queue while the process stops, so that it
// goes back at once and in the order of the queue, and not in that in which the
// handlers end.
type parking struct {
	opened atomic.Bool
	mu     sync.Mutex
	closed bool
	parked map[*sessions.Session][]lease.Released
}

// begin opens it: from now on nothing is started any more.
func (p *parking) begin() { p.opened.Store(true) }

func (p *parking) open() bool { return p.opened.Load() }

// add parks messages; it reports false before begin and after end.
func (p *parking) add(h *sessions.Session, back []lease.Released) bool {
	if !p.open() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	if p.parked == nil {
		p.parked = map[*sessions.Session][]lease.Released{}
	}
	p.parked[h] = append(p.parked[h], back...)
	return true
}

// end returns what was parked, by session.
func (p *parking) end() map[*sessions.Session][]lease.Released {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	return p.parked
}
