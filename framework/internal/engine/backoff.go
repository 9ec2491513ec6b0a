package engine

import (
	"time"

	"github.com/duequeue/duequeue/framework/internal/chance"
)

// backoff grows the pause between failing calls to Redis, with jitter so that
// processes do not come back in step. One goroutine owns it.
type backoff struct {
	base, limit, now time.Duration
}

func newBackoff(base, limit time.Duration) *backoff {
	return &backoff{base: base, limit: limit, now: base}
}

// next returns the pause to make now, and doubles the following one.
func (b *backoff) next() time.Duration {
	d := b.now
	b.now = min(b.now*2, b.limit)
	return chance.Jitter(d)
}

func (b *backoff) reset() { b.now = b.base }
