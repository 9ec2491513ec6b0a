package marshalling

import (
	"errors"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// Bind compiles the plan for type t. Structs with a Java class are beans; all
// others travel as java.util.HashMap. All mistakes are reported together as
// joined [*codecs.BindError] values, such as a bean that is a record, or whose
// class is not Serializable ("serial none"); superclasses may be that, and are left
// out. A class that writes itself ("custom") is bound for reading; to write it is a
// [*codecs.EncodeError].
func (c *Codec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	if c.mistakes != nil {
		return nil, &codecs.BindError{Codec: name, Type: t, Reason: option.Wrong, Err: c.mistakes}
	}
	plan, err := java.Compile(t, opts)
	if err != nil {
		return nil, java.BindError(name, t, err)
	}
	classes, err := java.ClassesOf(t, opts)
	if err != nil {
		return nil, java.BindError(name, t, err)
	}
	all, err := classes.Join(c.known)
	if err != nil {
		return nil, java.BindError(name, t, err)
	}
	b := &binding{codec: c, plan: plan, described: serial.NewLooseClasses(all)}
	b.refusals = serial.NewRefusals(c.refuseUnknown, c.refuseMissing, plan, opts, b.described)
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

// binding carries one Go type.
type binding struct {
	codec     *Codec
	plan      *java.Plan
	described *serial.Classes
	refusals  *serial.Refusals // nil where fields may differ
}

// Append implements [codecs.Binding].
func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	lowered, err := b.plan.LowerShared(value)
	if err != nil {
		return dst, java.EncodeError(name, err)
	}
	return b.codec.write(dst, lowered, b.described)
}

// Decode implements [codecs.Binding].
func (b *binding) Decode(payload []byte, target any) error {
	d := b.codec.decoder(payload)
	defer b.codec.release(d)
	d.refusals = b.refusals
	v, err := d.payload()
	if err != nil {
		return err
	}
	return java.DecodeError(name, b.plan.Assign(v, target))
}
