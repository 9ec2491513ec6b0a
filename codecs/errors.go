package codecs

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// DecodeError says why a payload could not be decoded, and where.
// Decoding the same bytes again fails again: such a message belongs in the dead
// store, not in a retry.
//
// Its text goes into logs and the dead store, so it shows names and no values: classes,
// fields, keys of maps that are shaped like names of fields (64 bytes of one at most) and
// where bytes do not belong a single character; of texts, numbers and other keys their
// kind and length. The payload lies in the dead
// store, and "duequeue decode" shows what it holds. [Printable] makes one line of it,
// of at most 4 kB.
type DecodeError struct {
	Codec  string // canonical codec name, for example "kryo5"
	Class  string // Java class at fault; empty where there is none
	Path   string // where in the value, for example "items[3].price"; empty at the root
	Offset int    // byte offset in the payload; -1 where unknown
	Reason string // what is wrong and, where possible, what to do
	Err    error  // underlying error, may be nil

	// Limit is the field of [Limits] that stops a payload which is well-formed as far as it
	// was read and would become too much: "Elements", or "Bytes" for what it decompresses
	// to. Empty for any other reason.
	Limit string
}

// Error formats all that is known in one line.
func (e *DecodeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "decode %s", e.Codec)
	if e.Path != "" {
		fmt.Fprintf(&b, " at %s", e.Path)
	}
	if e.Class != "" {
		fmt.Fprintf(&b, " (class %s)", shownClass(e.Class))
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " at byte %d", e.Offset)
	}
	return Printable(finish(&b, e.Reason, e.Err), maxErrorText)
}

// shownClass returns a name that may be one of a Java class; of what cannot be, because
// a damaged payload has something else in its place, only the length.
func shownClass(name string) string {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_$.[];/-<>,?&", r) {
			return fmt.Sprintf("of a name of %d bytes that is none in Java", len(name))
		}
	}
	return name
}

// maxErrorText bounds the text of an error: class names and paths are as long as
// whoever wrote the payload wants them.
const maxErrorText = 4 << 10

// Unwrap returns the underlying error.
func (e *DecodeError) Unwrap() error { return e.Err }

// ErrorType returns "decode", the low-cardinality name used in telemetry.
func (e *DecodeError) ErrorType() string { return "decode" }

// EncodeError says why a value could not be encoded.
type EncodeError struct {
	Codec  string       // canonical codec name
	Type   reflect.Type // Go type at fault, may be nil
	Path   string       // where in the value; empty at the root
	Reason string       // what is wrong and what to do
	Err    error        // underlying error, may be nil
}

// Error formats all that is known in one line.
func (e *EncodeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "encode %s", e.Codec)
	writeWhere(&b, e.Path, e.Type)
	return Printable(finish(&b, e.Reason, e.Err), maxErrorText)
}

// Unwrap returns the underlying error.
func (e *EncodeError) Unwrap() error { return e.Err }

// ErrorType returns "encode", the low-cardinality name used in telemetry.
func (e *EncodeError) ErrorType() string { return "encode" }

// BindError says why a codec cannot carry a Go type. It is found when a queue
// is declared, never at the first message.
type BindError struct {
	Codec  string       // canonical codec name
	Type   reflect.Type // the Go type at fault
	Path   string       // field path from the bound type; empty at the root
	Reason string       // what is wrong and what to do
	Err    error        // underlying error, may be nil
}

// Error formats all that is known in one line.
func (e *BindError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "codec %s cannot carry this type", e.Codec)
	writeWhere(&b, e.Path, e.Type)
	return finish(&b, e.Reason, e.Err)
}

// Unwrap returns the underlying error.
func (e *BindError) Unwrap() error { return e.Err }

func writeWhere(b *strings.Builder, path string, t reflect.Type) {
	if path != "" {
		fmt.Fprintf(b, " at %s", path)
	}
	if t != nil {
		fmt.Fprintf(b, " (Go type %s)", t)
	}
}

func finish(b *strings.Builder, reason string, err error) string {
	b.WriteString(": ")
	b.WriteString(reason)
	if err != nil {
		if reason != "" {
			b.WriteString(": ")
		}
		b.WriteString(err.Error())
	}
	return b.String()
}

// Withheld is an error of code that was given a value of a payload, an UnmarshalText
// for example, and may quote it. Its text names only the type of that error; errors.As
// finds the error itself. Nil stays nil.
func Withheld(err error) error {
	if err == nil {
		return nil
	}
	return &withheldError{err}
}

type withheldError struct{ err error }

func (e *withheldError) Error() string { return fmt.Sprintf("it returns a %T", e.err) }
func (e *withheldError) Unwrap() error { return e.err }
