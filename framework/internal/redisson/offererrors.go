package redisson

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
// caller decides whether to offer again and perhaps double the message.
type OutcomeUnknownError struct {
	ID      ElementID // id under which it was offered
	Payload string    // digest of the payload
	Tries   int       // how often it was sent
	Err     error     // the last error
}

// Error says so and gives the last error.
func (e *OutcomeUnknownError) Error() string {
	return fmt.Sprintf("offer: outcome unknown after %d tries (payload digest %s): %v", e.Tries, e.Payload, e.Err)
}

// Unwrap returns the last error.
func (e *OutcomeUnknownError) Unwrap() error { return e.Err }

// ErrorType returns a short name for telemetry.
func (e *OutcomeUnknownError) ErrorType() string { return "outcome_unknown" }
