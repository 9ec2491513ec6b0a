package databind

import "github.com/duequeue/duequeue/codecs/java"

// beanOf writes an object of a described class. named says that its class
// comes first.
func (w *writer) beanOf(b *bean, o *java.Object, named bool) error {
	class := b.class
	if !named {
		class = ""
	}
	id, ok := b.numberOf(o)
	if ok {
		var again bool
		var err error
		if id, again, err = w.number(id, o); err != nil {
			return err
		}
		if again {
			w.gen.Int(id)
			return nil
		}
	}
	nulls := w.codec.rules.keepsNulls()
	n, found := b.count(o, nulls)
	if found < len(o.Fields) {
		b = b.with(o)
		n, _ = b.count(o, nulls)
	}
	if err := w.gen.Object(w.class(class), n); err != nil {
		return w.reason(class, err)
	}
	for i := range b.fields {
		f := &b.fields[i]
		v, ok := f.of(o)
		if !ok || nullField(v) && f.dropsNull(nulls) {
			continue
		}
		if id != 0 && f.name == idKey {
			v = int32(id)
		}
		if err := w.member(f.name, v, in(f.declared, slotObject)); err != nil {
			return err
		}
	}
	w.gen.EndObject()
	return nil
}

// count returns how many fields of o are written, and how many it has.
func (b *bean) count(o *java.Object, nulls bool) (written, found int) {
	for i := range b.fields {
		if v, ok := b.fields[i].of(o); ok {
			found++
			if !nullField(v) || !b.fields[i].dropsNull(nulls) {
				written++
			}
		}
	}
	return written, found
}

// dropsNull reports whether the field is left out where it is null, for codecs that
// write null or not.
func (f *beanField) dropsNull(written bool) bool {
	return !written || f.declared != nil && f.declared.primitive
}

// nullField reports whether a field is null: also a reference to null, which Java would
// write and whose readers cannot tell it from a missing one. One without a field comes
// from a payload that has the null.
func nullField(v any) bool {
	o, ok := v.(*java.Object)
	if !ok || o == nil || o.Class != classAtomicReference {
		return v == nil
	}
	held, ok := o.Get("value")
	return ok && held == nil
}

// declared writes a value in a slot of a declared type.
func (w *writer) declared(v any, d *declared) error {
	if d == nil {
		return w.value(v, slotObject)
	}
	if o, ok := v.(*java.Object); ok && o != nil && o.Class == classOptional && holder(o) {
		return w.optional(o, func(v any) error { return w.declared(v, d) })
	}
	if o, ok := v.(*java.Object); ok && o != nil && o.Class == classAtomicReference && holder(o) {
		held, _ := o.Get("value")
		return w.declared(held, d)
	}
	if o, ok := v.(*java.Object); ok && o != nil && d.bean != nil && o.Class == d.bean.class {
		return w.nested(v, func() error { return w.beanOf(d.bean, o, false) })
	}
	if o, ok := v.(*java.Object); ok && o != nil && d.of != nil && o.Class == d.of.class {
		return w.nested(v, func() error { return w.beanOf(d.of, o, true) })
	}
	switch v.(type) {
	case *java.List, *java.Map:
		return w.container(v, in(d, 0))
	}
	return w.value(v, d.slot)
}
