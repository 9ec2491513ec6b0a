package control

import "time"

// Bounds of what can be set.
const (
	MaxWorkers = 4096
	minRate    = 1e-5 // messages a second: less than one a day
	maxRate    = 1e9
	maxReason  = 512 // bytes
	maxAuthor  = 128 // bytes
	maxMs      = 1<<53 - 1
)

// Settings are what operators have set for all processes of a queue. The zero value is
// nothing.
type Settings struct {
	Version string
	Pause   *Pause // nil: not paused
	Limit   Limit

	// ResumedBy and ResumedAt are of the last pause that somebody ended.
	ResumedBy string
	ResumedAt time.Time

	// OutboxWritten and OutboxRelayed are what processes have noted; zero for never.
	OutboxWritten, OutboxRelayed time.Time

	// Aside are messages on their way to another queue, see package move.
	Aside *Aside
}

// Aside says what lies aside.
type Aside struct {
	At       time.Time // by the clock of Redis
	Messages int64
	To       string // the other queue
}

// Pause says why nothing shall be taken.
type Pause struct {
	Reason, By string
	At         time.Time // by the clock of Redis
	Until      time.Time // by the clock of Redis; zero: until it is resumed
}

// Limit bounds each process, within what it was declared with.
type Limit struct {
	Rate       float64 // messages a second; 0: as declared
	Workers    int     // 0: as declared
	Reason, By string
	At         time.Time // by the clock of Redis
}

// Any reports whether it bounds anything.
func (l Limit) Any() bool { return l.Rate > 0 || l.Workers > 0 }

// equal compares pauses by value.
func (p *Pause) equal(q *Pause) bool {
	if p == nil || q == nil {
		return p == q
	}
	return p.Reason == q.Reason && p.By == q.By && p.At.Equal(q.At) && p.Until.Equal(q.Until)
}
