package fault

import (
	"fmt"
	"time"
)

// DelayError reports a delay or due time that the wire cannot carry. Nothing was
// sent or added.
type DelayError struct {
	Delay  time.Duration // the delay as given; 0 for a fixed due time
	DueMs  int64         // the due time in ms where it is known
	Reason string        // what is wrong with it
}

// Error says the reason and both values.
func (e *DelayError) Error() string {
	if e.DueMs != 0 {
		return fmt.Sprintf("offer: %s (delay %v, due %d ms)", e.Reason, e.Delay, e.DueMs)
	}
	return fmt.Sprintf("offer: %s (%v)", e.Reason, e.Delay)
}

// OutcomeUnknownError reports an offer that may or may not have been added: the
// connection broke after a try was sent, and no later try could learn more. The
// caller decides whether to offer again: then the message may be there twice.
type OutcomeUnknownError struct {
	ID      string // that of the element under which it was offered, in hex; empty for a push
	Payload string // digest of the payload
	Tries   int    // how often it was sent
	Err     error  // the last error
}

// Error names the queue, the message and the last error.
func (e *OutcomeUnknownError) Error() string {
	return fmt.Sprintf("offer: outcome unknown after %d tries (payload digest %s): %v", e.Tries, e.Payload, e.Err)
}

// Unwrap returns the last error.
func (e *OutcomeUnknownError) Unwrap() error { return e.Err }

// ErrorType returns a short name for telemetry.
func (e *OutcomeUnknownError) ErrorType() string { return "outcome_unknown" }

// ClosedError reports an offer to a client that is closed, or that was closed before the
// offer was sent. Nothing was added: offer it through another client.
type ClosedError struct {
	Queue string // its name in Redis
}

// Error names the queue and says that the client is closed.
func (e *ClosedError) Error() string {
	return fmt.Sprintf("offer to %q: the client is closed, nothing was added", e.Queue)
}

// Unwrap returns [ErrClosed].
func (e *ClosedError) Unwrap() error { return ErrClosed }

// ErrorType returns a short name for telemetry.
func (e *ClosedError) ErrorType() string { return "client_closed" }

// DedupError reports a key, policy or window that cannot be used. Nothing was sent.
type DedupError struct {
	Key    string
	Reason string // what is wrong and what to do
}

// Error names the key and the reason.
func (e *DedupError) Error() string {
	return fmt.Sprintf("offer: deduplication key %.64q: %s", e.Key, e.Reason)
}

// ReplicationError reports an offer that is in Redis, though fewer replicas than asked
// for have acknowledged it in time: a failover may lose it. Offering it again would
// add a second message, unless it has a key.
type ReplicationError struct {
	Want int   // replicas asked for
	Got  int   // replicas that have it; 0 where Err is set
	Err  error // why Redis did not tell; nil if it did
}

// Error says both numbers.
func (e *ReplicationError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("offered, but whether %d replicas have it is not known: %v", e.Want, e.Err)
	}
	return fmt.Sprintf("offered, but only %d of %d replicas acknowledged it in time", e.Got, e.Want)
}

// Unwrap returns the error of the connection or of Redis, if there was one.
func (e *ReplicationError) Unwrap() error { return e.Err }

// ErrorType returns a short name for telemetry.
func (e *ReplicationError) ErrorType() string { return "too_few_replicas" }
