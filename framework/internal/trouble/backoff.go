package trouble

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/chance"
)

// What Redis does not do now is tried again after these times: a queue on which nothing
// happens shall be ready again soon after the trouble is over.
const (
	RetryFirst = 50 * time.Millisecond
	RetryMost  = 500 * time.Millisecond
)

// Backoff grows the pause between failing calls to Redis, with jitter so that
// processes do not come back in step. One goroutine owns it.
type Backoff struct {
	base, limit, now time.Duration
}

// NewBackoff makes one whose pauses grow from base to limit.
func NewBackoff(base, limit time.Duration) *Backoff {
	return &Backoff{base: base, limit: limit, now: base}
}

// Next returns the pause to make now, and doubles the following one.
func (b *Backoff) Next() time.Duration {
	d := b.now
	b.now = min(b.now*2, b.limit)
	return chance.Jitter(d)
}

// Reset begins with the first pause again.
func (b *Backoff) Reset() { b.now = b.base }

// Bounded waits for wait to return, no longer than ctx. It reports whether it did.
func Bounded(ctx context.Context, wait func()) bool {
	done := make(chan struct{})
	background.Go(ctx, "wait for an end", func() {
		defer close(done)
		wait()
	})
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
