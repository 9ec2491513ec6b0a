package web

import (
	"sync"
	"time"
)

// mostHistory is how many queues are remembered.
const mostHistory = 1000

// point is how a queue stood at a moment.
type point struct {
	At                         time.Time
	Ready, Delayed, Dead, Held float32
	Lag                        float32 // seconds
	Rate                       float32 // messages a second that Go processes handle
}

// history remembers in memory how queues stood. It is safe for concurrent use.
type history struct {
	size  int
	apart time.Duration
	begun time.Time

	mu     sync.Mutex
	queues map[string]*ring
}

// ring keeps the newest points.
type ring struct {
	points []point
	next   int
	speeds map[string]speed // of processes
}

// newHistory returns an empty history of a length, for points so far apart.
func newHistory(length, apart time.Duration) *history {
	return &history{size: max(int(length/apart), 2), apart: apart, begun: time.Now(), queues: map[string]*ring{}}
}

// Begun is when it began: nothing is known of the time before.
func (h *history) Begun() time.Time { return h.begun }

// Add adds a point. Of queues beyond Most there are none.
func (h *history) Add(queue string, p point) {
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
func (h *history) ring(queue string) *ring {
	r := h.queues[queue]
	if r == nil && len(h.queues) < mostHistory {
		r = &ring{}
		h.queues[queue] = r
	}
	return r
}

// Keep forgets all queues but those.
func (h *history) Keep(known func(queue string) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for q := range h.queues {
		if !known(q) {
			delete(h.queues, q)
		}
	}
}

// Of returns the points of a queue, oldest first.
func (h *history) Of(queue string) []point {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.queues[queue]
	if r == nil {
		return nil
	}
	return append(append([]point{}, r.points[r.next:]...), r.points[:r.next]...)
}

// Coarse returns points that stand for those of a queue, most and perhaps one more: of each
// while, as long as it takes, the highest of all values at its last moment. They are the same
// from call to call, but for the newest.
func (h *history) Coarse(queue string, most int) []point {
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
func (p point) worst(later point) point {
	return point{
		At: later.At, Ready: max(p.Ready, later.Ready), Delayed: max(p.Delayed, later.Delayed), Dead: max(p.Dead, later.Dead),
		Held: max(p.Held, later.Held), Lag: max(p.Lag, later.Lag), Rate: max(p.Rate, later.Rate),
	}
}

// progress is what a process reports: how many messages it has handled since its start.
type progress struct {
	Process string
	At      time.Time
	Handled uint64
}

// speed is how fast a process works, by the last two things that it said.
type speed struct {
	at      time.Time
	handled uint64
	rate    float32
}

// apart is how far apart the moments must be that a rate is derived from: they are read from
// two clocks, and processes also speak when something changes.
const apart = time.Second

// Rate takes what all processes of a queue have said last, and returns how many messages a
// second they handle together: of each the difference between the last two things that it said.
// One that has spoken once adds nothing yet, and one that is missing adds nothing any more.
func (h *history) Rate(queue string, all []progress) float32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.ring(queue)
	if r == nil {
		return 0
	}
	var sum float32
	speeds := make(map[string]speed, len(all))
	for _, s := range all {
		p, known := r.speeds[s.Process]
		switch took := s.At.Sub(p.at); {
		case !known || s.Handled < p.handled:
			p = speed{at: s.At, handled: s.Handled}
		case took >= apart:
			p = speed{s.At, s.Handled, float32(float64(s.Handled-p.handled) / took.Seconds())}
		}
		speeds[s.Process] = p
		sum += p.rate
	}
	r.speeds = speeds
	return sum
}
