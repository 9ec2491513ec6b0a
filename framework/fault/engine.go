package fault

import (
	"errors"
	"fmt"
)

// Sentinels that callers branch on.
var (
	// ErrClosed is returned by a Client or Engine that was closed or stopped.
	ErrClosed = errors.New("duequeue: closed")
	// ErrStarted is returned by a second Start: an Engine runs once.
	ErrStarted = errors.New("duequeue: engine was started before")
	// ErrStopTime is returned by framework.Engine.Stop where Redis or a part of the engine did
	// not answer in the time that was left. What was held comes back when its lease ends.
	ErrStopTime = errors.New("duequeue: the engine did not stop in time")
	// ErrNoConsumers is returned by framework.New when nothing was registered.
	ErrNoConsumers = errors.New("duequeue: no queue is handled here: register at least one handler, or use only the Client to offer")
	// ErrNotHandled says that an engine does not handle the queue it was asked for.
	ErrNotHandled = errors.New("this engine does not handle the queue")

	// ErrNoPauseReason says that Pause was called without a reason.
	ErrNoPauseReason = errors.New("a pause needs a reason: the health page shows it")
)

// RegistrationError says what is wrong with one registration of a handler.
type RegistrationError struct {
	Code     string // queue code, may be empty
	Declared string // file:line of the registration
	Err      error
}

// Error names the queue and the place.
func (e *RegistrationError) Error() string {
	var where string
	if e.Declared != "" {
		where = " (registered at " + e.Declared + ")"
	}
	if e.Code == "" {
		return fmt.Sprintf("registration of a queue: %v%s", e.Err, where)
	}
	return fmt.Sprintf("registration of %q: %v%s", e.Code, e.Err, where)
}

// Unwrap returns the cause.
func (e *RegistrationError) Unwrap() error { return e.Err }

// SlotWarning tells that the keys of a queue would fall into different slots of
// a Redis Cluster. On a cluster it is an error, elsewhere it is only logged.
type SlotWarning struct {
	Code     string
	Declared string
	Err      error
}

// Error names the queue, the place and the way out.
func (e *SlotWarning) Error() string {
	return fmt.Sprintf("queue %q: %v (declared at %s)", e.Code, e.Err, e.Declared)
}

// Unwrap returns the cause.
func (e *SlotWarning) Unwrap() error { return e.Err }
