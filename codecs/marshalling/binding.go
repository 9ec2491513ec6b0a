package marshalling

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// Bind compiles the plan for type t. Structs with a Java class are beans; all
// others travel as java.util.HashMap. All mistakes are reported together as
// joined [*codecs.BindError] values.
func (c *Codec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	if c.mistakes != nil {
		return nil, &codecs.BindError{Codec: name, Type: t, Reason: wrongOptions, Err: c.mistakes}
	}
	plan, err := java.Compile(t, opts)
	if err != nil {
		return nil, bindErrors(t, err)
	}
	classes, err := java.ClassesOf(t, opts)
	if err != nil {
		return nil, bindErrors(t, err)
	}
	all, err := classes.Join(c.known)
	if err != nil {
		return nil, bindErrors(t, err)
	}
	b := &binding{codec: c, plan: plan, typ: t, described: serial.NewLooseClasses(all)}
	var errs []error
	for _, bean := range plan.Beans() {
		class := java.ClassName(bean.Type, opts.Classes)
		if why := b.described.Problem(class); why != nil {
			errs = append(errs, &codecs.BindError{
				Codec: name, Type: bean.Type, Path: bean.Path, Reason: "class " + class + " cannot be written", Err: why,
			})
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return b, nil
}

// bindErrors turns the errors of a plan into those of package codecs.
func bindErrors(t reflect.Type, err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range joined.Unwrap() {
			errs = append(errs, bindErrors(t, e))
		}
		return errors.Join(errs...)
	}
	var typed *java.TypeError
	if errors.As(err, &typed) {
		return &codecs.BindError{Codec: name, Type: typed.Type, Path: typed.Path, Reason: typed.Reason, Err: typed.Err}
	}
	return &codecs.BindError{Codec: name, Type: t, Reason: "no plan", Err: err}
}

// binding carries one Go type.
type binding struct {
	codec     *Codec
	plan      *java.Plan
	typ       reflect.Type
	described *serial.Classes
}

// Append implements [codecs.Binding].
func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	lowered, err := b.plan.Lower(value)
	if err != nil {
		return dst, encodeError(err)
	}
	e := b.codec.encoder(dst)
	defer b.codec.releaseEncoder(e)
	e.describe.Classes = b.described
	e.u8(maxVersion)
	if err = e.value(lowered); err != nil {
		return dst, encodeError(err)
	}
	return e.out, nil
}

// Decode implements [codecs.Binding].
func (b *binding) Decode(payload []byte, target any) error {
	d := b.codec.decoder(payload)
	defer b.codec.release(d)
	v, err := d.payload()
	if err != nil {
		return err
	}
	return assignError(b.plan.Assign(v, target))
}

func assignError(err error) error {
	var a *java.AssignError
	if !errors.As(err, &a) {
		return err
	}
	return &codecs.DecodeError{
		Codec: name, Class: a.Class, Path: a.Path, Offset: -1,
		Reason: fmt.Sprintf("does not go into Go type %s: %s", a.Type, a.Reason),
	}
}
