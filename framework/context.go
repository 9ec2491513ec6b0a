package framework

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/handlers"
)

// jobContext is the context of one running handler: a cancel context with a
// deadline that the engine's watchdog enforces. A timer per message would cost
// more than the rest of the dispatch.
type jobContext struct {
	context.Context // from context.WithCancelCause
	deadline        time.Time
}

// Deadline reports when the handler's time is over.
func (c *jobContext) Deadline() (time.Time, bool) {
	return c.deadline, !c.deadline.IsZero()
}

// Err reports DeadlineExceeded where the time was over, as a timer context would.
func (c *jobContext) Err() error {
	err := c.Context.Err()
	if err != nil && context.Cause(c.Context) == handlers.ErrTimeout { //nolint:errorlint // the cause is set by us, as this very value
		return context.DeadlineExceeded
	}
	return err
}
