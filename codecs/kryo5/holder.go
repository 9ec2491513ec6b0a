package kryo5

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

const (
	atomicPrefix    = "java.util.concurrent.atomic.Atomic"
	atomicReference = atomicPrefix + "Reference"
	keySetView      = "java.util.concurrent.ConcurrentHashMap$KeySetView"
)

func (k *catalog) addHolders() {
	k.add(holderClass(atomicPrefix+"Boolean", false, bools))
	k.add(holderClass(atomicPrefix+"Integer", false, fixedInts))
	k.add(holderClass(atomicPrefix+"Long", false, fixedLongs))
	k.add(holderClass("java.util.OptionalInt", true, fixedInts))
	k.add(holderClass("java.util.OptionalLong", true, fixedLongs))
	k.add(holderClass("java.util.OptionalDouble", true, doubles))
	k.add(class{name: atomicReference, read: readFields(false, "value"), write: writeReference, partial: true})
	k.add(class{name: "java.util.Optional", read: readFields(true, "value"), write: writeOptional, partial: true})
	k.add(class{name: keySetView, read: readFields(false, "map", "value"), write: writeKeySetView, partial: true})
}

// atomic is a class of Redisson before 3.46, where FieldSerializer wrote it.
type atomic class

var atomics = map[string]atomic{
	atomicPrefix + "Boolean": atomic(holderClass("", false, form[bool]{readOldFlag, func(dst []byte, v bool) []byte {
		return appendZZ32(dst, int32(flagByte(v)))
	}})),
	atomicPrefix + "Integer": atomic(holderClass("", false, ints)),
	atomicPrefix + "Long":    atomic(holderClass("", false, longs)),
	atomicReference:          {},
}

// old returns the class as it was.
func (a atomic) old(name string) class {
	a.name = name
	if name == atomicReference {
		a.bean = &beanClass{desc: &java.Class{
			Name: name, Params: []java.TypeParam{{Name: "V"}},
			Fields: []java.ClassField{{Name: "value", Type: java.TypeExpr{Class: "V"}}},
		}}
		a.read, a.write, a.partial = readBean, writeBean, true
	}
	return class(a)
}

func readOldFlag(d *decoder) (bool, error) {
	start := d.at
	v, err := d.zz32()
	if err == nil && v != 0 && v != 1 {
		err = d.fault(start, "%d is neither 0 nor 1", v)
	}
	return v == 1, err
}

// heldBy returns how a class holds one value.
func heldBy(name string) holds {
	switch {
	case name == "java.util.Optional" || name == atomicReference:
		return holdsObject
	case strings.HasPrefix(name, "java.util.Optional") || strings.HasPrefix(name, atomicPrefix):
		return holdsField
	}
	return holdsNothing
}

// holderClass returns a class that holds a value of that form in its field "value", behind a flag
// that says whether there is one if that is optional.
func holderClass[T any](name string, optional bool, f form[T]) class {
	read := func(d *decoder, c *class, _ *layout.Type) (any, error) {
		out := &java.Object{Class: c.name}
		if optional {
			if present, err := d.flag(); err != nil || !present {
				return out, err
			}
		}
		v, err := f.read(d)
		out.Fields = []java.Field{{Name: "value", Value: v}}
		return out, err
	}
	write := func(e *encoder, c *class, v any, _ *layout.Type) error {
		held, present, err := heldValue(c, v)
		if err != nil {
			return err
		}
		if optional {
			e.out = append(e.out, flagByte(present))
			if !present {
				return nil
			}
		}
		t, ok := held.(T)
		if !ok {
			return errpath.UnderEncode("value", encodeFault(held, "a %s holds another type", c.name))
		}
		e.out = f.write(e.out, t)
		return nil
	}
	return class{name: name, read: read, write: write}
}

// readFields reads class and object of each field; one that is null is left away if it is optional.
func readFields(optional bool, names ...string) func(*decoder, *class, *layout.Type) (any, error) {
	return func(d *decoder, c *class, _ *layout.Type) (any, error) {
		if err := d.enter(d.at, len(names), 1); err != nil {
			return nil, err
		}
		defer d.leave()
		out := &java.Object{Class: c.name}
		d.publish(out)
		for _, name := range names {
			v, err := d.value(nil)
			if v != nil || err == nil && !optional {
				out.Fields = append(out.Fields, java.Field{Name: name, Value: v})
			}
			if err != nil {
				return out, errpath.UnderDecode(name, err)
			}
		}
		return out, nil
	}
}

// heldValue returns the value in an object that holds one, and whether there is
// one.
func heldValue(c *class, v any) (any, bool, error) {
	o, ok := v.(*java.Object)
	if !ok {
		return nil, false, wrongKind(c, v)
	}
	switch {
	case len(o.Fields) == 0:
		return nil, false, nil
	case len(o.Fields) > 1 || o.Fields[0].Name != "value":
		return nil, false, encodeFault(v, "a %s has one field, \"value\"", c.name)
	}
	return o.Fields[0].Value, true, nil
}

func writeReference(e *encoder, c *class, v any, _ *layout.Type) error {
	held, _, err := heldValue(c, v)
	if err != nil {
		return err
	}
	return e.fields(java.Field{Name: "value", Value: held})
}

func writeOptional(e *encoder, c *class, v any, ctx *layout.Type) error {
	if held, ok, err := heldValue(c, v); err == nil && ok && held == nil {
		return encodeFault(v, "an Optional cannot hold null: leave the field away")
	}
	return writeReference(e, c, v, ctx)
}

func writeKeySetView(e *encoder, c *class, v any, _ *layout.Type) error {
	o, ok := v.(*java.Object)
	if !ok || len(o.Fields) != 2 || o.Fields[0].Name != "map" || o.Fields[1].Name != "value" {
		return encodeFault(v, "a %s has the fields map and value", c.name)
	}
	if m, ok := o.Fields[0].Value.(*java.Map); !ok || m == nil {
		return encodeFault(v, "the map of a %s must be one", c.name)
	}
	return e.fields(o.Fields...)
}

// fields writes class and object of each field.
func (e *encoder) fields(fields ...java.Field) error {
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	for _, f := range fields {
		if err := e.value(f.Value, nil); err != nil {
			return errpath.UnderEncode(f.Name, err)
		}
	}
	return nil
}
