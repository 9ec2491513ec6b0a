package sessions

import (
	"sync"
	"sync/atomic"

	"github.com/duequeue/duequeue/framework/internal/queue/lease"
)

// Returning gathers what goes back to the queue while the process stops, so that it
// goes back at once and in the order of the queue, and not in that in which the
// handlers end.
type Returning struct {
	opened atomic.Bool
	mu     sync.Mutex
	closed bool
	back   map[*Session][]lease.Released
}

// Begin opens it: from now on nothing is started any more.
func (p *Returning) Begin() { p.opened.Store(true) }

// Open reports whether it gathers: the process stops.
func (p *Returning) Open() bool { return p.opened.Load() }

// Add gathers messages; it reports false before Begin and after End.
func (p *Returning) Add(sess *Session, back []lease.Released) bool {
	if !p.Open() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	if p.back == nil {
		p.back = map[*Session][]lease.Released{}
	}
	p.back[sess] = append(p.back[sess], back...)
	return true
}

// End returns what was gathered, by session.
func (p *Returning) End() map[*Session][]lease.Released {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	return p.back
}
