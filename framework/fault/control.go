package fault

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs"
)

// ControlError says that a value by which operators steer all processes of a queue cannot
// be: one that was asked for, which was not set, or one that lies in Redis. What lies there
// changes nothing: running processes keep what they knew before, and new ones take nothing.
type ControlError struct {
	Key    string // of the control, "" where the value was not set
	Field  string // of the control
	Value  string // as given
	Reason string // what is wrong with it, and what to do
}

// Error says all of that.
func (e *ControlError) Error() string {
	where := "control"
	if e.Key != "" {
		where = fmt.Sprintf("control %q", e.Key)
	}
	return codecs.Printable(fmt.Sprintf("%s: %s is %.64q: %s", where, e.Field, e.Value, e.Reason), maxText)
}

// ErrorType returns a short name for telemetry.
func (*ControlError) ErrorType() string { return "control" }
