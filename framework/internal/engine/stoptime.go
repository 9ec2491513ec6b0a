package engine

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/engine/stopping"
	"github.com/duequeue/duequeue/registry"
)

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
		if n := stopping.NeedsToStop(of, stop, e.client.ShutdownShare); n > needs {
			needs, timeout, code = n, of, c.Code()
		}
	}
	if needs > 0 {
		e.log.WarnContext(ctx, "handlers may run for longer than a stop waits for them: a deploy cancels them, and their messages run again. Raise fx.StopTimeout, and the pod's grace period above it, or shorten registry.Timeout",
			"queue", code, "timeout", timeout, "stop_timeout", stop, "needs", needs,
			"handler_budget", time.Duration(float64(stop)*min(e.client.ShutdownShare, stopping.MostShare)))
	}
}
