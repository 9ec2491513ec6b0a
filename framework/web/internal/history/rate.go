package history

import "time"

// Said is what a process has said: how many messages it has handled since its start.
type Said struct {
	Process string
	At      time.Time
	Handled uint64
}

// pace is how fast a process works, by the last two things that it said.
type pace struct {
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
func (h *History) Rate(queue string, all []Said) float32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.ring(queue)
	if r == nil {
		return 0
	}
	var sum float32
	paces := make(map[string]pace, len(all))
	for _, s := range all {
		p, known := r.paces[s.Process]
		switch took := s.At.Sub(p.at); {
		case !known || s.Handled < p.handled:
			p = pace{at: s.At, handled: s.Handled}
		case took >= apart:
			p = pace{s.At, s.Handled, float32(float64(s.Handled-p.handled) / took.Seconds())}
		}
		paces[s.Process] = p
		sum += p.rate
	}
	r.paces = paces
	return sum
}
