package handlers

import (
	"fmt"
	"time"
)

// Why the context of a handler ended, as told by [context.Cause].
var (
	// ErrDraining is the cause when the process stops and its drain budget is
	// used up. The message goes back to the head of its queue, uncharged.
	ErrDraining error = &cause{text: "the process is stopping", errorType: "draining", interrupts: true}

	// ErrLeaseLost is the cause when this process could not renew its lease
	// (it was paused, or cut off from Redis), so that another one may be
	// handling the message already. What the handler returns is ignored.
	ErrLeaseLost error = &cause{text: "the lease of the message was lost", errorType: "lease_lost", interrupts: true}

	// ErrTimeout is the cause when the handler's time was used up; ctx.Err is
	// then [context.DeadlineExceeded].
	ErrTimeout error = &cause{text: "the handler's time is used up", errorType: "timeout"}
)

// cause is why a context ended.
type cause struct {
	text, errorType string
	interrupts      bool // through no fault of the handler
}

func (c *cause) Error() string     { return c.text }
func (c *cause) ErrorType() string { return c.errorType }

// PanicError is what [Recover] makes of a panic. The message is retried, and
// the failure counts for the breaker. Marks on the panic's value ([Reject] and
// others) mean nothing.
type PanicError struct {
	// Value is what was given to panic; a [*runtime.PanicNilError] for nil. Error shows
	// texts, errors, numbers and booleans; of all else, which may be a payload, its type.
	Value any
	// Stack is the stack of the panicking goroutine, as by debug.Stack.
	Stack []byte
}

// Error gives the value, without the stack.
func (e *PanicError) Error() string {
	switch e.Value.(type) {
	case string, error, bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, uintptr, float32, float64:
		return fmt.Sprintf("panic: %v", e.Value)
	}
	return fmt.Sprintf("panic: a %T", e.Value)
}

// Unwrap returns the value where it is an error, so that errors.Is finds it.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// ErrorType returns "panic", the low-cardinality name used in telemetry.
func (e *PanicError) ErrorType() string { return "panic" }

// TimeoutError is what [Timeout] makes of an error that came after the time was
// used up. It matches [ErrTimeout] and whatever Err matches.
type TimeoutError struct {
	After time.Duration // the time that was given; 0 where unknown
	Err   error         // what the handler returned
}

// Error tells the time that was given and the handler's error.
func (e *TimeoutError) Error() string {
	if e.After == 0 {
		return fmt.Sprintf("timeout: %v", e.Err)
	}
	return fmt.Sprintf("timeout after %v: %v", e.After, e.Err)
}

// Unwrap returns ErrTimeout and the handler's error.
func (e *TimeoutError) Unwrap() []error { return []error{ErrTimeout, e.Err} }

// Timeout returns true, as net.Error has it.
func (e *TimeoutError) Timeout() bool { return true }

// ErrorType returns "timeout", the low-cardinality name used in telemetry.
func (e *TimeoutError) ErrorType() string { return "timeout" }
