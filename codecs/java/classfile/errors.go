package classfile

import (
	"fmt"
	"strings"
)

// FormatError says why bytes are no class file, or no archive, and where.
type FormatError struct {
	File   string // path, with ! before the part inside an archive; empty for [Parse]
	Class  string // the class as far as it is known
	Offset int    // byte offset in the class file; -1 where unknown
	Reason string
	Err    error // underlying error, may be nil
}

// Error formats all that is known in one line.
func (e *FormatError) Error() string {
	var b strings.Builder
	b.WriteString("class file")
	if e.File != "" {
		b.WriteString(" " + e.File)
	}
	if e.Class != "" {
		fmt.Fprintf(&b, " (class %s)", e.Class)
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " at byte %d", e.Offset)
	}
	if e.Reason != "" {
		b.WriteString(": " + e.Reason)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the underlying error.
func (e *FormatError) Unwrap() error { return e.Err }

// NotFoundError says that a source has no class of that name.
type NotFoundError struct {
	Class string
	// User is the class whose superclass it is; empty for a class asked for by name.
	User string
	// Near are the names there that look most like it, at most five.
	Near []string
	// Where is the source, as it was given to [Open].
	Where string
}

// Error names the class, who needs it, and what there is instead.
func (e *NotFoundError) Error() string {
	s := fmt.Sprintf("no class %s in %s", e.Class, e.Where)
	if e.User != "" {
		s += fmt.Sprintf(", though %s extends it: add the jar or directory that has it", e.User)
	}
	if len(e.Near) > 0 {
		s += "; did you mean " + strings.Join(e.Near, " or ") + "?"
	}
	return s
}
