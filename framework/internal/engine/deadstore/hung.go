package deadstore

import (
	"context"
	"slices"
	"sync"
	"time"
)

// call is one of a queue's function.
type call struct {
	began time.Time
	over  bool
}

// hung are the calls of a queue's function that were given up on and have not returned. Each
// holds a goroutine, so there are at most maxHung.
type hung struct {
	mu     sync.Mutex
	calls  []*call       // the oldest first
	wanted chan struct{} // closed when one returns; nil where nobody waits
}

// add notes a call that is given up on.
func (h *hung) add(c *call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !c.over {
		h.calls = append(h.calls, c)
	}
}

// returned notes the end of a call, whether or not it was given up on.
func (h *hung) returned(c *call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.over = true
	h.calls = slices.DeleteFunc(h.calls, func(other *call) bool { return other == c })
	if h.wanted != nil {
		close(h.wanted)
		h.wanted = nil
	}
}

// room waits until a further call may hang. The error is the cause of ctx.
func (h *hung) room(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.calls) >= maxHung {
		if h.wanted == nil {
			h.wanted = make(chan struct{})
		}
		wanted := h.wanted
		h.mu.Unlock()
		select {
		case <-wanted:
		case <-ctx.Done():
		}
		h.mu.Lock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// Hung returns how many calls of Tell were given up on and have not returned, when the oldest
// of them began, and whether no more are made until one returns.
func (q *Queue) Hung() (calls int, oldest time.Time, stuck bool) {
	q.hung.mu.Lock()
	defer q.hung.mu.Unlock()
	if len(q.hung.calls) == 0 {
		return 0, time.Time{}, false
	}
	return len(q.hung.calls), q.hung.calls[0].began, len(q.hung.calls) >= maxHung
}
