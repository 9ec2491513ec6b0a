package fault

import (
	"fmt"
	"time"
)

// ExpiryError says that an offer was refused: Redis is going to delete the pending messages of
// the queue before this one is due, since a program has called expire on the queue. Nothing
// was offered.
type ExpiryError struct {
	Queue string        // code
	Key   string        // that Redis is going to delete
	Left  time.Duration // in how long
}

// Error says which key it is and how it is kept.
func (e *ExpiryError) Error() string {
	return fmt.Sprintf("queue %q: Redis deletes key %q with all pending messages in %v, before this message is due: find the program that calls expire on the queue, and keep the messages with duequeue doctor -fix %q", e.Queue, e.Key, e.Left, e.Queue)
}

// ErrorType returns a short name for telemetry.
func (e *ExpiryError) ErrorType() string { return "expiry" }
