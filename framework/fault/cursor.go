package fault

import "fmt"

// CursorError says that a cursor does not lead on: it is of another search, of another
// queue, or damaged. Begin again without one.
type CursorError struct {
	Op  string // what would have gone on, such as "search"
	Err error  // what is wrong with its form; nil where it is that of another
}

// Error says so.
func (e *CursorError) Error() string {
	if e.Err == nil {
		return e.Op + ": the cursor is not of this search: begin again without one"
	}
	return fmt.Sprintf("%s: the cursor cannot be read: %v: begin again without one", e.Op, e.Err)
}

// Unwrap returns what is wrong with its form.
func (e *CursorError) Unwrap() error { return e.Err }

// ErrorType returns a short name for telemetry.
func (e *CursorError) ErrorType() string { return "cursor" }
