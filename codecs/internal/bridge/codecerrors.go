package bridge

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// BindError makes what [Compile] and [gotypes.ClassesOf] found wrong with Go type t the
// errors of a codec: a [*codecs.BindError] for each mistake, joined.
func BindError(codec string, t reflect.Type, err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range joined.Unwrap() {
			errs = append(errs, BindError(codec, t, e))
		}
		return errors.Join(errs...)
	}
	var typed *gotypes.TypeError
	if errors.As(err, &typed) {
		return &codecs.BindError{Codec: codec, Type: typed.Type, Path: typed.Path, Reason: typed.Reason, Err: typed.Err}
	}
	return &codecs.BindError{Codec: codec, Type: t, Reason: "no plan", Err: err}
}

// DecodeError makes an [*AssignError] a [*codecs.DecodeError] of a codec. All other
// errors, also nil, stay as they are.
func DecodeError(codec string, err error) error {
	var a *AssignError
	if !errors.As(err, &a) {
		return err
	}
	return &codecs.DecodeError{
		Codec: codec, Class: a.Class, Path: a.Path, Offset: -1,
		Reason: fmt.Sprintf("does not go into Go type %s: %s", a.Type, a.Reason),
	}
}

// EncodeError makes a [*LowerError] a [*codecs.EncodeError] of a codec. All other
// errors, also nil, stay as they are.
func EncodeError(codec string, err error) error {
	var l *LowerError
	if !errors.As(err, &l) {
		return err
	}
	return &codecs.EncodeError{Codec: codec, Type: l.Type, Path: l.Path, Reason: l.Reason, Err: l.Err}
}
