// Package history remembers how queues stood, in memory.
package history

import (
	"sync"
	"time"
)

// Most is how many queues are remembered.
const Most = 1000

// Point is how a queue stood at a moment.
type Point struct {
	At                         time.Time
	Ready, Delayed, Dead, Held float32
	Lag                        float32 // seconds
	Rate                       float32 // messages a second that Go processes handle
}

// History has the points of all queues. It is safe for concurrent use.
type History struct {
	size  int
	apart time.Duration
	begun time.Time

	mu     sync.Mutex
	queues map[string]*ring
}

// ring keeps the newest points.
type ring struct {
	points []Point
	next   int
	paces  map[string]pace // of processes
}

// New returns an empty history of a length, for points so far apart.
func New(length, apart time.Duration) *History {
	return &History{size: max(int(length/apart), 2), apart: apart, begun: time.Now(), queues: map[string]*ring{}}
}

// Begun is when it began: nothing is known of the time before.
func (h *History) Begun() time.Time { return h.begun }

// Add adds a point. Of queues beyond Most there are none.
func (h *History) Add(queue string, p Point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.ring(queue)
	if r == nil {
		return
	}
	if len(r.points) < h.size {
		r.points = append(r.points, p)
		return
	}
	r.points[r.next] = p
	r.next = (r.next + 1) % h.size
}

// ring returns that of a queue, nil beyond Most. Caller holds mu.
func (h *History) ring(queue string) *ring {
	r := h.queues[queue]
	if r == nil && len(h.queues) < Most {
		r = &ring{}
		h.queues[queue] = r
	}
	return r
}

// Keep forgets all queues but those.
func (h *History) Keep(known func(queue string) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for q := range h.queues {
		if !known(q) {
			delete(h.queues, q)
		}
	}
}

// Of returns the points of a queue, oldest first.
func (h *History) Of(queue string) []Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.queues[queue]
	if r == nil {
		return nil
	}
	return append(append([]Point{}, r.points[r.next:]...), r.points[:r.next]...)
}

// Coarse returns points that stand for those of a queue, most and perhaps one more: of each
// while, as long as it takes, the highest of all values at its last moment. They are the same
// from call to call, but for the newest.
func (h *History) Coarse(queue string, most int) []Point {
	points := h.Of(queue)
	together := (h.size + most - 1) / most
	if together <= 1 {
		return points
	}
	while := h.apart * time.Duration(together)
	out := points[:0]
	for _, p := range points {
		if n := len(out); n > 0 && out[n-1].At.Truncate(while).Equal(p.At.Truncate(while)) {
			out[n-1] = out[n-1].worst(p)
			continue
		}
		out = append(out, p)
	}
	return out
}

// worst is a point at the moment of a later one with the higher of both values.
func (p Point) worst(later Point) Point {
	return Point{
		At: later.At, Ready: max(p.Ready, later.Ready), Delayed: max(p.Delayed, later.Delayed), Dead: max(p.Dead, later.Dead),
		Held: max(p.Held, later.Held), Lag: max(p.Lag, later.Lag), Rate: max(p.Rate, later.Rate),
	}
}
