package redisson

import "time"

// Bounds of the time one transfer may hold Redis.
const (
	paceSlow = 10 * time.Millisecond
	paceFast = 2 * time.Millisecond
	// paceExact is the first limit of walks: the list may be long, and nobody knows yet
	// how long one takes.
	paceExact = 16
)

// Pace adapts the limit of a queue's transfers to the time they take. With a view that
// is kept exact it limits the walks alone: random due times over a long pending list
// make each message cost a walk of that list, and what is drained from its head costs
// none. The zero value starts at [DefaultTransferLimit] messages. Not safe for
// concurrent use.
type Pace struct {
	walks bool // walks are limited, not messages
	limit int
	base  time.Duration // shortest round trip seen that was not Redis's work
	known bool          // base is
	slow  bool          // the last one took too long to double the limit
}

// Limit returns the limit for the next transfer.
func (p *Pace) Limit() int {
	if p.limit == 0 {
		return DefaultTransferLimit
	}
	return p.limit
}

// Observe learns from one transfer: the limit is halved when it held Redis for
// more than 10 ms and doubled, up to [MaxTransferLimit], when a full one took
// less than 2 ms. Servers that stop their clock inside scripts and have no other for
// them (7.2 and 7.3) do not tell how long it took; then the round trip counts, less the shortest
// one of a transfer that moved next to nothing. As long as none was seen, a slow
// one makes the next one move a single message.
func (p *Pace) Observe(r TransferResult) {
	n := r.Moved + r.Malformed
	if p.walks && r.Walks == 0 && n > 0 {
		return // says nothing of walks
	}
	if rest := r.Elapsed - r.ServerTime; (r.ServerTime > 0 || n <= 1) && (!p.known || rest < p.base) {
		p.base, p.known = rest, true
	}
	took := r.ServerTime
	if took == 0 {
		took = r.Elapsed
		if p.known {
			took -= p.base
		} else if took >= paceFast {
			p.limit = 1
			return
		}
	}
	p.slow = took >= paceFast
	limit, used := p.Limit(), n
	if p.walks {
		used = r.Walks
	}
	switch {
	case took > paceSlow:
		limit = max(limit/2, 1)
	case took < paceFast && used >= limit:
		limit = min(limit*2, MaxTransferLimit)
	}
	p.limit = limit
}
