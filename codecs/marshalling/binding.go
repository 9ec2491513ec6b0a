package marshalling

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/internal/serial/typed"
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
	b := &binding{codec: c, plan: plan, typ: t, described: serial.NewLooseClasses(all)}
	b.root, b.beans = typed.Compile(newFormat(), plan.Described(), opts, classes, b.described)
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
	root      *node // the typed plan; nil for the empty interface
	typ       reflect.Type
	beans     []*typed.Bean[*decoder, *encoder]
	described *serial.Classes
	size      atomic.Int64 // of the last payload written
}

// Append implements [codecs.Binding].
func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	if b.root != nil && b.root.Write != nil && reflect.TypeOf(value) == b.typ {
		if out, ok := b.appendTyped(dst, value); ok {
			return out, nil
		}
	}
	lowered, err := b.plan.LowerShared(value)
	if err != nil {
		return dst, java.EncodeError(name, err)
	}
	e := b.codec.encoder(dst)
	defer b.codec.releaseEncoder(e)
	e.describe.Classes = b.described
	e.u8(maxVersion)
	if err = e.value(lowered); err != nil {
		return dst, java.EncodeError(name, err)
	}
	return e.Out, nil
}

// appendTyped writes by the typed plan, or leaves dst to the way by values.
func (b *binding) appendTyped(dst []byte, value any) ([]byte, bool) {
	e := b.codec.encoder(slices.Grow(dst, int(b.size.Load())))
	defer b.codec.releaseEncoder(e)
	e.describe.Classes = b.described
	e.u8(maxVersion)
	if !b.root.Write(e, b.root, memory.Boxed(b.typ, value, &e.word)) {
		return dst, false
	}
	b.size.Store(int64(len(e.Out) - len(dst)))
	return e.Out, true
}

// Decode implements [codecs.Binding].
func (b *binding) Decode(payload []byte, target any) error {
	d := b.codec.decoder(payload)
	defer b.codec.release(d)
	if b.root == nil || !b.decodeTyped(d, target) {
		d.restart()
		v, err := d.payload()
		if err != nil {
			return err
		}
		if err = b.plan.Assign(v, target); err != nil {
			return java.DecodeError(name, err)
		}
	}
	return b.checkFields(d.classes)
}

// checkFields reports fields that the options refuse, of the classes that the
// payload describes.
func (b *binding) checkFields(classes []*class) error {
	if !b.codec.refuseUnknown && !b.codec.refuseMissing {
		return nil
	}
	for _, c := range classes {
		for _, bean := range b.beans {
			if c.serializable() && c.name == bean.Class {
				if err := b.checkBean(bean, c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (b *binding) checkBean(bean *typed.Bean[*decoder, *encoder], in *class) error {
	found := make(map[*typed.Field[*decoder, *encoder]]bool, len(bean.Fields))
	levels := in.levels()
	for i := range levels {
		level := &levels[i]
		for _, f := range level.Fields {
			own := bean.FieldFor(levels, level.Class, f.Name)
			if found[own] = true; own == nil && b.codec.refuseUnknown {
				return &codecs.DecodeError{
					Codec: name, Class: in.name, Path: java.Key(f.Name), Offset: -1,
					Reason: fmt.Sprintf("Go type %s has no field for it, and unknown fields are refused", bean.Type),
				}
			}
		}
	}
	for i := range bean.Fields {
		f := &bean.Fields[i]
		if !found[f] && b.codec.refuseMissing && !b.described.NotSerializable(f.Level) {
			return &codecs.DecodeError{
				Codec: name, Class: in.name, Path: java.Key(f.Name), Offset: -1,
				Reason: fmt.Sprintf("the class in the payload has no such field, Go type %s has, and missing ones are refused", bean.Type),
			}
		}
	}
	return nil
}

// decodeTyped reads by the typed plan. False leaves the payload, and every
// mistake in it, to the way by values.
func (b *binding) decodeTyped(d *decoder, target any) bool {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem() != b.typ || d.begin() != nil {
		return false
	}
	v.Elem().SetZero()
	// Views of collections that were not whole yet are for the way by values.
	return b.root.ReadValue(d, memory.To(v)) && d.remaining() == 0 && len(d.views) == 0
}
