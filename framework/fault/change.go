package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrGone says that a message is not pending: it is ready, in flight, handled, dead, was
// cancelled before, or never existed. [*NotPendingError] says which, if it is known.
var ErrGone = errors.New("the message is not pending")

// Where is the place of a message that is not pending.
type Where string

// The places.
const (
	// WhereInFlight: a process has it, and its handler may be running.
	WhereInFlight Where = "in flight"
	// WhereReady: it is due, and waits for a process that takes it.
	WhereReady Where = "ready"
	// WhereDead: it is in the dead store.
	WhereDead Where = "dead"
	// WhereHandled: its handler returned nil, see Since. It is known for messages with a
	// key that has a window, and for queues with a journal (registry.Journal).
	WhereHandled Where = "handled"
	// WhereCancelled: it was cancelled before, see Since. It is known for queues with a journal.
	WhereCancelled Where = "cancelled"
	// WhereUnknown: it was not found. It was handled or cancelled before, moved or taken by
	// Java, which does not keep IDs, or never offered.
	WhereUnknown Where = "unknown"
	// WhereCut: the search ended early, since there are too many messages for one call.
	WhereCut Where = "search cut"
)

// NotPendingError says that a message could not be cancelled or rescheduled, because it is
// not pending, and where it is. It matches [ErrGone].
type NotPendingError struct {
	ID    string // of the message, "" if only its key is known
	Key   string // it was offered with, "" for none or where that is not known
	Where Where
	// Since is when it was taken, where it is in flight, or when it died, was handled or
	// cancelled; by the clock of Redis.
	Since time.Time
	// Entry is that of a dead one, "" where the journal tells of its death and it is not among
	// the newest entries of the dead store.
	Entry string
	// Forbidden is set by a cancellation of a message in flight: it is not retried if this
	// attempt fails or is cut off.
	Forbidden bool

	// Err is why the search was cut, if Redis did not answer; else nil.
	Err error
}

// Error says all of that.
func (e *NotPendingError) Error() string {
	name := "message " + e.ID
	if e.ID == "" {
		name = fmt.Sprintf("the message with the key %.64q", e.Key)
	}
	var b strings.Builder
	b.WriteString(name + " is not pending")
	switch e.Where {
	case WhereInFlight:
		fmt.Fprintf(&b, ": it is in flight since %s", e.Since.UTC().Format(time.RFC3339Nano))
		if e.Forbidden {
			b.WriteString("; it will not be retried")
		}
	case WhereReady:
		b.WriteString(": it is due, and waits on the ready list")
	case WhereHandled, WhereCancelled:
		fmt.Fprintf(&b, ": it was %s at %s", e.Where, e.Since.UTC().Format(time.RFC3339Nano))
	case WhereDead:
		if e.Entry == "" {
			fmt.Fprintf(&b, ": it died at %s, and is not among the newest entries of the dead store", e.Since.UTC().Format(time.RFC3339Nano))
			break
		}
		fmt.Fprintf(&b, ": it is in the dead store as %s", e.Entry)
	case WhereCut:
		b.WriteString("; search cut")
		if e.Err != nil {
			fmt.Fprintf(&b, ": %v", e.Err)
		}
	case WhereUnknown:
		b.WriteString(", nor found anywhere else: it was handled or cancelled, moved by Java, or never offered")
	}
	return b.String()
}

// Unwrap returns [ErrGone].
func (*NotPendingError) Unwrap() error { return ErrGone }

// ErrorType returns a short name for telemetry.
func (*NotPendingError) ErrorType() string { return "not_pending" }

// AmbiguousIDError reports that two pending elements have one id and due time: two
// processes drew the same id. Nothing was changed.
type AmbiguousIDError struct {
	ID string
}

// Error names the id.
func (e *AmbiguousIDError) Error() string {
	return fmt.Sprintf("message id %s: two pending messages have it; nothing was changed", e.ID)
}

// ChangeUnknownError reports a change, such as a cancellation, that Redis may or may not have made:
// the connection broke after a try was sent, and later tries did not find out.
type ChangeUnknownError struct {
	Op    string // "cancel", "reschedule", "poll", "remove", "clear" or "redrive"
	ID    string // of the message; empty if it was named otherwise
	Tries int    // how often it was sent
	Err   error  // the last error, or [ErrGone]
}

// Error names the operation, the number of tries and the last error.
func (e *ChangeUnknownError) Error() string {
	return fmt.Sprintf("%s: outcome unknown after %d tries: %v", e.Op, e.Tries, e.Err)
}

// Unwrap returns the last error, unless it is [ErrGone]: the message may have been
// taken by this very call.
func (e *ChangeUnknownError) Unwrap() error {
	if errors.Is(e.Err, ErrGone) {
		return nil
	}
	return e.Err
}

// ErrorType returns a short name for telemetry.
func (e *ChangeUnknownError) ErrorType() string { return "outcome_unknown" }

// IDError reports a text that is not a message id.
type IDError struct {
	Text   string // the text as given
	Reason string // what is wrong with it
}

// Error quotes the text, the beginning of one that is long, and says the reason.
func (e *IDError) Error() string {
	return fmt.Sprintf("message id %.64q: %s", e.Text, e.Reason)
}

// TooLongError reports a list that is too long to be searched by Redis in one step.
// Nothing was changed.
type TooLongError struct {
	Key    string
	Length int64
	Limit  int64
}

// Error says both lengths.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("%s has %d entries, at most %d are searched: let consumers drain it first", e.Key, e.Length, e.Limit)
}
