package framework

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// Errors that Redis or the wire gave. Find them with errors.As.
type (
	// OutcomeUnknownError says that an offer may or may not have been added.
	OutcomeUnknownError = redisson.OutcomeUnknownError
	// DelayError says that a delay or due time cannot be carried; nothing was added.
	DelayError = redisson.DelayError
	// WrongTypeError says that a key of the queue holds something else; nothing was written.
	WrongTypeError = redisson.WrongTypeError
	// PermissionError says which permission the Redis user lacks.
	PermissionError = redisson.PermissionError
	// ServerError is any other answer of Redis that is an error, such as a full memory.
	ServerError = redisson.ServerError
	// SlotError says that the keys of a queue name hash to different slots.
	SlotError = redisson.SlotError
	// NameError says what is wrong with a queue's name in Redis.
	NameError = redisson.NameError
	// QueueError is an error with the queue that it is about: one among several, or the one
	// that was offered to.
	QueueError = redisson.QueueError
	// IDError says what is wrong with the text of an ID.
	IDError = redisson.IDError
)

// Sentinels that callers branch on.
var (
	// ErrClosed is returned by a Client or Engine that was closed or stopped.
	ErrClosed = errors.New("duequeue: closed")
	// ErrStarted is returned by a second Start: an Engine runs once.
	ErrStarted = errors.New("duequeue: engine was started before")
	// ErrStopTime is returned by [Engine.Stop] where Redis or a part of the engine did
	// not answer in the time that was left. What was held comes back when its lease ends.
	ErrStopTime = errors.New("duequeue: the engine did not stop in time")
	// ErrNoConsumers is returned by New when nothing was registered.
	ErrNoConsumers = errors.New("duequeue: no queue is handled here: register at least one handler, or use only the Client to offer")
)

// RegistrationError says what is wrong with one registration of a handler.
type RegistrationError struct {
	Code     string // queue code, may be empty
	Declared string // file:line of the registration
	Err      error
}

// Error names the queue and the place.
func (e *RegistrationError) Error() string {
	return fmt.Sprintf("registration of %q: %v (registered at %s)", e.Code, e.Err, e.Declared)
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
