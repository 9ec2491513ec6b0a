package jvm

import (
	"context"
	"testing"
	"time"
)

// Watchdog is the lockWatchdogTimeout of all clients.
const Watchdog = 3 * time.Second

// Holder is a thread of a Java service that holds locks.
type Holder struct {
	jvm  *JVM
	name string
}

// Holder starts a thread.
func (c *Client) Holder(tb testing.TB) *Holder {
	tb.Helper()
	h := &Holder{jvm: c.jvm, name: c.jvm.name("holder")}
	c.jvm.must(tb, "locks.open %s %s", h.name, c.name)
	return h
}

// Do runs a command of the class Locks.
func (h *Holder) Do(tb testing.TB, verb, args string) string {
	tb.Helper()
	return h.jvm.must(tb, "locks.%s %s %s", verb, h.name, args)
}

// Try is Do that returns the error, for a goroutine of a test.
func (h *Holder) Try(ctx context.Context, verb, args string) (string, error) {
	return h.jvm.Call(ctx, "locks.%s %s %s", verb, h.name, args)
}
