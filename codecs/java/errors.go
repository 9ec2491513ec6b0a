package java

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
)

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
