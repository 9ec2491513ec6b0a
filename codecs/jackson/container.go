package jackson

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/java"
)

// container writes maps, lists and beans.
func (w *writer) container(v any, s slot) error {
	return w.nested(v, func() error { return w.inside(v, s) })
}

// nested calls write one level deeper.
func (w *writer) nested(v any, write func() error) error {
	if w.depth <= 0 {
		return w.fail(v, "nested deeper than %d (Limits.Depth), or it contains itself", w.max)
	}
	w.depth--
	defer func() { w.depth++ }()
	return write()
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
			return w.goMap(v)
		}
	case []any:
		if v != nil {
			return w.wrap(java.ClassArrayList, func() error { return w.elements(v, slotObject) })
		}
	}
	w.raw("null")
	return nil
}

// goMap writes a Go map as Java's new HashMap() filled in sorted key order.
func (w *writer) goMap(m map[string]any) error {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	java.HashOrderStrings(keys)
	w.raw(`{"@class":"` + java.ClassHashMap + `"`)
	for _, k := range keys {
		if m[k] == nil {
			continue
		}
		w.raw(",")
		if err := w.member(k, m[k], slotObject); err != nil {
			return err
		}
	}
	w.raw("}")
	return nil
}

// member writes "key":value.
func (w *writer) member(key string, v any, s slot) error {
	if err := w.text(key); err != nil {
		return java.UnderEncode(java.Key(key), err)
	}
	w.raw(":")
	if err := w.value(v, s); err != nil {
		return java.UnderEncode(java.Key(key), err)
	}
	return nil
}

// open writes the brace and the class of an object; it reports whether a comma
// is due before the next member.
func (w *writer) open(class string) (comma bool, err error) {
	w.raw("{")
	if class == "" {
		return false, nil
	}
	w.raw(`"@class":`)
	return true, w.text(class)
}

// mapping writes a map. Like Jackson as Redisson sets it up, it leaves out
// entries whose value is null.
func (w *writer) mapping(m *java.Map, s slot) error {
	class := orClass(m.Class, java.ClassHashMap)
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
	comma, err := w.open(class)
	if err != nil {
		return err
	}
	for _, e := range m.Entries {
		if e.Value == nil {
			continue
		}
		key, err := w.key(e.Key)
		if err != nil {
			return java.UnderEncode(java.Key(e.Key), err)
		}
		if comma {
			w.raw(",")
		}
		comma = true
		if err := w.text(key); err != nil {
			return java.UnderEncode(java.Key(key), err)
		}
		w.raw(":")
		if err := write(e.Value); err != nil {
			return java.UnderEncode(java.Key(key), err)
		}
	}
	w.raw("}")
	return nil
}

// key returns a map key as Jackson spells it: always a string.
func (w *writer) key(k any) (string, error) {
	switch k := k.(type) {
	case nil:
		return "", w.fail(k, "a null key: Jackson refuses to write it")
	case string:
		return k, nil
	case bool:
		return strconv.FormatBool(k), nil
	case int, int8, int16, int32, int64:
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
			return k.Name, nil
		}
	case *java.Object:
		if v, ok := ScalarValue(k); ok {
			return w.key(v)
		}
	}
	return "", w.fail(k, "a map key of this type is not carried: use a string")
}

// object writes a bean, a scalar of a class without a Go value, or an object
// whose class is not named.
func (w *writer) object(o *java.Object, s slot) error {
	if v, ok := ScalarValue(o); ok {
		if o.Class == classLong {
			return w.value(v, slotTree)
		}
		return w.wrap(o.Class, func() error { return w.value(v, slotTree) })
	}
	if b := w.beans[o.Class]; b != nil {
		return w.beanOf(b, o, true)
	}
	inner, nulls := slotOpen, o.Class == ""
	if strings.HasPrefix(o.Class, nodePackage) || s == slotTree {
		inner, nulls = slotTree, true
	}
	comma, err := w.open(o.Class)
	if err != nil {
		return err
	}
	for _, f := range o.Fields {
		if f.Value == nil && !nulls {
			continue
		}
		if comma {
			w.raw(",")
		}
		comma = true
		if err := w.member(f.Name, f.Value, inner); err != nil {
			return err
		}
	}
	w.raw("}")
	return nil
}

// list writes a list, set or array.
func (w *writer) list(l *java.List, s slot) error {
	class := orClass(l.Class, java.ClassArrayList)
	inner := elementSlot(class)
	bare := class == ClassNone || s == slotTree || s == slotRoot && (finalList(class) || bareRootArray(class))
	if bare {
		return w.elements(l.Elements, inner)
	}
	return w.wrap(class, func() error { return w.elements(l.Elements, inner) })
}

// elementSlot returns what the elements of a list of this class are declared
// as. slotTree stands for a final class there: nothing is wrapped.
func elementSlot(class string) slot {
	switch {
	case class == ClassNone:
		return slotOpen
	case strings.HasPrefix(class, nodePackage):
		return slotTree
	case bareRootArray(class):
		return slotTree
	}
	return slotObject
}

func (w *writer) elements(elements []any, s slot) error {
	return w.each(elements, func(e any) error { return w.value(e, s) })
}

func (w *writer) each(elements []any, write func(e any) error) error {
	w.raw("[")
	for i, e := range elements {
		if i > 0 {
			w.raw(",")
		}
		if err := write(e); err != nil {
			return java.UnderEncode("["+strconv.Itoa(i)+"]", err)
		}
	}
	w.raw("]")
	return nil
}
