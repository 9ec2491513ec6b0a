package bridge

import (
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
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
				o, ok := v.(*java.Object)
				if !ok || !assignInherited(o, dst) {
					return mismatch(v, dst)
				}
			default:
				dst.Set(reflect.ValueOf(v))
			}
			return nil
		},
		lower: func(s *lowerer, v reflect.Value) (any, error) {
			if pointer && v.IsNil() || zeroIsNull && v.IsZero() {
				return nil, nil
			}
			return v.Interface(), s.unfit(declared, v.Interface())
		},
	}
}

// assignInherited stores what an object of a class that extends one of the JDK's inherits.
func assignInherited(o *java.Object, dst reflect.Value) bool {
	switch dst.Type() {
	case reflect.TypeFor[java.Date]():
		d, ok := inheritedDate(o)
		dst.Set(reflect.ValueOf(d))
		return ok
	case reflect.TypeFor[java.BigDecimal]():
		d, ok := inheritedDecimal(o)
		dst.Set(reflect.ValueOf(d))
		return ok
	}
	return false
}

// inheritedDecimal returns the number that an object of a class that extends BigDecimal is in the
// streams.
func inheritedDecimal(o *java.Object) (d java.BigDecimal, ok bool) {
	for _, f := range o.Fields {
		switch v := f.Value.(type) {
		case *big.Int:
			if f.Level == "java.math.BigDecimal" {
				d.Unscaled = v
			}
		case int32:
			if f.Level == "java.math.BigDecimal" && f.Name == "scale" {
				d.Scale, ok = v, true
			}
		}
	}
	return d, ok && d.Unscaled != nil
}

// Unfit returns an error for a list or map of a class of the JDK where another class is declared, of
// which it cannot be an instance: Java would lose such a message. Nil for all others.
func Unfit(declared java.TypeExpr, v any) error {
	class := java.ClassOf(v)
	switch v.(type) {
	case map[string]any:
		class = java.ClassHashMap
	case []any:
		class = java.ClassArrayList
	case *java.Map, *java.List:
	default:
		return nil
	}
	if !Foreign(declared) || !strings.HasPrefix(class, "java.") {
		return nil
	}
	return &codecs.EncodeError{Type: reflect.TypeOf(v), Reason: fmt.Sprintf(
		"a %s does not go into a field declared as %s: take a *java.Map or *java.List whose Class is that", class, declared.Class)}
}

// unfit is Unfit for the formats with references; others see to it themselves, or name no classes.
func (s *lowerer) unfit(declared java.TypeExpr, v any) error {
	if s.shared == nil {
		return nil
	}
	return Unfit(declared, v)
}

// Foreign reports whether a type is declared as a class outside the JDK.
func Foreign(declared java.TypeExpr) bool {
	return declared.Dims == 0 && strings.Contains(declared.Class, ".") && !OfJDK(declared.Class)
}

// OfJDK reports whether a class comes with Java.
func OfJDK(class string) bool {
	return strings.HasPrefix(class, "java.") || strings.HasPrefix(class, "javax.")
}

// plainNode takes any Java value as [java.Plain] makes it.
func plainNode(declared java.TypeExpr) *node {
	return &node{
		Node: Node{Kind: NodeAny, Class: usual(classObject, declared)}, raw: true,
		assign: func(s *assigner, v any, dst reflect.Value) error {
			switch v.(type) {
			case *java.List, *java.Map:
				if Foreign(declared) {
					break // Go's lists and maps would lose the class
				}
				if s.plain == nil {
					s.plain = &java.Plainer{}
				}
				v = s.plain.Plain(v)
			}
			return setAny(v, dst)
		},
		lower: fittingInterface(declared),
	}
}

// fittingInterface is lowerInterface where a type is declared.
func fittingInterface(declared java.TypeExpr) func(s *lowerer, v reflect.Value) (any, error) {
	return func(s *lowerer, v reflect.Value) (any, error) {
		if !v.IsNil() {
			if err := s.unfit(declared, v.Interface()); err != nil {
				return nil, err
			}
		}
		return lowerInterface(s, v)
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
