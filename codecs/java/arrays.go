package java

import (
	"reflect"
	"strconv"
)

// primitive is what Java has for one of its eight primitive types.
type primitive struct {
	name    string
	wrapper string       // the class of its values inside objects
	letter  byte         // in JVM signatures
	array   reflect.Type // the Go slice of an array of it
}

var primitives = [...]primitive{
	{"boolean", "java.lang.Boolean", 'Z', reflect.TypeFor[[]bool]()},
	{"byte", "java.lang.Byte", 'B', reflect.TypeFor[[]byte]()},
	{"char", "java.lang.Character", 'C', reflect.TypeFor[[]Char]()},
	{"short", "java.lang.Short", 'S', reflect.TypeFor[[]int16]()},
	{"int", "java.lang.Integer", 'I', reflect.TypeFor[[]int32]()},
	{"long", "java.lang.Long", 'J', reflect.TypeFor[[]int64]()},
	{"float", "java.lang.Float", 'F', reflect.TypeFor[[]float32]()},
	{"double", "java.lang.Double", 'D', reflect.TypeFor[[]float64]()},
}

// wrappers are the classes of primitives, arrayClasses those of the slices of arrays.
var wrappers, arrayClasses = func() (map[string]string, map[reflect.Type]string) {
	classes, arrays := map[string]string{}, map[reflect.Type]string{}
	for _, p := range primitives {
		classes[p.name], arrays[p.array] = p.wrapper, "["+string(p.letter)
	}
	return classes, arrays
}()

// primitiveBy returns the primitive that fits, nil for none.
func primitiveBy(fits func(p *primitive) bool) *primitive {
	for i := range primitives {
		if fits(&primitives[i]) {
			return &primitives[i]
		}
	}
	return nil
}

func primitiveNamed(name string) *primitive {
	return primitiveBy(func(p *primitive) bool { return p.name == name })
}

// arrayOf returns the class of an array of primitives, "" for all other values.
func arrayOf(v any) string { return arrayClasses[reflect.TypeOf(v)] }

// ArrayList returns an array of primitives as a list of the same class with its
// elements boxed, and true: for formats that write both alike. It returns false
// for all other values, also for []byte, and for nil slices.
func ArrayList(v any) (*List, bool) {
	class := arrayOf(v)
	if class == "" || class == "[B" {
		return nil, false
	}
	s := reflect.ValueOf(v)
	if s.IsNil() {
		return nil, false
	}
	l := &List{Class: class, Elements: make([]any, s.Len())}
	for i := range l.Elements {
		l.Elements[i] = s.Index(i).Interface()
	}
	return l, true
}

// arrayNode carries a slice as an array of primitives.
func (c *compiler) arrayNode(t reflect.Type, declared TypeExpr, path string) *node {
	array := primitiveNamed(declared.Class).array
	if elem := t.Elem(); isOwnType(elem) && elem != reflect.TypeFor[Char]() {
		return c.failDeclared(t, declared, path)
	}
	boxed := wrappers[declared.Class]
	c.use(t, declared, declared.erasure(nil), path)
	elem := c.compile(t.Elem(), TypeExpr{Class: declared.Class}, JoinPath(path, "[]"))
	same := t.Elem() == array.Elem()
	n := &node{Node: Node{Kind: NodeSlice, Class: declared.erasure(nil), Elem: &elem.Node}}
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
			e, err := s.lower(elem, v.Index(i))
			switch {
			case err != nil:
			case e == nil:
				err = &LowerError{Type: t.Elem(), Reason: "an array of primitives cannot hold null"}
			case ClassOf(e) != boxed:
				err = &LowerError{Type: reflect.TypeOf(e), Reason: "it is no " + declared.Class}
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
	class := arrayOf(v)
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
