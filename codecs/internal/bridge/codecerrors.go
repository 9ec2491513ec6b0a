package bridge

import (
	"cmp"
	"errors"
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
