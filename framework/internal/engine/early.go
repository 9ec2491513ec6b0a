package engine

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/watch"
)

// noteEarly counts what came before it was due. A body that came back, or that comes once more, says
// nothing of whoever has moved it.
func (r *taker) noteEarly(ctx context.Context, batch *lease.Batch) {
	if batch.Repeated {
		return
	}
	now := batch.NowUs / 1000
	var unknown, early int64
	var most time.Duration
	for i := range batch.Messages {
		m := &batch.Messages[i]
		switch by, is := watch.IsEarly(m.DueMs, now); {
		case m.DueMs < 0 && m.Delivered == 0:
			unknown++
		case is:
			early, most = early+1, max(most, by)
		}
	}
	if unknown+early > 0 {
		r.tellEarly(ctx, r.early.Took(now, unknown, early, most))
	}
}

// tellEarly counts messages that came early, and shows operators.
func (r *taker) tellEarly(ctx context.Context, n int64) {
	if n > 0 {
		r.tel.Early(ctx, n)
		r.intake.tellFleet()
	}
}
