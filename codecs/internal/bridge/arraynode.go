package bridge

import (
	"reflect"
	"strconv"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// arrayNode carries a slice as an array of primitives.
func (c *compiler) arrayNode(t reflect.Type, declared java.TypeExpr, path string) *node {
	array := jdk.ArrayType(java.TypeExpr{Class: declared.Class, Dims: 1}.Erasure(nil))
	if elem := t.Elem(); jdk.Own(elem) && elem != reflect.TypeFor[java.Char]() {
		return c.failDeclared(t, declared, path)
	}
	boxed := java.TypeExpr{Class: declared.Class}.Boxed().Class
	c.use(t, declared, declared.Erasure(nil), path)
	elem := c.compile(t.Elem(), java.TypeExpr{Class: declared.Class}, errpath.Join(path, "[]"))
	same := t.Elem() == array.Elem()
	n := &node{Node: Node{Kind: NodeSlice, Class: declared.Erasure(nil), Elem: &elem.Node}}
	if t.Elem().Kind() == reflect.Uint8 {
		n.Kind = NodeBytes
	}
	n.assign = func(s *assigner, v any, dst reflect.Value) error { return assignSlice(s, elem, v, dst) }
	n.lower = func(s *lowerer, v reflect.Value) (any, error) {
		if v.IsNil() {
			return nil, nil
		}
		if same {
			return v.Convert(array).Interface(), nil
		}
		if out, err := s.enter(n, v, v.Len()); out != nil || err != nil {
			s.depth--
			return out, err
		}
		out := reflect.MakeSlice(array, v.Len(), v.Len())
		s.made(out.Interface())
		for i := range v.Len() {
			e, err := elem.lower(s, v.Index(i))
			switch {
			case err != nil:
			case e == nil:
				err = &codecs.EncodeError{Type: t.Elem(), Reason: "an array of primitives cannot hold null"}
			case java.ClassOf(e) != boxed:
				err = &codecs.EncodeError{Type: reflect.TypeOf(e), Reason: "it is no " + declared.Class}
			}
			if err != nil {
				return nil, under("["+strconv.Itoa(i)+"]", err)
			}
			out.Index(i).Set(reflect.ValueOf(e).Convert(array.Elem()))
		}
		s.leave(n, v)
		return out.Interface(), nil
	}
	return n
}

// assignArray assigns an array of primitives to a slice. Where the elements have
// one type in Go, the slice is the array itself.
func assignArray(s *assigner, elem *node, v any, dst reflect.Value) error {
	class := jdk.ArrayClass(reflect.TypeOf(v))
	if class == "" {
		return mismatch(v, dst)
	}
	src, t := reflect.ValueOf(v), dst.Type()
	if src.IsNil() {
		dst.SetZero()
		return nil
	}
	if src.Type().Elem() == t.Elem() {
		dst.Set(src.Convert(t))
		return nil
	}
	out := reflect.MakeSlice(t, src.Len(), src.Len())
	for i := range src.Len() {
		e := src.Index(i).Interface()
		if b, ok := e.(byte); ok {
			e = int8(b)
		}
		if err := s.assign(elem, e, out.Index(i)); err != nil {
			return under("["+strconv.Itoa(i)+"]", err)
		}
	}
	s.keep(v, out)
	dst.Set(out)
	return nil
}

// ArrayList returns an array of primitives as a list of the same class with its
// elements boxed, and true: for formats that write both alike. It returns false
// for all other values, also for []byte, and for nil slices.
func ArrayList(v any) (*java.List, bool) {
	class := jdk.ArrayClass(reflect.TypeOf(v))
	if class == "" || class == "[B" {
		return nil, false
	}
	s := reflect.ValueOf(v)
	if s.IsNil() {
		return nil, false
	}
	l := &java.List{Class: class, Elements: make([]any, s.Len())}
	for i := range l.Elements {
		l.Elements[i] = s.Index(i).Interface()
	}
	return l, true
}
