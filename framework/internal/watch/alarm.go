package watch

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
)

const (
	// fineBelow is the wait that is left to a fine sleep.
	fineBelow = 1200 * time.Microsecond
	// fineLead is how much earlier the timer rings then: as late as it may be.
	fineLead = 1100 * time.Microsecond
)

// alarm wakes the owner at a time, finer than a timer alone: the last
// millisecond is slept by a thread. Only the owner goroutine uses it.
type alarm struct {
	clock   *serverClock
	running *background.Group
	timer   *time.Timer
	fine    chan fineEnd
	target  time.Duration // of the fine sleep under way; never when there is none
	coarse  bool          // fine sleeps do not work here
}

// fineEnd says that the fine sleep for a target ended.
type fineEnd struct {
	target time.Duration
	still  bool // the clock stood still meanwhile
}

func newAlarm(clock *serverClock, running *background.Group) *alarm {
	return &alarm{
		clock: clock, running: running, timer: time.NewTimer(0),
		fine: make(chan fineEnd, 8), target: never, coarse: !canSleepFinely,
	}
}

// set arms the alarm for at, a local time of the clock.
func (a *alarm) set(ctx context.Context, at time.Duration) {
	now := a.clock.now()
	wait := max(at-now, 0)
	switch {
	case a.coarse || wait == 0:
		a.timer.Reset(wait)
	case wait > fineBelow:
		a.timer.Reset(wait - fineLead)
	case at < a.target:
		a.timer.Stop()
		a.target = at
		a.running.Go(ctx, "sleep finely", func() {
			sleepFinely(wait)
			select {
			case a.fine <- fineEnd{target: at, still: a.clock.now() == now}:
			case <-ctx.Done():
			}
		})
	default: // a fine sleep that ends sooner is under way
		a.timer.Stop()
	}
}

// rang takes note that a fine sleep ended. A clock that stood still meanwhile is
// the virtual one of a test: there only timers pass time.
func (a *alarm) rang(end fineEnd) {
	a.coarse = a.coarse || end.still
	if end.target == a.target {
		a.target = never
	}
}
