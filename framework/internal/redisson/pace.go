package redisson

import "time"

// Bounds of the time one transfer may hold Redis.
const (
	paceSlow = 10 * time.Millisecond
	paceFast = 2 * time.Millisecond
)

// Pace adapts the limit of a queue's transfers to the time they take: random due
// times over a long pending list make each message cost a scan of that list. The
// zero value starts at [DefaultTransferLimit]. Not safe for concurrent use.
type Pace struct {
	limit int
	base  time.Duration // shortest round trip seen, which is not Redis's work
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
// less than 2 ms. Servers that stop their clock inside scripts (7.2 and later)
// do not tell how long it took; then the round trip counts, less the shortest
// one seen.
func (p *Pace) Observe(r TransferResult) {
	if p.base == 0 || r.Elapsed < p.base {
		p.base = r.Elapsed
	}
	took := r.ServerTime
	if took == 0 {
		took = r.Elapsed - p.base
	}
	limit := p.Limit()
	switch {
	case took > paceSlow:
		limit = max(limit/2, 1)
	case took < paceFast && r.Moved+r.Malformed >= limit:
		limit = min(limit*2, MaxTransferLimit)
	}
	p.limit = limit
}
