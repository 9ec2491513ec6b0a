package java

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
)

// TypeError says why a Go type cannot carry Java values. Codecs report it as
// codecs.BindError.
type TypeError struct {
	Type   reflect.Type // the Go type at fault
	Path   string       // field path from the compiled type; empty at the root
	Reason string
	Err    error // underlying error, may be nil
}

// Error formats all that is known in one line.
func (e *TypeError) Error() string {
	return errpath.Line(fmt.Sprintf("Go type %s", e.Type), e.Path, e.Reason, e.Err)
}

// Unwrap returns the underlying error.
func (e *TypeError) Unwrap() error { return e.Err }

// ClassError says what is wrong with the declaration of a Java class.
type ClassError struct {
	Class  string // its name, or the whole declaration where that does not read
	Reason string
	Err    error // underlying error, may be nil
}

// Error formats all that is known in one line.
func (e *ClassError) Error() string {
	return errpath.Line(fmt.Sprintf("Java class %q", errpath.Clip(e.Class)), "", e.Reason, e.Err)
}

// Unwrap returns the underlying error.
func (e *ClassError) Unwrap() error { return e.Err }
