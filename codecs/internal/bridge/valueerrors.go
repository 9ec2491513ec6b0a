package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
)

// AssignError says why a decoded value does not fit the Go type. Codecs report
// it as codecs.DecodeError.
type AssignError struct {
	Class  string       // Java class of the value; empty for null
	Type   reflect.Type // the Go type it should go into
	Path   string       // where in the value, for example "items[3].price"
	Reason string
}

// Error formats all that is known in one line.
func (e *AssignError) Error() string {
	return errpath.Line(fmt.Sprintf("%s into Go type %s", cmp.Or(e.Class, "null"), e.Type), e.Path, e.Reason, nil)
}

// LowerError says why a Go value has no Java form. Codecs report it as
// codecs.EncodeError.
type LowerError struct {
	Type   reflect.Type // the Go type at fault; nil for a nil interface
	Path   string       // where in the value
	Reason string
	Err    error // underlying error, may be nil
}

// Error formats all that is known in one line.
func (e *LowerError) Error() string {
	return errpath.Line(fmt.Sprintf("Go type %v", e.Type), e.Path, e.Reason, e.Err)
}

// Unwrap returns the underlying error.
func (e *LowerError) Unwrap() error { return e.Err }

// under puts part before the path of the typed error in err.
func under(part string, err error) error {
	var assign *AssignError
	var lower *LowerError
	switch {
	case errors.As(err, &assign):
		assign.Path = errpath.Join(part, assign.Path)
	case errors.As(err, &lower):
		lower.Path = errpath.Join(part, lower.Path)
	}
	return err
}
