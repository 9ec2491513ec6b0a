package handlers

import "time"

// Delivery is one message as a [Handler] gets it: the payload as T, and what is
// known about the message. The zero value is usable and knows nothing; tests of
// handlers write Delivery[T]{Payload: v} or call [NewDelivery].
//
// A Delivery must not be used after Handle returned; the Payload may be kept.
// It is safe for concurrent reading.
type Delivery[T any] struct {
	// Payload is the decoded message.
	Payload T

	message *Message
}

// NewDelivery returns a delivery of payload with what m tells about it; m may be nil. Tests
// of handlers call it.
func NewDelivery[T any](payload T, m *Message) *Delivery[T] {
	return &Delivery[T]{Payload: payload, message: m}
}

// nothing is the message of a zero Delivery. It is never written.
var nothing Message

// Message returns the delivery without its type, for code that serves several
// queues. It is never nil and must not be changed.
func (d *Delivery[T]) Message() *Message {
	if d.message == nil {
		return &nothing
	}
	return d.message
}

// Code returns the queue code.
func (d *Delivery[T]) Code() string { return d.Message().Code }

// Title returns what people call the queue.
func (d *Delivery[T]) Title() string { return d.Message().Title }

// ID returns the id of the message, or "" where unknown; see [Message.ID].
func (d *Delivery[T]) ID() string { return d.Message().ID() }

// Digest returns the digest of the payload, or ""; see [Message.Digest].
func (d *Delivery[T]) Digest() string { return d.Message().Digest() }

// Due returns when the message was due, and whether that is known; see
// [Message.Due].
func (d *Delivery[T]) Due() (time.Time, bool) { return d.Message().Due() }

// Lateness returns how late the message was started, and whether that is
// known; see [Message.Lateness].
func (d *Delivery[T]) Lateness() (time.Duration, bool) { return d.Message().Lateness() }

// TooLate reports whether the message was started later than the queue allows;
// see [Message.TooLate].
func (d *Delivery[T]) TooLate() bool { return d.Message().TooLate() }

// Attempt returns the number of this attempt, from 1: shutdown, lost leases and failures
// that are marked transient do not raise it.
func (d *Delivery[T]) Attempt() int { return d.Message().Attempt() }

// LastAttempt reports whether failure now means the dead store; see
// [Message.LastAttempt].
func (d *Delivery[T]) LastAttempt() bool { return d.Message().LastAttempt() }

// Delivered returns how often the message was handed out before.
func (d *Delivery[T]) Delivered() int { return d.Message().Delivered }

// Failed returns how often a handler failed on the message before.
func (d *Delivery[T]) Failed() int { return d.Message().Failed }

// Redelivered reports whether the message was handed out before.
func (d *Delivery[T]) Redelivered() bool { return d.Message().Redelivered() }

// Redriven returns how often the message was put back from the dead store.
func (d *Delivery[T]) Redriven() int { return d.Message().Redriven }

// Deaths returns when and why the message died before it was redriven, oldest first;
// see [Message]. It must not be changed.
func (d *Delivery[T]) Deaths() []Death { return d.Message().Deaths }

// Body returns the payload as it is in Redis. Do not change it.
func (d *Delivery[T]) Body() []byte { return d.Message().Body }
