package engine

import (
	"context"
	"math"
	"time"
)

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

// TellStopTime warns of the longest handler that a stop of this length does not wait for.
func (e *Engine) TellStopTime(ctx context.Context, stop time.Duration) {
	var needs, timeout time.Duration
	code := ""
	for _, c := range e.consumers {
		if c.Next == nil {
			continue
		}
		of := c.Queue.Policy().Timeout
		if n := needsToStop(of, stop, e.client.ShutdownShare); n > needs {
			needs, timeout, code = n, of, c.Code()
		}
	}
	if needs > 0 {
		e.log.WarnContext(ctx, "handlers may run for longer than a stop waits for them: a deploy cancels them, and their messages run again. Raise fx.StopTimeout, and the pod's grace period above it, or shorten registry.Timeout",
			"queue", code, "timeout", timeout, "stop_timeout", stop, "needs", needs,
			"handlers_have", time.Duration(float64(stop)*min(e.client.ShutdownShare, mostShare)))
	}
}
