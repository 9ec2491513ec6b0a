package fault

import (
	"fmt"

	"github.com/duequeue/duequeue/handlers"
)

// NameError reports a raw queue name that cannot be served anywhere.
type NameError struct {
	Name   string // the name as given
	Reason string // what is wrong with it and what to do
}

// Error names the queue and the reason.
func (e *NameError) Error() string {
	return fmt.Sprintf("queue name %q: %s", e.Name, e.Reason)
}

// SlotError reports a queue name whose keys hash to different slots, so that
// its scripts fail with CROSSSLOT on a Redis Cluster. It is harmless on a
// standalone Redis or behind Sentinel.
type SlotError struct {
	Name      string // raw queue name
	QueueSlot int    // slot of the ready list
	OtherKey  string // the first key that falls elsewhere
	OtherSlot int    // slot of that key
}

// Error says which keys fall apart and how to name the queue instead.
func (e *SlotError) Error() string {
	return fmt.Sprintf(
		"queue name %q: its keys fall into different slots (%d for the queue, %d for %q): "+
			"a Redis Cluster refuses its scripts; use a name without braces or with one whole {tag}",
		e.Name, e.QueueSlot, e.OtherSlot, e.OtherKey)
}

// QueueError is an error of one queue among several.
type QueueError struct {
	Queue string // its name in Redis, or its code where an offer failed
	Err   error
}

// Error names the queue.
func (e *QueueError) Error() string { return "queue " + e.Queue + ": " + e.Err.Error() }

// Unwrap returns the error itself.
func (e *QueueError) Unwrap() error { return e.Err }

// ErrorType names the error itself in telemetry.
func (e *QueueError) ErrorType() string { return handlers.ErrorType(e.Err) }
