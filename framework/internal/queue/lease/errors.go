package lease

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/framework/internal/script"
)

var (
	// ErrFull means that Redis has reached maxmemory and refuses the blocking wait.
	// Take still works, so the caller polls with it until memory is free again.
	ErrFull = errors.New("redis is full and refuses the blocking wait: take without waiting")
	// ErrClosed means that the session was closed.
	ErrClosed = errors.New("the session is closed")
	// ErrAbandoned is what [AbandonedError] unwraps to.
	ErrAbandoned = errors.New("the session is abandoned")
)

// AbandonedError means that a take may have taken messages whose names are not
// known here. The session takes no more; what it holds can still be settled. The
// caller opens a new session and closes this one when its messages are settled, or
// leaves it to the reaper: either way the unknown messages go back to the queue.
type AbandonedError struct {
	Session string // id of the session
	Err     error  // why the outcome stayed unknown
}

// Error names the session and the cause.
func (e *AbandonedError) Error() string {
	return fmt.Sprintf("session %s is abandoned, its last take has an unknown outcome: %v", e.Session, e.Err)
}

// Unwrap returns ErrAbandoned and the cause.
func (e *AbandonedError) Unwrap() []error { return []error{ErrAbandoned, e.Err} }

// ErrorType returns a short name for telemetry.
func (e *AbandonedError) ErrorType() string { return "session_abandoned" }

func replyError(sc *script.Script, format string, args ...any) error {
	return &script.ReplyError{Script: sc.Name(), Reason: fmt.Sprintf(format, args...)}
}

// OptionError reports a setting that cannot work.
type OptionError struct {
	Option string // name of the field
	Reason string // what is wrong with it
}

// Error names the option and the reason.
func (e *OptionError) Error() string { return fmt.Sprintf("lease option %s: %s", e.Option, e.Reason) }
