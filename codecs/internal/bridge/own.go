package bridge

import (
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

const classObject = "java.lang.Object"

var (
	anyType      = reflect.TypeFor[any]()
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
)

func ownNode(t reflect.Type, declared java.TypeExpr) *node {
	value := jdk.OfType(t)
	pointer, zeroIsNull := t.Kind() == reflect.Pointer, value.ZeroIsNull
	return &node{
		Node: Node{Kind: NodeValue, Class: usual(boxed(java.TypeExpr{Class: value.Declared}), declared)},
		raw:  t == reflect.TypeFor[*java.Object](),
		assign: func(_ *assigner, v any, dst reflect.Value) error {
			switch {
			case v == nil && (pointer || zeroIsNull):
				dst.SetZero()
			case v == nil || reflect.TypeOf(v) != t:
				return mismatch(v, dst)
			default:
				dst.Set(reflect.ValueOf(v))
			}
			return nil
		},
		lower: func(_ *lowerer, v reflect.Value) (any, error) {
			if pointer && v.IsNil() || zeroIsNull && v.IsZero() {
				return nil, nil
			}
			return v.Interface(), nil
		},
	}
}

// plainNode takes any Java value as [java.Plain] makes it.
func plainNode(declared java.TypeExpr) *node {
	return &node{
		Node: Node{Kind: NodeAny, Class: usual(classObject, declared)}, raw: true,
		assign: func(s *assigner, v any, dst reflect.Value) error {
			switch v.(type) {
			case *java.List, *java.Map:
				if s.plain == nil {
					s.plain = &java.Plainer{}
				}
				v = s.plain.Plain(v)
			}
			return setAny(v, dst)
		},
		lower: lowerInterface,
	}
}

func lowerInterface(s *lowerer, v reflect.Value) (any, error) {
	if v.IsNil() {
		return nil, nil
	}
	return s.lowerAny(v.Elem())
}

func setAny(v any, dst reflect.Value) error {
	if v == nil {
		dst.SetZero()
		return nil
	}
	dst.Set(reflect.ValueOf(v))
	return nil
}

func pointerNode(t reflect.Type, elem *node) *node {
	n := &node{Node: Node{Kind: NodePointer, Elem: &elem.Node}}
	n.assign = func(s *assigner, v any, dst reflect.Value) error {
		if v == nil {
			dst.SetZero()
			return nil
		}
		if p, ok := s.made(v, t); ok {
			dst.Set(p)
			return nil
		}
		p := reflect.New(t.Elem()).Convert(t)
		s.keep(v, p)
		if err := s.enter(v, t); err != nil {
			return err
		}
		if err := s.assign(elem, v, p.Elem()); err != nil {
			return err
		}
		s.leave()
		dst.Set(p)
		return nil
	}
	n.lower = func(s *lowerer, v reflect.Value) (any, error) {
		if v.IsNil() {
			return nil, nil
		}
		if out, err := s.enter(n, v, 0); out != nil || err != nil {
			s.depth--
			return out, err
		}
		out, err := elem.lower(s, v.Elem())
		if err != nil {
			return nil, err
		}
		s.leave(n, v)
		return out, nil
	}
	return n
}
