package engine

import (
	"sync"
	"sync/atomic"

	"github.com/duequeue/duequeue/framework/internal/engine/sessions"
	"github.com/duequeue/duequeue/framework/internal/lease"
)

// returning gathers what goes back to the queue while the process stops, so that it
// goes back at once and in the order of the queue, and not in that in which the
// handlers end.
type returning struct {
	opened atomic.Bool
	mu     sync.Mutex
	closed bool
	back   map[*sessions.Session][]lease.Released
}

// begin opens it: from now on nothing is started any more.
func (p *returning) begin() { p.opened.Store(true) }

func (p *returning) open() bool { return p.opened.Load() }

// add gathers messages; it reports false before begin and after end.
func (p *returning) add(sess *sessions.Session, back []lease.Released) bool {
	if !p.open() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	if p.back == nil {
		p.back = map[*sessions.Session][]lease.Released{}
	}
	p.back[sess] = append(p.back[sess], back...)
	return true
}

// end returns what was gathered, by session.
func (p *returning) end() map[*sessions.Session][]lease.Released {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	return p.back
}
