package script

import "time"

// Bounds of the time that one script may hold Redis.
const (
	Slow = 10 * time.Millisecond
	fast = 2 * time.Millisecond
)

// Pace adapts a limit, of messages for example, to the time that scripts take which do
// as much. Build it with [NewPace]. Not safe for concurrent use.
type Pace struct {
	least, limit, most int
	base               time.Duration // shortest round trip seen that was not Redis's work
	known              bool          // base is
	slow               bool          // the last one took too long to double the limit
}

// NewPace returns a pace whose limit begins at first and stays between least and most.
func NewPace(least, first, most int) Pace { return Pace{least: least, limit: first, most: most} }

// Limit returns the limit for the next script.
func (p *Pace) Limit() int { return p.limit }

// Slow reports whether the last script took too long to double the limit.
func (p *Pace) Slow() bool { return p.slow }

// Round is what one script did and how long that took.
type Round struct {
	Done       int           // in all
	Limited    int           // that part of it which the limit bounds
	Elapsed    time.Duration // from call to reply, as seen by the client
	ServerTime time.Duration // spent in Redis; 0 where the server does not tell
}

// Observe learns from one script: the limit is halved when it held Redis for more than
// [Slow] and doubled when a full one took less than 2 ms. Servers that stop their clock
// inside scripts and have no other for them (7.2 and 7.3) do not tell how long it took;
// then the round trip counts, less the shortest one of a script that did next to nothing.
// As long as none was seen, a slow one makes the limit the least one.
func (p *Pace) Observe(r Round) {
	if rest := r.Elapsed - r.ServerTime; (r.ServerTime > 0 || r.Done <= 1) && (!p.known || rest < p.base) {
		p.base, p.known = rest, true
	}
	took := r.ServerTime
	if took == 0 {
		took = r.Elapsed
		if p.known {
			took -= p.base
		} else if took >= fast {
			p.limit = p.least
			return
		}
	}
	p.slow = took >= fast
	switch {
	case took > Slow:
		p.limit = max(p.limit/2, p.least)
	case took < fast && r.Limited >= p.limit:
		p.limit = min(p.limit*2, p.most)
	}
}
