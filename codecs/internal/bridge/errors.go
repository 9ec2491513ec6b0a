package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
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

// Bind compiles Go type t for a codec whose options have these mistakes, and returns the classes
// that it describes, too. Its error is that of the codec's Bind.
func Bind(codec string, mistakes error, t reflect.Type, opts codecs.BindOptions) (*Plan, *java.Classes, error) {
	if mistakes != nil {
		return nil, nil, &codecs.BindError{Codec: codec, Type: t, Reason: option.Wrong, Err: mistakes}
	}
	plan, err := Compile(t, opts)
	if err != nil {
		return nil, nil, BindError(codec, t, err)
	}
	set, err := gotypes.ClassesOf(t, opts)
	if err != nil {
		return nil, nil, BindError(codec, t, err)
	}
	return plan, set, nil
}

// Named gives the error of a conversion the name of a codec. All other errors, also nil, stay
// as they are.
func Named(codec string, err error) error {
	var d *codecs.DecodeError
	var e *codecs.EncodeError
	switch {
	case errors.As(err, &d):
		d.Codec = cmp.Or(d.Codec, codec)
	case errors.As(err, &e):
		e.Codec = cmp.Or(e.Codec, codec)
	}
	return err
}

// Misfit is the error for a decoded value of a class, "" for null, that does not go into Go
// type t. Like all errors of conversions it has no codec: see [Named].
func Misfit(class string, t reflect.Type, reason string) error {
	return &codecs.DecodeError{Class: class, Offset: -1, Reason: fmt.Sprintf("does not go into Go type %s: %s", t, reason)}
}

// NullReason says why null does not go into a Go type, outside fields of structs.
const NullReason = "null needs a pointer, or another type that can be nil: make it a pointer (\"duequeue javadesc -nulls\" writes such types)"

// under puts part before the path of the typed error in err.
func under(part string, err error) error {
	return errpath.UnderEncode(part, errpath.UnderDecode(part, err))
}
