package deadstore

import (
	"fmt"
	"time"

	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/handlers"
)

// maxFailure bounds the text of a failure, in bytes.
const maxFailure = 1 << 10

// ExpiredError says that a message came too late for its handler, or was too old for
// another attempt after failure.
type ExpiredError struct {
	Late, Limit time.Duration
	Failure     error // nil where the handler was not called
}

func (e *ExpiredError) Error() string {
	if e.Failure != nil {
		return fmt.Sprintf("its next attempt would be %v after it was first due, the queue allows %v: %s",
			e.Late.Round(time.Millisecond), e.Limit, errtext.Of(e.Failure, maxFailure))
	}
	return fmt.Sprintf("%v late, the queue allows %v", e.Late.Round(time.Millisecond), e.Limit)
}

// Unwrap returns the failure.
func (e *ExpiredError) Unwrap() error { return e.Failure }

// ErrorType names it in telemetry.
func (e *ExpiredError) ErrorType() string { return handlers.ReasonExpired }
