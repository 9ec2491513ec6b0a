package databind

import (
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

const classKey = "@class"

// object reads the object at i, which is not annotated.
func (r *reader) object(i int, s slot) (any, error) {
	if s == slotTree {
		return r.fields(i, "", slotTree, -1)
	}
	class, at, err := r.classOf(i)
	switch {
	case err != nil:
		return nil, err
	case at < 0 && s == slotObject:
		return nil, r.fail(i, `an object without the name of its class: Java writes {"@class":"java.util.HashMap",…} here`)
	}
	return r.objectIn(i, class, at, elementsIn(s))
}

// elementsIn returns the slots of the elements of a list or map of the JDK that stands
// in slot s.
func elementsIn(s slot) slot {
	if s == slotField {
		return slotField
	}
	return slotObject
}

// objectOf reads the members of an object of a known class, without the key skip.
func (r *reader) objectOf(i int, class string, skip int) (any, error) {
	return r.objectIn(i, class, skip, slotObject)
}

func (r *reader) objectIn(i int, class string, skip int, s slot) (any, error) {
	inner := slotField
	switch {
	case strings.HasPrefix(class, nodePackage):
		inner = slotTree
	case mapClass(class):
		if objectSlots(class) {
			inner = s
		}
		of, enums := enumMapOf(class)
		if enums {
			inner = slotObject
		}
		v, err := r.entries(i, class, skip, func(v int) (any, error) { return r.value(v, inner) })
		if m, ok := v.(*java.Map); ok && enums && !r.bare {
			constantKeys(m, of)
		}
		return v, err
	}
	return r.fields(i, class, inner, skip)
}

// classOf returns the value of the first member "@class" of the object at i, and
// the index of that key: -1 where there is none.
func (r *reader) classOf(i int) (class string, key int, err error) {
	end := int(r.tape.Tokens[i].Next)
	for m := i + 1; m < end; m = int(r.tape.Tokens[m+1].Next) {
		k := &r.tape.Tokens[m]
		if k.Len != uint32(len(classKey)) || k.Flags&token.FlagInt != 0 || string(r.tape.Text(k)) != classKey {
			continue
		}
		v := &r.tape.Tokens[m+1]
		if v.Kind != token.String {
			e := r.fail(m+1, `"@class" is not a string`)
			e.Path = r.tape.Path(i)
			return "", -1, e
		}
		if class = r.text(v); class == "" {
			e := r.fail(m+1, `"@class" is empty`)
			e.Path = r.tape.Path(i)
			return "", -1, e
		}
		return class, m, nil
	}
	return "", -1, nil
}

// members calls read for each member of the object at i but that at skip: with the
// indices of key and value.
func (r *reader) members(i, skip int, read func(key, value int) error) error {
	if err := r.enter(i); err != nil {
		return err
	}
	end := int(r.tape.Tokens[i].Next)
	for m := i + 1; m < end; m = int(r.tape.Tokens[m+1].Next) {
		if m == skip {
			continue
		}
		if err := r.element(m + 1); err != nil {
			return err
		}
		if err := read(m, m+1); err != nil {
			return err
		}
	}
	r.leave()
	return nil
}

// keyText returns a key as text.
func (r *reader) keyText(m int) string {
	k := &r.tape.Tokens[m]
	if k.Flags&token.FlagInt != 0 {
		return strconv.FormatInt(k.Int(), 10)
	}
	return r.text(k)
}

// mapKey returns a key as that of a map: an integer where the format has such keys.
func (r *reader) mapKey(m int) any {
	k := &r.tape.Tokens[m]
	switch {
	case k.Flags&token.FlagInt == 0 || r.bare:
		return r.keyText(m)
	case k.Int() == int64(int32(k.Int())):
		return int32(k.Int())
	}
	return k.Int()
}

// entries reads a map. A key that comes again replaces the value in its place,
// as put does in Java.
func (r *reader) entries(i int, class string, skip int, read func(v int) (any, error)) (any, error) {
	n := int(r.tape.Tokens[i].N)
	m := &java.Map{Class: class, Entries: make([]java.Entry, 0, n)}
	var seen keySet
	err := r.members(i, skip, func(k, v int) error {
		value, err := read(v)
		if err != nil {
			return err
		}
		key := r.mapKey(k)
		if at, again := seen.add(key, m.Entries); again {
			m.Entries[at].Value = value
			return nil
		}
		m.Entries = append(m.Entries, java.Entry{Key: key, Value: value})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// keySet finds repeated keys: by looking through few, by a map through many.
type keySet map[any]int

const fewKeys = 16

// add returns the index of the entry with that key, if there is one.
func (s *keySet) add(key any, entries []java.Entry) (int, bool) {
	if len(entries) < fewKeys {
		for i := range entries {
			if entries[i].Key == key {
				return i, true
			}
		}
		return 0, false
	}
	if *s == nil {
		*s = make(keySet, 2*len(entries))
		for i := range entries {
			(*s)[entries[i].Key] = i
		}
	}
	at, again := (*s)[key]
	if !again {
		(*s)[key] = len(entries)
	}
	return at, again
}

// fields reads a bean or an object without a class.
func (r *reader) fields(i int, class string, s slot, skip int) (any, error) {
	if b := r.beans[class]; b != nil {
		return r.fieldsOf(i, b, s, skip)
	}
	return r.fieldsOf(i, &bean{class: class}, s, skip)
}

// fieldsOf reads an object of a described class, or of one without fields.
func (r *reader) fieldsOf(i int, b *bean, s slot, skip int) (any, error) {
	class := b.class
	o := &java.Object{Class: class, Fields: make([]java.Field, 0, r.tape.Tokens[i].N)}
	var seen map[string]int
	err := r.members(i, skip, func(k, v int) error {
		name, value, err := r.field(b, k, v, s)
		if err != nil {
			return err
		}
		if len(o.Fields) < fewKeys {
			for f := range o.Fields {
				if o.Fields[f].Name == name {
					o.Fields[f].Value = value
					return nil
				}
			}
		} else {
			if seen == nil {
				seen = fieldIndex(o.Fields)
			}
			if at, again := seen[name]; again {
				o.Fields[at].Value = value
				return nil
			}
			seen[name] = len(o.Fields)
		}
		o.Fields = append(o.Fields, java.Field{Name: name, Value: value})
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.remember(o)
	if _, looks := ScalarValue(o); looks {
		// No bean has such a field; as a map it is not taken for a scalar.
		return &java.Map{Class: class, Entries: []java.Entry{{Key: "", Value: o.Fields[0].Value}}}, nil
	}
	return o, nil
}

func fieldIndex(fields []java.Field) map[string]int {
	index := make(map[string]int, 2*len(fields))
	for i, f := range fields {
		index[f.Name] = i
	}
	return index
}

// field reads one member of an object of a class: where the class is described, as
// what the field is declared to be.
func (r *reader) field(b *bean, key, value int, s slot) (name string, v any, err error) {
	if b != nil {
		if f := b.find(r.tape.Text(&r.tape.Tokens[key])); f != nil {
			if v, err = r.declaredValue(value, f.declared); v == nil && err == nil {
				v = r.emptyHolder(f.declared)
			}
			return f.name, v, err
		}
	}
	if v, err = r.value(value, s); v == nil && err == nil && b.described() {
		v = r.emptyHolder(undescribed)
	}
	return r.keyText(key), v, err
}
