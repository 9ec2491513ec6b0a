package rig

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
)

// Got is one delivery as a [Collector] saw it.
type Got[T any] struct {
	Payload  T
	At       time.Time
	Due      time.Time // zero where unknown
	Lateness time.Duration
	Attempt  int
	ID       string
}

// Collector is a handler that keeps what it got. The zero value is ready to use.
type Collector[T any] struct {
	mu  sync.Mutex
	got []Got[T]
}

// Handle keeps the delivery.
func (c *Collector[T]) Handle(_ context.Context, d *handlers.Delivery[T]) error {
	g := Got[T]{Payload: d.Payload, At: time.Now(), Attempt: d.Attempt(), ID: d.ID()}
	g.Due, _ = d.Due()
	g.Lateness, _ = d.Lateness()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, g)
	return nil
}

// Got returns what came so far.
func (c *Collector[T]) Got() []Got[T] {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Got[T](nil), c.got...)
}

// Count is how many deliveries came so far.
func (c *Collector[T]) Count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.got)
}

// Await waits until n deliveries came, and returns them.
func (c *Collector[T]) Await(tb testing.TB, n int) []Got[T] {
	tb.Helper()
	lab.Wait(tb, func() string {
		if have := c.Count(); have < n {
			return fmt.Sprintf("%d of %d deliveries", have, n)
		}
		return ""
	})
	return c.Got()
}
