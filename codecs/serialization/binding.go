package serialization

import (
	"errors"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// Bind compiles the plan for type t. Structs with a Java class are beans, whose
// fields go by name: fields that the payload has and the struct has not are
// ignored, those it has not stay zero. Structs without one travel as
// java.util.HashMap. All mistakes are reported together as joined
// [*codecs.BindError] values, such as a bean whose serialVersionUID is not known,
// or whose class is not Serializable ("serial none"); superclasses may be that, and
// are left out. A class that writes itself ("custom") is bound for reading; to
// write it is a [*codecs.EncodeError].
func (c *Codec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	if c.mistakes != nil {
		return nil, &codecs.BindError{Codec: name, Type: t, Reason: option.Wrong, Err: c.mistakes}
	}
	plan, err := java.Compile(t, opts)
	if err != nil {
		return nil, java.BindError(name, t, err)
	}
	found, err := java.ClassesOf(t, opts)
	if err != nil {
		return nil, java.BindError(name, t, err)
	}
	all, err := found.Join(c.classes)
	if err != nil {
		return nil, java.BindError(name, t, err)
	}
	descs := serial.NewClasses(all)
	var errs []error
	for _, bean := range plan.Beans() {
		if problem := descs.Problem(bean.Class); problem != nil {
			errs = append(errs, &codecs.BindError{
				Codec: name, Type: bean.Type, Path: bean.Path,
				Reason: "the Java class " + bean.Class + " cannot be written: " + problem.Error(),
			})
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	b := &binding{codec: c, plan: plan, descs: descs, refusals: serial.NewRefusals(c.refuseUnknown, c.refuseMissing, plan, opts, descs)}
	return b, nil
}

type binding struct {
	codec    *Codec
	plan     *java.Plan
	descs    *serial.Classes
	refusals *serial.Refusals // nil where fields may differ
}

// Append implements [codecs.Binding].
func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	v, err := b.plan.LowerShared(value)
	if err != nil {
		return dst, asEncodeError(value, err)
	}
	w := b.codec.writer(b.descs)
	defer b.codec.releaseWriter(w)
	if err := w.value(v); err != nil {
		return dst, err
	}
	return append(dst, w.Out...), nil
}

// Decode implements [codecs.Binding].
func (b *binding) Decode(payload []byte, target any) error {
	v, err := b.codec.decode(payload, b.refusals)
	if err == nil {
		err = b.plan.Assign(v, target)
	}
	if err != nil {
		return asDecodeError(err)
	}
	return nil
}

// asEncodeError gives an error of another package the type that users expect.
func asEncodeError(value any, err error) error {
	var e *codecs.EncodeError
	if err = java.EncodeError(name, err); errors.As(err, &e) {
		return err
	}
	return &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(value), Reason: "it cannot be encoded", Err: err}
}
