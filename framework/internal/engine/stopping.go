package engine

import (
	"context"
	"math"
	"time"

	"github.com/duequeue/duequeue/registry"
)

// stopBudget is how the time for stopping is split. What is left behind closing is for
// others: fx gives all hooks one budget.
type stopBudget struct {
	Handlers time.Time // until then handlers may finish
	Last     time.Time // until then those that were cancelled may return
	Closing  time.Time // until then everything else must be done
}

// mostShare is the largest share of the time for stopping that handlers get,
// whatever the configuration says: giving back needs some too.
const mostShare = 0.95

// What Stop takes at most once it was told to hurry: handlers that listen to their
// context get a moment to return, and Redis some time to take the messages back.
const (
	hurriedLast    = 250 * time.Millisecond
	hurriedClosing = 2 * time.Second
)

// newStopBudget splits what ctx leaves, or all, where it has no deadline.
func newStopBudget(ctx context.Context, all time.Duration, share float64) stopBudget {
	now := time.Now()
	if deadline, ok := ctx.Deadline(); ok {
		all = max(deadline.Sub(now), 0)
	}
	after := func(part float64) time.Time { return now.Add(time.Duration(float64(all) * part)) }
	share = min(share, mostShare)
	rest := 1 - share
	return stopBudget{Handlers: after(share), Last: after(share + rest/3), Closing: after(share + rest*3/4)}
}

// drain is one stop under way.
type drain struct {
	stopBudget
	Since time.Time
	Hurry <-chan struct{} // closed when the caller's context was cancelled
}

// newDrain makes the context of the work, which asks Redis: it ends with the budget,
// or shortly after ctx was cancelled.
func newDrain(ctx context.Context, b stopBudget) (d *drain, work context.Context, end func()) {
	hurry := make(chan struct{})
	work, cancel := context.WithDeadline(context.WithoutCancel(ctx), b.Closing)
	stop := context.AfterFunc(ctx, func() {
		close(hurry)
		t := time.AfterFunc(hurriedClosing, cancel)
		context.AfterFunc(work, func() { t.Stop() })
	})
	return &drain{stopBudget: b, Since: time.Now(), Hurry: hurry}, work, func() {
		stop()
		cancel()
	}
}

// Hurried reports whether the caller wants no more waiting.
func (d *drain) Hurried() bool {
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

// needsToStop returns how long a stop must be allowed to take, so that a handler of this
// timeout may end before it is cancelled; 0 where stop is enough, or the handler has no timeout.
func needsToStop(timeout, stop time.Duration, share float64) time.Duration {
	share = min(share, mostShare)
	if timeout <= 0 || timeout <= time.Duration(float64(stop)*share) {
		return 0
	}
	return time.Duration(math.Ceil(timeout.Seconds()/share))*time.Second + stopMargin
}

// fxStopTimeout is the default of fx.StopTimeout.
const fxStopTimeout = 15 * time.Second

// TellStopTime warns of the longest handler that a stop of this length does not wait for. It says
// nothing of the two defaults, which nobody chose: few handlers run for as long as they may.
func (e *Engine) TellStopTime(ctx context.Context, stop time.Duration) {
	var needs, timeout time.Duration
	code := ""
	for _, c := range e.consumers {
		if c.Next == nil {
			continue
		}
		of := c.Queue.Policy().Timeout
		if of == registry.DefaultTimeout && stop == fxStopTimeout {
			continue
		}
		if n := needsToStop(of, stop, e.client.ShutdownShare); n > needs {
			needs, timeout, code = n, of, c.Code()
		}
	}
	if needs > 0 {
		e.log.WarnContext(ctx, "handlers may run for longer than a stop waits for them: a deploy cancels them, and their messages run again. Raise fx.StopTimeout, and the pod's grace period above it, or shorten registry.Timeout",
			"queue", code, "timeout", timeout, "stop_timeout", stop, "needs", needs,
			"handler_budget", time.Duration(float64(stop)*min(e.client.ShutdownShare, mostShare)))
	}
}
