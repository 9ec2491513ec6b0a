package kryo5

import (
	"encoding/binary"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// atomic is one of the classes that hold a value which can be set.
type atomic struct {
	field string // what FieldSerializer, which wrote them before 3.46, made of it
	typ   string
}

var atomics = map[string]atomic{
	"java.util.concurrent.atomic.AtomicBoolean":   {"value", "int"},
	"java.util.concurrent.atomic.AtomicInteger":   {"value", "int"},
	"java.util.concurrent.atomic.AtomicLong":      {"value", "long"},
	"java.util.concurrent.atomic.AtomicReference": {"value", "V"},
}

const keySetView = "java.util.concurrent.ConcurrentHashMap$KeySetView"

// old returns the class as it was before 3.46.
func (a atomic) old(name string) class {
	switch {
	case a.typ == "V":
		desc := &java.Class{
			Name: name, Params: []java.TypeParam{{Name: "V"}},
			Fields: []java.ClassField{{Name: a.field, Type: java.TypeExpr{Class: "V"}}},
		}
		return class{name: name, bean: &beanClass{desc: desc}, read: readBean, write: writeBean, partial: true}
	case a.typ == "long":
		return class{name: name, read: holding(reader((*decoder).zz64)), write: writeHolder(func(e *encoder, v int64) {
			e.out = appendZZ64(e.out, v)
		})}
	case name == "java.util.concurrent.atomic.AtomicBoolean":
		return class{name: name, read: holding(readOldAtomicBoolean), write: writeHolder(func(e *encoder, v bool) {
			e.out = appendZZ32(e.out, int32(flagByte(v)))
		})}
	}
	return class{name: name, read: holding(reader((*decoder).zz32)), write: writeHolder(func(e *encoder, v int32) {
		e.out = appendZZ32(e.out, v)
	})}
}

func readOldAtomicBoolean(d *decoder, c *class, _ *layout.Type) (any, error) {
	start := d.at
	v, err := d.zz32()
	if err == nil && v != 0 && v != 1 {
		err = d.faultIn(c, start, "%d is neither 0 nor 1", v)
	}
	return v == 1, err
}

func (k *catalog) addHolders() {
	const prefix = "java.util.concurrent.atomic.Atomic"
	k.add(class{name: prefix + "Boolean", read: holding(reader((*decoder).flag)), write: writeHolder(func(e *encoder, v bool) {
		e.out = append(e.out, flagByte(v))
	})})
	k.add(class{name: prefix + "Integer", read: holding(reader((*decoder).int32)), write: writeHolder(func(e *encoder, v int32) {
		e.out = binary.LittleEndian.AppendUint32(e.out, uint32(v))
	})})
	k.add(class{name: prefix + "Long", read: holding(reader((*decoder).int64)), write: writeHolder(func(e *encoder, v int64) {
		e.out = binary.LittleEndian.AppendUint64(e.out, uint64(v))
	})})
	k.add(class{name: prefix + "Reference", read: readReference, write: writeReference, partial: true})
	k.add(class{name: "java.util.Optional", read: readOptional, write: writeOptional, partial: true})
	k.add(class{name: "java.util.OptionalInt", read: maybe(reader((*decoder).int32)), write: writeMaybe(func(e *encoder, v int32) {
		e.out = binary.LittleEndian.AppendUint32(e.out, uint32(v))
	})})
	k.add(class{name: "java.util.OptionalLong", read: maybe(reader((*decoder).int64)), write: writeMaybe(func(e *encoder, v int64) {
		e.out = binary.LittleEndian.AppendUint64(e.out, uint64(v))
	})})
	k.add(class{name: "java.util.OptionalDouble", read: maybe(reader((*decoder).float64)), write: writeMaybe(func(e *encoder, v float64) {
		e.out = binary.LittleEndian.AppendUint64(e.out, javatext.DoubleBits(v))
	})})
	k.add(class{name: keySetView, read: readKeySetView, write: writeKeySetView, partial: true})
}

// heldBy returns how a class holds one value.
func heldBy(name string) holds {
	switch {
	case name == "java.util.Optional" || name == "java.util.concurrent.atomic.AtomicReference":
		return holdsObject
	case strings.HasPrefix(name, "java.util.Optional") || strings.HasPrefix(name, "java.util.concurrent.atomic.Atomic"):
		return holdsField
	}
	return holdsNothing
}

type readFunc = func(d *decoder, c *class, ctx *layout.Type) (any, error)

// holding makes an object with the field "value" of what read returns.
func holding(read readFunc) readFunc {
	return func(d *decoder, c *class, ctx *layout.Type) (any, error) {
		v, err := read(d, c, ctx)
		if err != nil {
			return nil, err
		}
		return &java.Object{Class: c.name, Fields: []java.Field{{Name: "value", Value: v}}}, nil
	}
}

// maybe is holding behind a flag that says whether there is a value.
func maybe(read readFunc) readFunc {
	return func(d *decoder, c *class, ctx *layout.Type) (any, error) {
		present, err := d.flag()
		if err != nil || !present {
			return &java.Object{Class: c.name}, err
		}
		return holding(read)(d, c, ctx)
	}
}

func readReference(d *decoder, c *class, _ *layout.Type) (any, error) { return d.held(c, false) }

func readOptional(d *decoder, c *class, _ *layout.Type) (any, error) { return d.held(c, true) }

// held reads class and object into the field "value"; an Optional that holds null
// is empty.
func (d *decoder) held(c *class, optional bool) (any, error) {
	if err := d.enter(d.at, 1, 1); err != nil {
		return nil, err
	}
	defer d.leave()
	out := &java.Object{Class: c.name}
	d.publish(out)
	v, err := d.value(nil)
	if (err == nil || v != nil) && (v != nil || !optional) {
		out.Fields = []java.Field{{Name: "value", Value: v}}
	}
	return out, java.UnderDecode("value", err)
}

func readKeySetView(d *decoder, c *class, _ *layout.Type) (any, error) {
	if err := d.enter(d.at, 2, 1); err != nil {
		return nil, err
	}
	defer d.leave()
	out := &java.Object{Class: c.name}
	d.publish(out)
	for _, name := range []string{"map", "value"} {
		v, err := d.value(nil)
		if err == nil || v != nil {
			out.Fields = append(out.Fields, java.Field{Name: name, Value: v})
		}
		if err != nil {
			return out, java.UnderDecode(name, err)
		}
	}
	return out, nil
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

type writeFunc = func(e *encoder, c *class, v any, ctx *layout.Type) error

func writeHolder[T any](write func(e *encoder, v T)) writeFunc {
	return func(e *encoder, c *class, v any, _ *layout.Type) error {
		held, _, err := heldValue(c, v)
		if err != nil {
			return err
		}
		t, ok := held.(T)
		if !ok {
			return java.UnderEncode("value", encodeFault(held, "a %s holds another type", c.name))
		}
		write(e, t)
		return nil
	}
}

func writeMaybe[T any](write func(e *encoder, v T)) writeFunc {
	present := writeHolder(write)
	return func(e *encoder, c *class, v any, ctx *layout.Type) error {
		_, ok, err := heldValue(c, v)
		if err != nil {
			return err
		}
		e.out = append(e.out, flagByte(ok))
		if !ok {
			return nil
		}
		return present(e, c, v, ctx)
	}
}

func writeReference(e *encoder, c *class, v any, _ *layout.Type) error {
	held, _, err := heldValue(c, v)
	if err != nil {
		return err
	}
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	return java.UnderEncode("value", e.value(held, nil))
}

func writeOptional(e *encoder, c *class, v any, ctx *layout.Type) error {
	held, ok, err := heldValue(c, v)
	switch {
	case err != nil:
		return err
	case ok && held == nil:
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
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	for _, f := range o.Fields {
		if err := e.value(f.Value, nil); err != nil {
			return java.UnderEncode(f.Name, err)
		}
	}
	return nil
}
