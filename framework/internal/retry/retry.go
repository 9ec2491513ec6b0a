// Package retry spaces the tries of what failed and may work again.
package retry

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/chance"
)

// Backoff returns the pause before try n+1: exponential with full jitter.
func Backoff(n int, first, longest time.Duration) time.Duration {
	d := longest
	if n < 16 && first<<n < longest {
		d = first << n
	}
	return chance.Jitter(d)
}

// Pause waits for d or until ctx ends, whose cause it then returns.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
