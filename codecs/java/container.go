package java

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// listClasses maps the declared types of slices to the class written, "!" for
// the order of HashSet and "<" for sorted elements.
var listClasses = map[string]string{
	"": ClassArrayList, "java.lang.Iterable": ClassArrayList, "java.util.Collection": ClassArrayList,
	"java.util.List": ClassArrayList, ClassArrayList: ClassArrayList,
	"java.util.LinkedList": "java.util.LinkedList", "java.util.Vector": "java.util.Vector",
	"java.util.Queue": "java.util.LinkedList", "java.util.Deque": "java.util.ArrayDeque",
	"java.util.ArrayDeque":                      "java.util.ArrayDeque",
	"java.util.concurrent.CopyOnWriteArrayList": "java.util.concurrent.CopyOnWriteArrayList",
	"java.util.Set":                             "!" + ClassHashSet, ClassHashSet: "!" + ClassHashSet,
	"java.util.LinkedHashSet": "java.util.LinkedHashSet",
	"java.util.SortedSet":     "<java.util.TreeSet", "java.util.TreeSet": "<java.util.TreeSet",
}

func (c *compiler) sliceNode(t reflect.Type, declared TypeExpr, path string) *node {
	if t.Elem().Kind() == reflect.Uint8 {
		return c.bytesNode(t, declared, path)
	}
	class, order, elem := c.listClass(t, declared, path)
	elemNode := c.compile(t.Elem(), elem, JoinPath(path, "[]"))
	return &node{
		assign: func(v any, dst reflect.Value) error { return assignSlice(elemNode, v, dst) },
		lower: func(v reflect.Value, depth int) (any, error) {
			if v.IsNil() {
				return nil, nil
			}
			if depth > maxLowerDepth {
				return nil, tooDeep(t)
			}
			elements, err := lowerElements(elemNode, v, depth)
			if err == nil {
				elements, err = ordered(elements, order, t)
			}
			if err != nil {
				return nil, err
			}
			return &List{Class: class, Elements: elements}, nil
		},
	}
}

// listClass returns the class, the order mark (0, '!' or '<') and the declared
// type of the elements.
func (c *compiler) listClass(t reflect.Type, declared TypeExpr, path string) (string, byte, TypeExpr) {
	if declared.Dims > 0 {
		elem := declared
		elem.Dims--
		if elem.Primitive() {
			c.fail(t, path, fmt.Sprintf("arrays of primitives (%s) are not carried", declared))
		}
		c.use(t, declared, arrayClass(elem), path)
		return arrayClass(elem), 0, elem
	}
	class, ok := listClasses[declared.boxed()]
	if !ok {
		c.fail(t, path, fmt.Sprintf("it cannot be written as the declared type %s", declared))
		return "", 0, TypeExpr{}
	}
	order := byte(0)
	if class[0] == '!' || class[0] == '<' {
		order, class = class[0], class[1:]
	}
	c.use(t, declared, class, path)
	return class, order, argument(declared, 0)
}

// arrayClass returns the class name of an array of elem.
func arrayClass(elem TypeExpr) string {
	return strings.Repeat("[", elem.Dims+1) + "L" + elem.Class + ";"
}

// argument returns type argument i where it says something about the values.
func argument(t TypeExpr, i int) TypeExpr {
	if i >= len(t.Args) || t.Args[i].Variance != Exact && t.Args[i].Variance != Extends {
		return TypeExpr{}
	}
	a := t.Args[i]
	a.Variance = Exact
	return a
}

func assignSlice(elem *node, v any, dst reflect.Value) error {
	list, ok := v.(*List)
	if v == nil || ok && list == nil {
		dst.SetZero()
		return nil
	}
	if !ok {
		return mismatch(v, dst)
	}
	out := reflect.MakeSlice(dst.Type(), len(list.Elements), len(list.Elements))
	for i, e := range list.Elements {
		if err := elem.assign(e, out.Index(i)); err != nil {
			return under("["+strconv.Itoa(i)+"]", err)
		}
	}
	dst.Set(out)
	return nil
}

func ordered(elements []any, mark byte, t reflect.Type) ([]any, error) {
	out, err := reorder(elements, mark)
	if err != nil {
		return nil, &LowerError{Type: t, Reason: "its elements have no definite order as a set", Err: err}
	}
	return out, nil
}

func lowerElements(elem *node, v reflect.Value, depth int) ([]any, error) {
	out := make([]any, v.Len())
	for i := range out {
		e, err := elem.lower(v.Index(i), depth+1)
		if err != nil {
			return nil, under("["+strconv.Itoa(i)+"]", err)
		}
		out[i] = e
	}
	return out, nil
}

// bytesNode carries byte slices as byte[].
func (c *compiler) bytesNode(t reflect.Type, declared TypeExpr, path string) *node {
	if class := declared.boxed(); class != "" && class != "byte[]" {
		return c.fail(t, path, fmt.Sprintf("bytes are byte[]: they cannot be written as the declared type %s", declared))
	}
	return &node{
		assign: func(v any, dst reflect.Value) error {
			b, ok := v.([]byte)
			switch {
			case v == nil:
				dst.SetZero()
			case !ok:
				return mismatch(v, dst)
			default:
				dst.SetBytes(b)
			}
			return nil
		},
		lower: func(v reflect.Value, _ int) (any, error) {
			if v.IsNil() {
				return nil, nil
			}
			return v.Bytes(), nil
		},
	}
}
