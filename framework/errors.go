package framework

import (
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// Errors that Redis or the wire gave. Find them with errors.As.
type (
	// OutcomeUnknownError says that an offer may or may not have been added.
	OutcomeUnknownError = redisson.OutcomeUnknownError
	// DelayError says that a delay or due time cannot be carried; nothing was added.
	DelayError = redisson.DelayError
	// WrongTypeError says that a key of the queue holds something else; nothing was written.
	WrongTypeError = rediserr.WrongTypeError
	// PermissionError says which permission the Redis user lacks.
	PermissionError = rediserr.PermissionError
	// ServerError is any other answer of Redis that is an error, such as a full memory.
	ServerError = rediserr.ServerError
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
