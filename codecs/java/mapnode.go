package java

import (
	"reflect"
)

// mapClasses maps the declared types of maps to the class written. In front
// stands how its entries are ordered, see [keyorder.Marks].
var mapClasses = map[string]string{
	"": "!" + ClassHashMap, "java.util.Map": "!" + ClassHashMap, "java.util.AbstractMap": "!" + ClassHashMap,
	ClassHashMap:              "!" + ClassHashMap,
	"java.util.LinkedHashMap": "java.util.LinkedHashMap", "java.util.SequencedMap": "java.util.LinkedHashMap",
	"java.util.SortedMap": "<java.util.TreeMap", "java.util.NavigableMap": "<java.util.TreeMap",
	"java.util.TreeMap":                           "<java.util.TreeMap",
	"java.util.concurrent.ConcurrentMap":          "#java.util.concurrent.ConcurrentHashMap",
	"java.util.concurrent.ConcurrentHashMap":      "#java.util.concurrent.ConcurrentHashMap",
	"java.util.concurrent.ConcurrentNavigableMap": "<java.util.concurrent.ConcurrentSkipListMap",
	"java.util.concurrent.ConcurrentSkipListMap":  "<java.util.concurrent.ConcurrentSkipListMap",
	"java.util.Hashtable":                         "%java.util.Hashtable",
	"java.util.Dictionary":                        "%java.util.Hashtable",
	"java.util.Properties":                        "#java.util.Properties",
	"java.util.EnumMap":                           "~" + classEnumMap,
	// Their order in Java is that of identity hash codes, or of the JDK's version.
	"java.util.IdentityHashMap": "java.util.IdentityHashMap", "java.util.WeakHashMap": "java.util.WeakHashMap",
}

// mapClass returns class and order mark for a struct carried as a map.
func (c *compiler) mapClass(t reflect.Type, class *Class, declared TypeExpr, path string) (string, byte) {
	f, _, _ := c.mapForm(t, class, declared, path)
	return f.class, f.mark
}

// mapForm returns what a map is written as and the declared types of its keys and
// values.
func (c *compiler) mapForm(t reflect.Type, class *Class, declared TypeExpr, path string) (f containerForm, key, value TypeExpr) {
	if class != nil {
		f = form(mapClasses[class.Super.Class])
		f.class = class.Name
		return f, ownArgument(class, 0), ownArgument(class, 1)
	}
	entry, ok := mapClasses[declared.boxed()]
	if !ok {
		c.failContainer(t, declared, path)
		return form(mapClasses[""]), TypeExpr{}, TypeExpr{}
	}
	f = form(entry)
	if f.mark == '~' {
		if t.Kind() != reflect.Map {
			c.failDeclared(t, declared, path)
			return f, TypeExpr{}, TypeExpr{}
		}
		c.enumForm(&f, t.Key(), declared, path)
	}
	c.use(t, declared, f.class, path)
	return f, argument(declared, 0), argument(declared, 1)
}

func (c *compiler) mapNode(t reflect.Type, class *Class, declared TypeExpr, path string) *node {
	f, keyType, valueType := c.mapForm(t, class, declared, path)
	key := c.compile(t.Key(), keyType, JoinPath(path, "[key]"))
	value := c.compile(t.Elem(), valueType, JoinPath(path, "[]"))
	n := &node{Node: Node{Kind: NodeMap, Class: f.class, Of: f.of, Key: &key.Node, Elem: &value.Node, mark: f.mark}}
	n.assign = func(s *assigner, v any, dst reflect.Value) error { return assignMap(s, key, value, v, dst) }
	n.lower = func(s *lowerer, v reflect.Value) (any, error) {
		if v.IsNil() {
			return nil, nil
		}
		if out, err := s.enter(n, v, 2*v.Len()); out != nil || err != nil {
			s.depth--
			return out, err
		}
		m := &Map{Class: f.class, Of: f.of}
		s.made(m)
		m.Entries = make([]Entry, 0, v.Len())
		for it := v.MapRange(); it.Next(); {
			k, err := s.lower(key, it.Key())
			if err != nil {
				return nil, under("[key]", err)
			}
			e, err := s.lower(value, it.Value())
			if err != nil {
				return nil, under(Key(k), err)
			}
			m.Entries = append(m.Entries, Entry{k, e})
		}
		keys := make([]any, len(m.Entries))
		for i, e := range m.Entries {
			keys[i] = e.Key
		}
		at, err := n.OrderKeys(keys)
		if err != nil {
			return nil, err
		}
		m.Entries = permuted(m.Entries, at)
		s.leave(n, v)
		return m, nil
	}
	return n
}

func assignMap(s *assigner, key, value *node, v any, dst reflect.Value) error {
	if v == nil {
		dst.SetZero()
		return nil
	}
	n, entries, ok := entriesOf(v)
	if !ok {
		return mismatch(v, dst)
	}
	t := dst.Type()
	if done, made := s.made(v, t); made {
		dst.Set(done)
		return nil
	}
	out := reflect.MakeMapWithSize(t, n)
	s.keep(v, out)
	if err := s.enter(v, t); err != nil {
		return err
	}
	for k, e := range entries {
		kv, ev := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		if err := s.assign(key, k, kv); err != nil {
			return under("[key]", err)
		}
		if !kv.Comparable() {
			return under("[key]", &AssignError{Class: ClassOf(k), Type: t.Key(), Reason: "Go cannot compare this key: use *java.Map"})
		}
		if err := s.assign(value, e, ev); err != nil {
			return under(Key(k), err)
		}
		out.SetMapIndex(kv, ev)
	}
	s.leave()
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
