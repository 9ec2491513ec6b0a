package admin

import (
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/control"
)

const (
	// outboxAfter is by how much rows are written after the last look of a relay where none runs: both
	// are noted every half minute at least.
	outboxAfter = 2 * time.Minute
	// outboxKept is for how long a row counts: the outbox may be gone.
	outboxKept = 7 * 24 * time.Hour
)

// outbox compares when rows were written with when a relay looked for them.
func (q *QueueStatus) outbox(s control.Settings, now time.Time) {
	if w := s.OutboxWritten; !w.IsZero() && now.Sub(w) < outboxKept {
		switch r := s.OutboxRelayed; {
		case r.IsZero():
			q.OutboxFor, q.OutboxNever = max(now.Sub(w), time.Millisecond), true
		case w.Sub(r) > outboxAfter:
			q.OutboxFor = now.Sub(r)
		}
	}
}
