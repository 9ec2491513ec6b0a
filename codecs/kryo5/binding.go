package kryo5

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
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
	b := &binding{codec: c, universe: u, plan: plan, typ: t, fast: fastKind(t)}
	b.typed = c.compileTyped(plan.Described(), opts, newTypedTypes(u))
	return b, nil
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

// fast says which types go without Java values between, where no plan takes them. Codecs
// with References, which have no typed plan, take about half the time by
// it, and a map[string]any takes maps alone, no beans and no Optional.
type fast int

const (
	slow fast = iota
	fastString
	fastMap
	fastAny
)

func fastKind(t reflect.Type) fast {
	switch t {
	case reflect.TypeFor[string]():
		return fastString
	case reflect.TypeFor[map[string]any]():
		return fastMap
	case reflect.TypeFor[any]():
		return fastAny
	}
	return slow
}

type binding struct {
	codec    *Codec
	universe *universe
	plan     *java.Plan
	typ      reflect.Type
	fast     fast
	typed    *typedPlan // straight between bytes and Go values; nil where there is none
}

// Append implements [codecs.Binding].
func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	if b.typed != nil {
		if out, ok := b.typed.append(dst, value); ok {
			return out, nil
		}
		if b.typed.reuses && isPointerTo(value, b.typed.pointer) {
			value = reflect.ValueOf(value).Elem().Interface()
		}
	}
	if b.fast != slow && (b.fast == fastAny || reflect.TypeOf(value) == b.typ) {
		return b.codec.append(dst, value, b.universe)
	}
	lower := b.plan.Lower
	if b.codec.references {
		lower = b.plan.LowerShared
	}
	lowered, err := lower(value)
	if err != nil {
		return dst, java.EncodeError(name, err)
	}
	return b.codec.append(dst, lowered, b.universe)
}

// Decode implements [codecs.Binding].
func (b *binding) Decode(payload []byte, target any) error {
	if b.typed != nil && b.typed.decode(payload, target) {
		return nil
	}
	d := b.codec.decoder(b.universe)
	defer b.codec.release(d)
	switch t := target.(type) {
	case *string:
		if b.fast == fastString && t != nil {
			return d.intoString(payload, t)
		}
	case *map[string]any:
		if b.fast == fastMap && t != nil {
			return d.intoMap(payload, t)
		}
	}
	v, err := d.payload(payload, false)
	if err != nil {
		return err
	}
	return java.DecodeError(name, b.plan.Assign(v, target))
}

// intoString reads a payload that is one string.
func (d *decoder) intoString(payload []byte, target *string) error {
	d.reset(payload, false, d.universe.first)
	if err := d.checkSize(); err != nil {
		return err
	}
	if d.in[0] != idString || d.references {
		v, err := d.payload(payload, false)
		if err != nil {
			return err
		}
		if s, ok := v.(string); ok {
			*target = s
			return nil
		}
		return mismatch(v, "string")
	}
	d.at = 1
	s, null, err := d.string()
	if err == nil && null {
		err = d.fault(1, "found null where the class has a value")
	}
	if err != nil {
		return err
	}
	*target = s
	return d.atEnd()
}

// intoMap reads a payload that is one map with String keys, or null.
func (d *decoder) intoMap(payload []byte, target *map[string]any) error {
	v, err := d.payload(payload, true)
	if err != nil {
		return err
	}
	if d.references {
		v = java.Plain(v)
	}
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		return mismatch(v, "map[string]any")
	}
	*target = m
	return nil
}

func mismatch(v any, goType string) error {
	class := java.ClassOf(v)
	reason := "does not go into Go type " + goType
	switch m, isMap := v.(*java.Map); {
	case v == nil:
		reason = "null does not go into Go type " + goType + ": use a pointer"
	case isMap && goType != "string":
		reason = fmt.Sprintf("a key is not a String: it %s; use *java.Map", reason)
		class = m.Class
	case class == java.ReferenceClass:
		if r, ok := java.ReferenceOf(v); ok {
			reason += ": " + r.Advice()
		}
	}
	return &codecs.DecodeError{Codec: name, Class: class, Offset: -1, Reason: reason}
}
