package kryo5

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
)

// Bind compiles the plan for type t. Structs with a Java class are beans, records
// or enums: their descriptions come from the Go type (see [java.ClassesOf]), and
// those of [Classes] are tried where a payload does not fit them. Structs without
// one travel as java.util.HashMap.
// All mistakes are reported together as joined [*codecs.BindError] values.
func (c *Codec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	if c.mistakes != nil {
		return nil, &codecs.BindError{Codec: name, Type: t, Reason: option.Wrong, Err: c.mistakes}
	}
	plan, err := java.Compile(t, opts)
	if err != nil {
		return nil, java.BindError(name, t, err)
	}
	own, err := java.ClassesOf(t, opts)
	if err != nil {
		return nil, java.BindError(name, t, err)
	}
	u := c.universe
	if own.Len() > 0 {
		classes, err := own.Join(c.universe.classes)
		if err != nil {
			return nil, java.BindError(name, t, err)
		}
		u = newUniverse(c.known, classes)
	}
	errs := c.refusedClasses(plan, u)
	errs = append(errs, u.checkLayouts(t, own)...)
	errs = append(errs, u.checkFields(t, opts)...)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return &binding{codec: c, plan: newPlan(u, plan, t, opts, c.references), pointer: reflect.PointerTo(t)}, nil
}

// checkLayouts returns an error for each class of a Go type that cannot be laid
// out, for example because its superclass is not described.
func (u *universe) checkLayouts(t reflect.Type, own *java.Classes) []error {
	var errs []error
	for desc := range own.All() {
		c := u.first.byName[desc.Name]
		if c == nil || c.bean == nil {
			continue
		}
		if err := c.bean.prepare(u.first); err != nil {
			errs = append(errs, &codecs.BindError{Codec: name, Type: t, Reason: err.Error()})
		}
	}
	return errs
}

// refusedClasses returns an error for each declared type that cannot be written.
func (c *Codec) refusedClasses(plan *java.Plan, u *universe) []error {
	var errs []error
	for _, use := range plan.Classes() {
		if reason := u.first.refuses(use.Class); reason != "" {
			errs = append(errs, &codecs.BindError{
				Codec: name, Type: use.Type, Path: use.Path,
				Reason: "the class " + use.Class + " of its declared type: " + reason,
			})
		}
	}
	return errs
}

// refuses says why nothing can be written where a class is declared, "" where
// something can: interfaces and other classes that are not known may be any
// class that is written.
func (w *world) refuses(declared string) string {
	c := w.class(declared)
	switch {
	case c != nil && c.readOnly:
		return unwritable(declared, c)
	case c != nil && c.write == nil:
		return c.reason
	}
	return ""
}

// untyped is the Java plan of values without a bound type.
var untyped = sync.OnceValue(func() *java.Plan {
	p, err := java.Compile(anyType, codecs.BindOptions{})
	if err != nil {
		panic(err) // the empty interface takes every value
	}
	return p
})

// listOfAny describes []any.
var listOfAny = sync.OnceValue(func() *java.Node {
	d, err := untyped().Under(reflect.TypeFor[[]any]())
	if err != nil {
		panic(err) // it takes every list
	}
	return d
})

type binding struct {
	codec   *Codec
	plan    *plan
	pointer reflect.Type // to the bound type
}

// Append implements [codecs.Binding]. Where [binding.Reuses] is true, value may be a pointer to a
// variable of the bound type as well.
func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	t := reflect.TypeOf(value)
	pointer := t == b.pointer && b.Reuses() && !reflect.ValueOf(value).IsNil()
	if t != b.plan.typ && b.plan.typ != anyType && !pointer {
		return dst, &codecs.EncodeError{Codec: name, Type: t, Reason: "the bound type is " + b.plan.typ.String()}
	}
	return b.codec.append(dst, b.plan, value, pointer)
}

// Reuses reports whether one variable of the bound type can hold one value after another, see
// [codecs.For]. With references a pointer inside a value may be one to the value itself.
func (b *binding) Reuses() bool { return !b.codec.references && b.plan.typ.Kind() != reflect.Interface }

// Decode implements [codecs.Binding].
func (b *binding) Decode(payload []byte, target any) error {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem() != b.plan.typ {
		return &codecs.DecodeError{Codec: name, Offset: -1, Reason: fmt.Sprintf("the target is %T, not a pointer to the bound type %s", target, b.plan.typ)}
	}
	v.Elem().SetZero()
	return b.codec.decode(payload, b.plan, memory.To(v))
}
