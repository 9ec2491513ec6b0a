package bridge

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// mapClass returns class and order mark for a struct carried as a map.
func (c *compiler) mapClass(t reflect.Type, class *java.Class, declared java.TypeExpr, path string) (string, byte) {
	f, _, _ := c.mapForm(t, class, declared, path)
	return f.class, f.mark
}

// mapForm returns what a map is written as and the declared types of its keys and
// values.
func (c *compiler) mapForm(t reflect.Type, class *java.Class, declared java.TypeExpr, path string) (f containerForm, key, value java.TypeExpr) {
	if class != nil {
		f = form(jdk.Maps[class.Super.Class])
		f.class = class.Name
		return f, ownArgument(class, 0), ownArgument(class, 1)
	}
	entry, ok := jdk.Maps[boxed(declared)]
	if !ok {
		c.failContainer(t, declared, path)
		return form(jdk.Maps[""]), java.TypeExpr{}, java.TypeExpr{}
	}
	f = form(entry)
	if f.mark == '~' {
		if t.Kind() != reflect.Map {
			c.failDeclared(t, declared, path)
			return f, java.TypeExpr{}, java.TypeExpr{}
		}
		c.enumForm(&f, t.Key(), declared, path)
	}
	c.use(t, declared, f.class, path)
	return f, Argument(declared, 0), Argument(declared, 1)
}

func (c *compiler) mapNode(t reflect.Type, class *java.Class, declared java.TypeExpr, path string) *node {
	f, keyType, valueType := c.mapForm(t, class, declared, path)
	key := c.compile(t.Key(), keyType, errpath.Join(path, "[key]"))
	value := c.compile(t.Elem(), valueType, errpath.Join(path, "[]"))
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
		m := &java.Map{Class: f.class, Of: f.of}
		s.made(m)
		m.Entries = make([]java.Entry, 0, v.Len())
		for it := v.MapRange(); it.Next(); {
			k, err := key.lower(s, it.Key())
			if err != nil {
				return nil, under("[key]", err)
			}
			e, err := value.lower(s, it.Value())
			if err != nil {
				return nil, under(errpath.Key(k), err)
			}
			m.Entries = append(m.Entries, java.Entry{Key: k, Value: e})
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
			return under("[key]", Misfit(java.ClassOf(k), t.Key(), "Go cannot compare this key: use *java.Map"))
		}
		if err := s.assign(value, e, ev); err != nil {
			return under(errpath.Key(k), err)
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
	case *java.Map:
		return v.Len(), func(yield func(k, v any) bool) {
			for _, e := range v.Entries {
				if !yield(e.Key, e.Value) {
					return
				}
			}
		}, v != nil
	case *java.Object:
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
