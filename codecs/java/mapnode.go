package java

import (
	"fmt"
	"reflect"
)

// mapClasses maps the declared types of maps to the class written, "!" for the
// order of HashMap and "<" for sorted keys.
var mapClasses = map[string]string{
	"": "!" + ClassHashMap, "java.util.Map": "!" + ClassHashMap, ClassHashMap: "!" + ClassHashMap,
	"java.util.LinkedHashMap": "java.util.LinkedHashMap",
	"java.util.SortedMap":     "<java.util.TreeMap", "java.util.NavigableMap": "<java.util.TreeMap",
	"java.util.TreeMap": "<java.util.TreeMap",
}

// mapClass returns class and order mark for a map or a struct carried as one.
func (c *compiler) mapClass(t reflect.Type, declared TypeExpr, path string) (string, byte) {
	class, ok := mapClasses[declared.boxed()]
	if !ok {
		c.fail(t, path, fmt.Sprintf("it cannot be written as the declared type %s", declared))
		return ClassHashMap, '!'
	}
	order := byte(0)
	if class[0] == '!' || class[0] == '<' {
		order, class = class[0], class[1:]
	}
	c.use(t, declared, class, path)
	return class, order
}

func (c *compiler) mapNode(t reflect.Type, declared TypeExpr, path string) *node {
	class, order := c.mapClass(t, declared, path)
	key := c.compile(t.Key(), argument(declared, 0), JoinPath(path, "[key]"))
	value := c.compile(t.Elem(), argument(declared, 1), JoinPath(path, "[]"))
	return &node{
		assign: func(v any, dst reflect.Value) error { return assignMap(key, value, v, dst) },
		lower: func(v reflect.Value, depth int) (any, error) {
			if v.IsNil() {
				return nil, nil
			}
			if depth > maxLowerDepth {
				return nil, tooDeep(t)
			}
			m := &Map{Class: class, Entries: make([]Entry, 0, v.Len())}
			for it := v.MapRange(); it.Next(); {
				k, err := key.lower(it.Key(), depth+1)
				if err != nil {
					return nil, under("[key]", err)
				}
				e, err := value.lower(it.Value(), depth+1)
				if err != nil {
					return nil, under(Key(k), err)
				}
				m.Entries = append(m.Entries, Entry{k, e})
			}
			err := orderEntries(m, order)
			if err != nil {
				return nil, &LowerError{Type: t, Path: "[key]", Reason: "its keys have no definite order", Err: err}
			}
			return m, nil
		},
	}
}

func assignMap(key, value *node, v any, dst reflect.Value) error {
	if v == nil {
		dst.SetZero()
		return nil
	}
	n, entries, ok := entriesOf(v)
	if !ok {
		return mismatch(v, dst)
	}
	t := dst.Type()
	out := reflect.MakeMapWithSize(t, n)
	for k, e := range entries {
		kv, ev := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		if err := key.assign(k, kv); err != nil {
			return under("[key]", err)
		}
		if !kv.Comparable() {
			return under("[key]", &AssignError{Class: ClassOf(k), Type: t.Key(), Reason: "Go cannot compare this key: use *java.Map"})
		}
		if err := value.assign(e, ev); err != nil {
			return under(Key(k), err)
		}
		out.SetMapIndex(kv, ev)
	}
	dst.Set(out)
	return nil
}

// entriesOf reads maps, and beans as maps by field name.
func entriesOf(v any) (int, func(yield func(k, v any) bool), bool) {
	switch v := v.(type) {
	case *Map:
		return v.Len(), func(yield func(k, v any) bool) {
			for _, e := range v.Entries {
				if !yield(e.Key, e.Value) {
					return
				}
			}
		}, v != nil
	case *Object:
		if v == nil {
			return 0, nil, false
		}
		return len(v.Fields), func(yield func(k, v any) bool) {
			for _, f := range v.Fields {
				if !yield(f.Name, f.Value) {
					return
				}
			}
		}, true
	}
	return 0, nil, false
}
