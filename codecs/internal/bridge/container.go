package bridge

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/gotype"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

const (
	classEnumSet  = "java.util.RegularEnumSet"
	classJumboSet = "java.util.JumboEnumSet" // of enums with more than 64 constants
)

// containerForm is what a slice or map is written as.
type containerForm struct {
	class string
	mark  byte   // how it is ordered, see [keyorder.Marks]
	of    string // enum class of an EnumSet or EnumMap
}

// form reads an entry of jdk.Lists or jdk.Maps.
func form(entry string) containerForm {
	if entry != "" && strings.IndexByte(keyorder.Marks, entry[0]) >= 0 {
		return containerForm{class: entry[1:], mark: entry[0]}
	}
	return containerForm{class: entry}
}

func (c *compiler) sliceNode(t reflect.Type, class *java.Class, declared java.TypeExpr, path string) *node {
	if class == nil && declared.Dims == 1 && (java.TypeExpr{Class: declared.Class}).Primitive() {
		return c.arrayNode(t, declared, path)
	}
	if class == nil && t.Elem().Kind() == reflect.Uint8 {
		return c.bytesNode(t, declared, path)
	}
	f, elem := c.listForm(t, class, declared, path)
	elemNode := c.compile(t.Elem(), elem, errpath.Join(path, "[]"))
	n := &node{Node: Node{Kind: NodeSlice, Class: f.class, Of: f.of, Elem: &elemNode.Node, mark: f.mark}}
	n.assign = func(s *assigner, v any, dst reflect.Value) error { return assignSlice(s, elemNode, v, dst) }
	n.lower = func(s *lowerer, v reflect.Value) (any, error) {
		if v.IsNil() {
			return nil, nil
		}
		if out, err := s.enter(n, v, v.Len()); out != nil || err != nil {
			s.depth--
			return out, err
		}
		list := &java.List{Class: f.class, Of: f.of}
		s.made(list)
		elements, err := lowerElements(s, elemNode, v)
		if err != nil {
			return nil, err
		}
		at, err := n.Order(elements)
		if err != nil {
			return nil, err
		}
		list.Elements = permuted(elements, at)
		s.leave(n, v)
		return list, nil
	}
	return n
}

// listForm returns what a slice is written as and the declared type of its
// elements.
func (c *compiler) listForm(t reflect.Type, class *java.Class, declared java.TypeExpr, path string) (containerForm, java.TypeExpr) {
	if class != nil {
		f := form(jdk.Lists[class.Super.Class])
		f.class = class.Name
		return f, ownArgument(class, 0)
	}
	if declared.Dims > 0 {
		elem, _ := declared.Elem()
		name := declared.Erasure(nil)
		c.use(t, declared, name, path)
		return containerForm{class: name}, elem
	}
	entry, ok := jdk.Lists[boxed(declared)]
	if !ok {
		c.failContainer(t, declared, path)
		return containerForm{}, java.TypeExpr{}
	}
	f := form(entry)
	if f.mark == '~' {
		c.enumForm(&f, t.Elem(), declared, path)
	}
	c.use(t, declared, f.class, path)
	return f, Argument(declared, 0)
}

// failContainer is the error for a class that no slice or map is known to be.
func (c *compiler) failContainer(t reflect.Type, declared java.TypeExpr, path string) {
	if strings.HasPrefix(declared.Class, "java.") || !strings.Contains(declared.Class, ".") || t.Kind() == reflect.Struct {
		c.failDeclared(t, declared, path)
		return
	}
	c.fail(t, path, fmt.Sprintf("it cannot be written as the declared type %s: if that is a collection of your own, "+
		"define a Go type whose JavaClass says which one it extends, such as %s extends java.util.ArrayList<…>", declared, declared.Class))
}

// enumForm finds the enum of an EnumSet or EnumMap.
func (c *compiler) enumForm(f *containerForm, t reflect.Type, declared java.TypeExpr, path string) {
	t = gotype.PointedTo(t)
	class, err := gotypes.DeclaredClass(t, c.opts)
	switch {
	case err == nil && class != nil && class.Kind == java.KindEnum:
		f.of = class.Name
		if f.class == classEnumSet && len(class.Constants) > 64 {
			f.class = classJumboSet
		}
	case t == reflect.TypeFor[java.Enum]() && Argument(declared, 0).Class != "":
		f.of = declared.Args[0].Class
	default:
		c.fail(t, path, fmt.Sprintf("%s needs a Go type with an enum declaration", declared))
	}
}

// ownArgument returns type argument i that a class gives its superclass, where it
// says something about the values.
func ownArgument(class *java.Class, i int) java.TypeExpr {
	a := Argument(class.Super, i)
	if a.Mentions(class) {
		return java.TypeExpr{}
	}
	return a
}

// Argument returns type argument i where it says something about the values.
func Argument(t java.TypeExpr, i int) java.TypeExpr {
	if i >= len(t.Args) || t.Args[i].Variance != java.Exact && t.Args[i].Variance != java.Extends {
		return java.TypeExpr{}
	}
	a := t.Args[i]
	a.Variance = java.Exact
	return a
}

func assignSlice(s *assigner, elem *node, v any, dst reflect.Value) error {
	list, ok := v.(*java.List)
	if v == nil || ok && list == nil {
		dst.SetZero()
		return nil
	}
	t := dst.Type()
	if done, made := s.made(v, t); made {
		dst.Set(done)
		return nil
	}
	if !ok {
		return assignArray(s, elem, v, dst)
	}
	out := reflect.MakeSlice(t, len(list.Elements), len(list.Elements))
	s.keep(v, out)
	if err := s.enter(v, t); err != nil {
		return err
	}
	for i, e := range list.Elements {
		if err := s.assign(elem, e, out.Index(i)); err != nil {
			return under("["+strconv.Itoa(i)+"]", err)
		}
	}
	s.leave()
	dst.Set(out)
	return nil
}

// permuted returns elements in another order.
func permuted[T any](elements []T, at []int) []T {
	out := make([]T, len(at))
	for i, from := range at {
		out[i] = elements[from]
	}
	return out
}

func lowerElements(s *lowerer, elem *node, v reflect.Value) ([]any, error) {
	out := make([]any, v.Len())
	for i := range out {
		e, err := elem.lower(s, v.Index(i))
		if err != nil {
			return nil, under("["+strconv.Itoa(i)+"]", err)
		}
		out[i] = e
	}
	return out, nil
}

// bytesNode carries byte slices as byte[].
func (c *compiler) bytesNode(t reflect.Type, declared java.TypeExpr, path string) *node {
	if boxed(declared) != "" {
		return c.fail(t, path, fmt.Sprintf("bytes are byte[]: they cannot be written as the declared type %s", declared))
	}
	return &node{
		Node: Node{Kind: NodeBytes, Class: "[B"},
		assign: func(_ *assigner, v any, dst reflect.Value) error {
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
		lower: func(_ *lowerer, v reflect.Value) (any, error) {
			if v.IsNil() {
				return nil, nil
			}
			return v.Bytes(), nil
		},
	}
}
