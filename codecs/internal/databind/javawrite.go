package databind

import (
	"cmp"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

func (w *writer) tooDeep(t reflect.Type) error {
	return w.failType(t, "nested deeper than %d (Limits.Depth), or it contains itself", w.codec.limits.Depth)
}

func (w *writer) container(v any, as *place) error {
	if w.depth <= 0 {
		return w.tooDeep(reflect.TypeOf(v))
	}
	if w.gen.Len() > w.most {
		return w.tooLong(reflect.TypeOf(v))
	}
	w.depth--
	defer func() { w.depth++ }()
	switch v := v.(type) {
	case *java.Map:
		if v != nil {
			return w.mapping(v, as)
		}
	case *java.List:
		if v != nil {
			return w.list(v, as)
		}
	case *java.Object:
		if v != nil {
			return w.object(v, as)
		}
	}
	w.gen.Null()
	return nil
}

func (w *writer) member(name string, v any, as *place) error {
	err := w.textKey(name)
	if err == nil {
		err = w.at(v, as)
	}
	if err != nil {
		return errpath.UnderEncode(errpath.Key(name), err)
	}
	return nil
}

// mapping writes a map. Like Jackson as Redisson sets it up, it leaves out
// entries whose value is null.
func (w *writer) mapping(m *java.Map, as *place) error {
	class := mapID(m)
	values, bare := mapForm(class, as)
	if bare {
		class = ""
	}
	n, nulls := 0, w.codec.rules.keepsNulls()
	for i := range m.Entries {
		if m.Entries[i].Value != nil || nulls {
			n++
		}
	}
	if err := w.gen.Object(w.class(class), n); err != nil {
		return w.reason(class, err)
	}
	for i := range m.Entries {
		e := &m.Entries[i]
		if e.Value == nil && !nulls {
			continue
		}
		err := w.key(e.Key)
		if err == nil {
			err = w.at(e.Value, values)
		}
		if err != nil {
			return errpath.UnderEncode(errpath.Key(e.Key), err)
		}
	}
	w.gen.EndObject()
	return nil
}

// key writes a map key as Jackson spells it.
func (w *writer) key(k any) error {
	switch k := k.(type) {
	case string:
		return w.reason(k, w.gen.Key(k))
	case int64:
		return w.reason(k, w.gen.IntKey(k))
	case int32:
		return w.reason(k, w.gen.IntKey(int64(k)))
	}
	text, err := w.keyText(k)
	if err != nil {
		return err
	}
	return w.reason(k, w.gen.Key(text))
}

// keyText returns a map key as text.
func (w *writer) keyText(k any) (string, error) {
	switch k := k.(type) {
	case nil:
		return "", w.fail(k, "a null key: Jackson refuses to write it")
	case bool:
		return strconv.FormatBool(k), nil
	case int, int8, int16:
		return fmt.Sprint(k), nil
	case java.Char:
		return charText(k), nil
	case float32:
		return string(javatext.AppendFloat(nil, k)), nil
	case float64:
		return string(javatext.AppendDouble(nil, k)), nil
	case *big.Int:
		return k.String(), nil
	case java.Enum:
		if k.Name != "" {
			return w.codec.rules.enumText(k).text, nil
		}
	case *java.Object:
		if v, ok := ScalarValue(k); ok {
			if s, isText := v.(string); isText {
				return s, nil
			}
			return w.keyText(v)
		}
	default:
		if !jdk.Valid(k) {
			return "", w.fail(k, "its parts make no %s", java.ClassOf(k))
		}
		if text, ok := w.moreKeyText(k); ok {
			return text, nil
		}
	}
	return "", w.fail(k, "a map key of this type is not carried: use a string")
}

// object writes a bean, a scalar of a class without a Go value, or an object
// whose class is not named.
func (w *writer) object(o *java.Object, as *place) error {
	s := as.slot
	switch {
	case as.poly != nil && o.Class != "":
		return w.beanOf(cmp.Or(w.beans[o.Class], &bean{class: o.Class}), o, false, as.poly)
	case as.bean != nil && o.Class == as.bean.class:
		return w.beanOf(as.bean, o, false, nil)
	case as.of != nil && o.Class == as.of.class:
		return w.beanOf(as.of, o, true, nil)
	}
	if v, ok := ScalarValue(o); ok {
		bare := o.Class == classLong || o.Class == classFloat || o.Class == classDouble || o.Class == classBytes || o.Class == classDecimal ||
			s == slotTree && strings.HasPrefix(o.Class, classOptional)
		return w.wrapErr(o.Class, bare, func() error { return w.value(v, slotTree) })
	}
	unnamed := w.codec.rules.concrete() && s == slotTree && as != treePlace
	if b := w.beans[o.Class]; b != nil {
		return w.beanOf(b, o, !unnamed, nil)
	}
	if holder(o) {
		return w.held(o, s)
	}
	// With Jackson 3 an empty Optional is null, and written.
	inner, nulls := slotOpen, o.Class == "" || w.codec.rules.Jackson == 3
	class := o.Class
	switch {
	case unnamed:
		class = ""
	case strings.HasPrefix(o.Class, nodePackage) || s == slotTree:
		inner, nulls = slotTree, true
	}
	n := 0
	for i := range o.Fields {
		if nulls || o.Fields[i].Value != nil {
			n++
		}
	}
	if err := w.gen.Object(w.class(class), n); err != nil {
		return w.reason(class, err)
	}
	for i := range o.Fields {
		f := &o.Fields[i]
		if f.Value == nil && !nulls {
			continue
		}
		if err := w.member(f.Name, f.Value, places[inner]); err != nil {
			return err
		}
	}
	w.gen.EndObject()
	return nil
}

func (w *writer) list(l *java.List, as *place) error {
	class := listID(l)
	elements, bare := listForm(class, as, w.beans, &w.codec.rules)
	if (bare || !w.codec.rules.Types) && w.codec.rules.bareSingle(len(l.Elements)) {
		return w.at(l.Elements[0], elements)
	}
	return w.wrapErr(class, bare, func() error {
		w.gen.Array(len(l.Elements))
		for i, e := range l.Elements {
			if err := w.at(e, elements); err != nil {
				return underIndex(i, err)
			}
		}
		w.gen.EndArray()
		return nil
	})
}

// beanOf writes an object of a described class. named says that its class
// comes first, p that it is named as @JsonTypeInfo says.
func (w *writer) beanOf(b *bean, o *java.Object, named bool, p *poly) error {
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
	err := p.begin(w, b.class, n)
	if p == nil {
		err = w.reason(class, w.gen.Object(w.class(class), n))
	}
	if err != nil {
		return err
	}
	for i := range b.fields {
		f := &b.fields[i]
		v, ok := f.of(o)
		if !ok || f.drops(v, nulls) {
			continue
		}
		if id != 0 && f.name == idKey {
			v = int32(id)
		}
		if err := w.member(f.wire, v, f.declared); err != nil {
			return err
		}
	}
	w.gen.EndObject()
	p.end(w)
	return nil
}

// count returns how many fields of o are written, and how many it has.
func (b *bean) count(o *java.Object, nulls bool) (written, found int) {
	for i := range b.fields {
		if v, ok := b.fields[i].of(o); ok {
			found++
			if !b.fields[i].drops(v, nulls) {
				written++
			}
		}
	}
	return written, found
}

// drops reports whether the field is left out with that value, for codecs that write null
// or not.
func (f *beanField) drops(v any, nulls bool) bool {
	return nullField(v) && (dropsNull(f.format, nulls) || f.declared.primitive) || f.format.OmitsEmpty() && emptyValue(v)
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
