package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/duequeue/duequeue/handlers"
)

// jobContext is the context of one running handler: a cancel context with a
// deadline that the engine's watchdog enforces, and a child of the intake's only
// when somebody needs its channel. A timer per message, an entry in the parent's
// children and its lock, which all workers share, would cost more than the rest
// of the dispatch.
type jobContext struct {
	base     context.Context
	deadline time.Time

	mu     sync.Mutex
	real   context.Context
	cancel context.CancelCauseFunc
	ended  bool
	cause  error
}

// Begin sets the context up, before anybody sees it.
func (c *jobContext) Begin(base context.Context, deadline time.Time) {
	c.base, c.deadline = base, deadline
}

// Deadline reports when the handler's time is over.
func (c *jobContext) Deadline() (time.Time, bool) {
	return c.deadline, !c.deadline.IsZero()
}

// Done makes the context real.
func (c *jobContext) Done() <-chan struct{} { return c.realize().Done() }

// Err reports DeadlineExceeded where the time was over, as a timer context would.
func (c *jobContext) Err() error {
	c.mu.Lock()
	running := c.real == nil && !c.ended && c.base.Err() == nil
	c.mu.Unlock()
	if running {
		return nil
	}
	ctx := c.realize()
	err := ctx.Err()
	if err != nil && errors.Is(context.Cause(ctx), handlers.ErrTimeout) {
		return context.DeadlineExceeded
	}
	return err
}

// Value asks the intake's context. Package context looks up its own bookkeeping
// by a key of type *int, for context.Cause and for cheap children: that must find
// the real context. Should a later Go use another key, Cause would say Canceled
// for our causes; a test watches over it.
func (c *jobContext) Value(key any) any {
	if _, ok := key.(*int); ok {
		return c.realize().Value(key)
	}
	return c.base.Value(key)
}

// End cancels the context with a cause; nil is the ordinary end. The first call
// counts.
func (c *jobContext) End(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	c.ended, c.cause = true, cause
	if c.cancel != nil {
		c.cancel(cause)
	}
}

func (c *jobContext) realize() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.real == nil {
		c.real, c.cancel = context.WithCancelCause(c.base)
		if c.ended {
			c.cancel(c.cause)
		}
	}
	return c.real
}
