// Package stopping splits the time that a stop has.
package stopping

import (
	"context"
	"math"
	"time"
)

// Budget is how the time for stopping is split. What is left behind closing is for
// others: fx gives all hooks one budget.
type Budget struct {
	Handlers time.Time // until then handlers may finish
	Last     time.Time // until then those that were cancelled may return
	Closing  time.Time // until then everything else must be done
}

// MostShare is the largest share of the time for stopping that handlers get,
// whatever the configuration says: giving back needs some too.
const MostShare = 0.95

// What Stop takes at most once it was told to hurry: handlers that listen to their
// context get a moment to return, and Redis some time to take the messages back.
const (
	HurriedLast    = 250 * time.Millisecond
	hurriedClosing = 2 * time.Second
)

// NewBudget splits what ctx leaves, or all, where it has no deadline.
func NewBudget(ctx context.Context, all time.Duration, share float64) Budget {
	now := time.Now()
	if deadline, ok := ctx.Deadline(); ok {
		all = max(deadline.Sub(now), 0)
	}
	after := func(part float64) time.Time { return now.Add(time.Duration(float64(all) * part)) }
	share = min(share, MostShare)
	rest := 1 - share
	return Budget{Handlers: after(share), Last: after(share + rest/3), Closing: after(share + rest*3/4)}
}

// Drain is one stop under way.
type Drain struct {
	Budget
	Since time.Time
	Hurry <-chan struct{} // closed when the caller's context was cancelled
}

// New makes the context of the work, which asks Redis: it ends with the budget,
// or shortly after ctx was cancelled.
func New(ctx context.Context, b Budget) (d *Drain, work context.Context, end func()) {
	hurry := make(chan struct{})
	work, cancel := context.WithDeadline(context.WithoutCancel(ctx), b.Closing)
	stop := context.AfterFunc(ctx, func() {
		close(hurry)
		t := time.AfterFunc(hurriedClosing, cancel)
		context.AfterFunc(work, func() { t.Stop() })
	})
	return &Drain{Budget: b, Since: time.Now(), Hurry: hurry}, work, func() {
		stop()
		cancel()
	}
}

// Hurried reports whether the caller wants no more waiting.
func (d *Drain) Hurried() bool {
	select {
	case <-d.Hurry:
		return true
	default:
		return false
	}
}

// stopMargin is what a stop takes beside its handlers: the hooks of others, and the giving
// back of messages.
const stopMargin = 5 * time.Second

// NeedsToStop returns how long a stop must be allowed to take, so that a handler of this
// timeout may end before it is cancelled; 0 where stop is enough, or the handler has no timeout.
func NeedsToStop(timeout, stop time.Duration, share float64) time.Duration {
	share = min(share, MostShare)
	if timeout <= 0 || timeout <= time.Duration(float64(stop)*share) {
		return 0
	}
	return time.Duration(math.Ceil(timeout.Seconds()/share))*time.Second + stopMargin
}
