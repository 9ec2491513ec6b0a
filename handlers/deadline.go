package handlers

import (
	"context"
	"sync"
	"time"
)

// lazyDeadline is context.WithDeadlineCause(parent, deadline, ErrTimeout) that
// becomes real only when somebody needs its channel: short handlers never do,
// and the timer, the entry in the parent's children and its lock, which all
// workers share, cost more than the rest of the chain.
type lazyDeadline struct {
	parent   context.Context
	deadline time.Time

	mu       sync.Mutex
	real     context.Context
	cancel   context.CancelFunc
	finished bool
}

// withDeadline returns a context that ends at deadline by ErrTimeout, twice: as
// such, and as what is to be finished. (Its method value would be allocated.)
func withDeadline(ctx context.Context, deadline time.Time) (context.Context, *lazyDeadline) {
	c := &lazyDeadline{parent: ctx, deadline: deadline}
	return c, c
}

// Deadline returns the deadline.
func (c *lazyDeadline) Deadline() (time.Time, bool) { return c.deadline, true }

// Done makes the context real.
func (c *lazyDeadline) Done() <-chan struct{} { return c.realize().Done() }

// Err answers without a timer as long as the answer is nil.
func (c *lazyDeadline) Err() error {
	c.mu.Lock()
	pending := c.real == nil && !c.finished && c.parent.Err() == nil && time.Now().Before(c.deadline)
	c.mu.Unlock()
	if pending {
		return nil
	}
	return c.realize().Err()
}

// Value asks the parent. Package context looks up its own bookkeeping by a key
// of type *int, for context.Cause and for cheap children; those must find the
// real context. Should a later Go use another key, Cause would say
// DeadlineExceeded for ErrTimeout and children would cost a goroutine: a test
// watches over both.
func (c *lazyDeadline) Value(key any) any {
	if _, ok := key.(*int); ok {
		return c.realize().Value(key)
	}
	return c.parent.Value(key)
}

func (c *lazyDeadline) realize() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.real == nil {
		c.real, c.cancel = context.WithDeadlineCause(c.parent, c.deadline, ErrTimeout)
		if c.finished {
			c.cancel()
		}
	}
	return c.real
}

// finish cancels the context, so that what the handler left running notices.
func (c *lazyDeadline) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finished = true
	if c.cancel != nil {
		c.cancel()
	}
}
