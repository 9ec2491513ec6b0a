package fault

import "fmt"

// AuditError says that an action could not be written to the audit. Where it was refused, nothing
// was done; else it took place, and the audit has no result of it.
type AuditError struct {
	Action  string
	Queue   string
	Refused bool
	Err     error // what Redis answered; a missing permission is a [*PermissionError]
}

// Error says all of that, and what to do.
func (e *AuditError) Error() string {
	if e.Refused {
		return fmt.Sprintf("%s of queue %q is refused, and nothing was done: the audit cannot be written: %v; see duequeue acl -role operate", e.Action, e.Queue, e.Err)
	}
	return fmt.Sprintf("%s of queue %q took place, but what came of it could not be written to the audit: %v", e.Action, e.Queue, e.Err)
}

// Unwrap returns what Redis answered.
func (e *AuditError) Unwrap() error { return e.Err }

// ErrorType returns a short name for telemetry.
func (e *AuditError) ErrorType() string { return "audit" }
