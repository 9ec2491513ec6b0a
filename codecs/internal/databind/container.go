package databind

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/javatime"
	"github.com/duequeue/duequeue/codecs/java"
)

// nested calls write one level deeper.
func (w *writer) nested(v any, write func() error) error {
	if w.depth <= 0 {
		return w.fail(v, "nested deeper than %d (Limits.Depth), or it contains itself", w.codec.limits.Depth)
	}
	if w.gen.Len() > w.most {
		return w.tooLong(v)
	}
	w.depth--
	defer func() { w.depth++ }()
	return write()
}

// container writes maps, lists and beans.
func (w *writer) container(v any, s slot) error {
	return w.nested(v, func() error { return w.inside(v, s) })
}

func (w *writer) inside(v any, s slot) error {
	switch v := v.(type) {
	case *java.Map:
		if v != nil {
			return w.mapping(v, s)
		}
	case *java.List:
		if v != nil {
			return w.list(v, s)
		}
	case *java.Object:
		if v != nil {
			return w.object(v, s)
		}
	case map[string]any:
		if v != nil {
			return w.goMap(v, s)
		}
	case []any:
		if v != nil {
			return w.list(&java.List{Elements: v}, s)
		}
	}
	w.gen.Null()
	return nil
}

// goMap writes a Go map as Java's new HashMap() filled in sorted key order.
func (w *writer) goMap(m map[string]any, s slot) error {
	keys := make([]string, 0, len(m))
	for k, v := range m {
		if v != nil {
			keys = append(keys, k)
		}
	}
	if len(keys) < len(m) {
		// The place of the others depends on those that are dropped.
		keys = keys[:0]
		for k := range m {
			keys = append(keys, k)
		}
	}
	java.HashOrderStrings(keys)
	entries := make([]java.Entry, len(keys))
	for i, k := range keys {
		entries[i] = java.Entry{Key: k, Value: m[k]}
	}
	return w.mapping(&java.Map{Class: java.ClassHashMap, Entries: entries}, s)
}

// mapping writes a map. Like Jackson as Redisson sets it up, it leaves out
// entries whose value is null.
func (w *writer) mapping(m *java.Map, s slot) error {
	class := mapID(m)
	inner := slotObject
	if strings.HasPrefix(class, nodePackage) {
		inner = slotTree
	}
	if s == slotRoot && finalList(class) {
		class = ""
	}
	return w.entries(m, class, func(v any) error { return w.value(v, inner) })
}

// entries writes a map's class and its entries, their values by write.
func (w *writer) entries(m *java.Map, class string, write func(v any) error) error {
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
		if err := w.key(e.Key); err != nil {
			return java.UnderEncode(java.Key(e.Key), err)
		}
		if err := write(e.Value); err != nil {
			return java.UnderEncode(java.Key(e.Key), err)
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
		return boolText(k), nil
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
			return w.codec.rules.enumText(k), nil
		}
	case *java.Object:
		if v, ok := ScalarValue(k); ok {
			if s, isText := v.(string); isText {
				return s, nil
			}
			return w.keyText(v)
		}
	default:
		if !javatime.Valid(k) {
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
func (w *writer) object(o *java.Object, s slot) error {
	if v, ok := ScalarValue(o); ok {
		bare := o.Class == classLong || o.Class == classFloat || o.Class == classDouble || o.Class == classBytes || o.Class == classDecimal ||
			s == slotTree && strings.HasPrefix(o.Class, classOptional)
		return w.wrapErr(o.Class, bare, func() error { return w.value(v, slotTree) })
	}
	if b := w.beans[o.Class]; b != nil {
		return w.beanOf(b, o, true)
	}
	if holder(o) {
		return w.held(o, s)
	}
	// With Jackson 3 an empty Optional is null, and written.
	inner, nulls := slotOpen, o.Class == "" || w.codec.rules.Jackson == 3
	if strings.HasPrefix(o.Class, nodePackage) || s == slotTree {
		inner, nulls = slotTree, true
	}
	n := 0
	for i := range o.Fields {
		if nulls || o.Fields[i].Value != nil {
			n++
		}
	}
	if err := w.gen.Object(w.class(o.Class), n); err != nil {
		return w.reason(o.Class, err)
	}
	for i := range o.Fields {
		f := &o.Fields[i]
		if f.Value == nil && !nulls {
			continue
		}
		if err := w.reason(f.Name, w.gen.Key(f.Name)); err != nil {
			return java.UnderEncode(java.Key(f.Name), err)
		}
		if err := w.value(f.Value, inner); err != nil {
			return java.UnderEncode(java.Key(f.Name), err)
		}
	}
	w.gen.EndObject()
	return nil
}

// list writes a list, set or array.
func (w *writer) list(l *java.List, s slot) error {
	class, rules := listID(l), &w.codec.rules
	inner := rules.elementSlot(class, w.beans)
	bare := class == ClassNone || s == slotTree || s == slotRoot && (finalList(class) || rules.bareArray(class, w.beans))
	if b := w.beans[component(class)]; inner == slotTree && b != nil && b.enum == nil {
		d := &declared{slot: slotTree, bean: b}
		return w.wrapErr(class, bare, func() error {
			return w.each(l.Elements, func(e any) error { return w.declared(e, d) })
		})
	}
	return w.wrapErr(class, bare, func() error {
		return w.each(l.Elements, func(e any) error { return w.value(e, inner) })
	})
}

func (w *writer) each(elements []any, write func(e any) error) error {
	w.gen.Array(len(elements))
	for i, e := range elements {
		if err := write(e); err != nil {
			return java.UnderEncode("["+strconv.Itoa(i)+"]", err)
		}
	}
	w.gen.EndArray()
	return nil
}
