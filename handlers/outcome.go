package handlers

import (
	"errors"
	"fmt"
	"time"
)

// Kind is what becomes of a message after its handler returned.
type Kind uint8

// The kinds of outcome.
const (
	// Done: the message is acknowledged and leaves Redis.
	Done Kind = iota
	// Retried: the attempt failed; the message is offered again after a
	// delay, or goes to the dead store when that was the last attempt.
	Retried
	// Rejected: the message goes to the dead store now.
	Rejected
	// Released: the handler was interrupted; the message goes back to the
	// head of its queue and the attempt is not charged.
	Released
)

// String returns the lower-case name of k.
func (k Kind) String() string {
	switch k {
	case Done:
		return "done"
	case Retried:
		return "retried"
	case Rejected:
		return "rejected"
	case Released:
		return "released"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// ByPolicy is the [Outcome.Delay] that leaves the delay to the queue's backoff.
const ByPolicy time.Duration = -1

// MaxRetryDelay is the longest time that a message waits for its next attempt, 30 days:
// longer delays of [RetryAfter] and of a queue's backoff are cut to it. For a message that
// must come in a year, make a new offer.
const MaxRetryDelay = 30 * 24 * time.Hour

// Outcome is what an error of a handler means. The zero value is success.
type Outcome struct {
	// Kind is what becomes of the message.
	Kind Kind
	// Delay before the next attempt where Kind is Retried; [ByPolicy] leaves
	// it to the queue's backoff. At most [MaxRetryDelay].
	Delay time.Duration
	// MaxAttempts is, where Kind is Retried, the number of failures at which the
	// message goes to the dead store instead; 0 leaves it to the queue. Rules of
	// the queue set it, handlers do not.
	MaxAttempts int
	// Reason is, where Kind is Rejected, the text kept in the dead store.
	Reason string
	// Err is the error as the handler returned it.
	Err error
	// CountsForBreaker reports whether the breaker counts this as a failure of something the
	// handler depends on. False for success.
	CountsForBreaker bool
	// Transient reports whether the error was marked so; see [Transient]. Then the
	// attempt is not charged.
	Transient bool
}

// Retry says: try again after the queue's backoff. The attempt is charged unless err is
// marked [Transient]. That is what any plain error means too; Retry overrules [Permanent]
// inside err, and allows for none: Retry(nil) is "not yet", which counts as an attempt but
// not for the breaker. With an error, the breaker counts it as it would count err.
func Retry(err error) error { return &decision{kind: Retried, delay: ByPolicy, err: err} }

// RetryAfter is [Retry] with this delay instead of the queue's backoff. A negative delay
// counts as zero, a delay above [MaxRetryDelay] as that.
func RetryAfter(delay time.Duration, err error) error {
	return &decision{kind: Retried, delay: min(max(delay, 0), MaxRetryDelay), err: err}
}

// Snooze says: not now. The message comes again after the delay, without a charged attempt, and
// the breaker does not count it; a queue's bound (registry.MaxAge) still holds. err says why, and
// may be nil. A negative delay counts as zero, a delay above [MaxRetryDelay] as that.
func Snooze(delay time.Duration, err error) error {
	return &decision{kind: Retried, delay: min(max(delay, 0), MaxRetryDelay), snooze: true, err: err}
}

// Reject says: this message can never be handled; keep it in the dead store
// with this reason, now. Errors given are kept with the reason and can be
// found by errors.Is; nil ones are left out. The breaker does not count it.
func Reject(reason string, errs ...error) error {
	return &decision{kind: Rejected, reason: reason, err: errors.Join(errs...)}
}

// decision is an error by which the handler decided the outcome itself.
type decision struct {
	kind   Kind
	delay  time.Duration
	snooze bool
	reason string
	err    error
}

// Error says the decision and its error in one line.
func (d *decision) Error() string {
	text := "retry"
	switch {
	case d.kind == Rejected:
		text = "rejected"
	case d.snooze:
		text = "snooze for " + d.delay.String()
	case d.delay != ByPolicy:
		text = "retry after " + d.delay.String()
	}
	if d.reason != "" {
		text += ": " + d.reason
	}
	if d.err != nil {
		text += ": " + d.err.Error()
	}
	return text
}

// Unwrap returns the handler's error.
func (d *decision) Unwrap() error { return d.err }

// ErrorType names rejections; a retry has the type of its error.
func (d *decision) ErrorType() string {
	if d.kind == Rejected {
		return "rejected"
	}
	if d.err == nil && d.snooze {
		return "snooze"
	}
	if d.err == nil {
		return "retry"
	}
	return ErrorType(d.err)
}
