package codecs_test

import (
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

// TestErrorText: everything that is known is in the one line, and nothing else.
func TestErrorText(t *testing.T) {
	t.Parallel()
	intType := reflect.TypeFor[int]()
	for want, err := range map[string]error{
		"decode kryo5 at items[3].price (class a.B) at byte 17: too deep": &codecs.DecodeError{
			Codec: "kryo5", Class: "a.B", Path: "items[3].price", Offset: 17, Reason: "too deep",
		},
		"decode long at byte 0: empty payload":        &codecs.DecodeError{Codec: "long", Reason: "empty payload"},
		"decode long: too large":                      &codecs.DecodeError{Codec: "long", Offset: -1, Reason: "too large"},
		"decode string: UnmarshalText: EOF":           &codecs.DecodeError{Codec: "string", Offset: -1, Reason: "UnmarshalText", Err: io.EOF},
		"decode string: EOF":                          &codecs.DecodeError{Codec: "string", Offset: -1, Err: io.EOF},
		"encode jsonjackson at a.b (Go type int): no": &codecs.EncodeError{Codec: "jsonjackson", Type: intType, Path: "a.b", Reason: "no"},
		"encode jsonjackson: no: EOF":                 &codecs.EncodeError{Codec: "jsonjackson", Reason: "no", Err: io.EOF},
		"codec double cannot carry this type at Price (Go type int): use long": &codecs.BindError{
			Codec: "double", Type: intType, Path: "Price", Reason: "use long",
		},
	} {
		if err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
	}
}

// TestErrorsUnwrap: the cause can be found, and the type under a wrapper.
func TestErrorsUnwrap(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		&codecs.DecodeError{Err: io.ErrUnexpectedEOF},
		&codecs.EncodeError{Err: io.ErrUnexpectedEOF},
		&codecs.BindError{Err: io.ErrUnexpectedEOF},
	} {
		if !errors.Is(errors.Join(io.EOF, err), io.ErrUnexpectedEOF) {
			t.Errorf("%T hides its cause", err)
		}
	}
	var d *codecs.DecodeError
	if err := errors.Join(io.EOF, &codecs.DecodeError{Offset: 7}); !errors.As(err, &d) || d.Offset != 7 {
		t.Error("DecodeError not found")
	}
}

func TestErrorType(t *testing.T) {
	t.Parallel()
	if got := (&codecs.DecodeError{}).ErrorType(); got != "decode" {
		t.Error(got)
	}
	if got := (&codecs.EncodeError{}).ErrorType(); got != "encode" {
		t.Error(got)
	}
}
