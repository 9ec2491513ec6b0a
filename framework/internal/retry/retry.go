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

// Waiting says for how long somebody waits for what does not work yet.
type Waiting struct {
	For    time.Duration                                                       // at most; 0: it is tried once; [Endless]
	Passes func(err error) bool                                                // whether an error may pass by itself
	Tell   func(ctx context.Context, tries int, left time.Duration, err error) // is called before each pause
}

// Endless is as long as the context of [Waiting.Until] lasts.
const Endless time.Duration = -1

// Pauses of [Waiting].
const (
	waitFirst = 100 * time.Millisecond
	waitMost  = 2 * time.Second
)

// Until calls try until it returns nil, or an error that does not pass, or the time is over or
// ctx has ended. It returns how often it was called, and the last error.
func (w Waiting) Until(ctx context.Context, try func() error) (tries int, err error) {
	giveUp := time.Now().Add(w.For)
	for pause := waitFirst; ; pause = min(2*pause, waitMost) {
		err = try()
		tries++
		left := time.Until(giveUp)
		if w.For == Endless {
			left = waitMost
		}
		if err == nil || !w.Passes(err) || left <= 0 || ctx.Err() != nil {
			return tries, err
		}
		w.Tell(ctx, tries, left, err)
		if Pause(ctx, min(pause, left)) != nil {
			return tries, err
		}
	}
}
