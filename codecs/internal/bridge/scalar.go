package bridge

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// lowerScalar turns a Go value of a basic kind into one Java scalar class.
type lowerScalar func(v reflect.Value) (any, bool)

// numberClasses are the classes an integer may be declared as; an int that does
// not fit is an error when it is encoded.
var numberClasses = map[string]func(n int64) (any, bool){
	"java.lang.Byte":       func(n int64) (any, bool) { return int8(n), n == int64(int8(n)) },
	"java.lang.Short":      func(n int64) (any, bool) { return int16(n), n == int64(int16(n)) },
	"java.lang.Integer":    func(n int64) (any, bool) { return int32(n), n == int64(int32(n)) },
	"java.lang.Long":       func(n int64) (any, bool) { return n, true },
	"java.lang.Character":  func(n int64) (any, bool) { return java.Char(n), n == int64(java.Char(n)) },
	"java.lang.Float":      func(n int64) (any, bool) { return float32(n), n == int64(float32(n)) && n != math.MaxInt64 },
	"java.lang.Double":     func(n int64) (any, bool) { return float64(n), n <= maxExact && n >= -maxExact },
	"java.math.BigInteger": func(n int64) (any, bool) { return big.NewInt(n), true },
	"java.math.BigDecimal": func(n int64) (any, bool) { return java.BigDecimal{Unscaled: big.NewInt(n)}, true },
}

// boxed returns the class a declared type names, with primitives as their
// wrappers and "" for types that any value satisfies.
func boxed(t java.TypeExpr) string {
	if t.Dims > 0 {
		return t.String()
	}
	if t.Primitive() {
		return t.Boxed().Class
	}
	switch t.Class {
	case classObject, "java.io.Serializable", "java.lang.Comparable", "java.lang.Cloneable",
		"java.lang.constant.Constable", "java.lang.constant.ConstantDesc":
		return ""
	}
	return t.Class
}

func (c *compiler) scalarNode(t reflect.Type, declared java.TypeExpr, path string) *node {
	if t.Kind() == reflect.String {
		if n := c.textNode(t, declared, path); n != nil {
			return n
		}
	}
	assign := assignKind(t)
	if t.Kind() != reflect.Float32 && t.Kind() != reflect.Float64 && fractions[boxed(declared)] {
		inner := assign
		assign = func(v any, dst reflect.Value) error { return inner(wholeNumber(v), dst) }
	}
	class := scalarClass(t, declared)
	lower := scalarLowering(t, class)
	if lower == nil {
		return c.failDeclared(t, declared, path)
	}
	c.use(t, declared, cmp.Or(boxed(declared), classObject), path)
	return &node{
		Node:   Node{Kind: NodeScalar, Class: class},
		assign: func(_ *assigner, v any, dst reflect.Value) error { return assign(v, dst) },
		lower: func(_ *lowerer, v reflect.Value) (any, error) {
			out, ok := lower(v)
			if !ok {
				return nil, outOfRange(v, declared)
			}
			return out, nil
		},
	}
}

func outOfRange(v reflect.Value, declared java.TypeExpr) error {
	e := &codecs.EncodeError{Type: v.Type(), Reason: fmt.Sprintf("the number does not fit into the declared type %s", declared)}
	if declared.IsZero() {
		e.Reason = "the number does not fit into java.lang.Integer: use int64 for java.lang.Long"
		if v.Kind() == reflect.Uint64 {
			e.Reason = "the number does not fit into java.lang.Long: use *big.Int"
		}
	}
	return e
}

func assignKind(t reflect.Type) func(v any, dst reflect.Value) error {
	switch t.Kind() {
	case reflect.Bool:
		return func(v any, dst reflect.Value) error {
			b, ok := v.(bool)
			if !ok {
				return mismatch(v, dst)
			}
			dst.SetBool(b)
			return nil
		}
	case reflect.String:
		return func(v any, dst reflect.Value) error {
			switch v := v.(type) {
			case string:
				dst.SetString(v)
			case java.Text:
				dst.SetString(v.Value)
			default:
				return mismatch(v, dst)
			}
			return nil
		}
	case reflect.Float32, reflect.Float64:
		return assignFloat
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return assignUint
	default:
		return assignInt
	}
}

// scalarClass returns the class of a basic kind in a place.
func scalarClass(t reflect.Type, declared java.TypeExpr) string {
	class, kind := gotypes.ScalarType(t.Kind()).Boxed().Class, t.Kind()
	switch at := boxed(declared); {
	case at == "", at == "java.lang.Number" && kind != reflect.Bool && kind != reflect.String,
		at == "java.lang.CharSequence" && kind == reflect.String:
		return class
	default:
		return at
	}
}

// scalarLowering returns nil where kind and class do not go together.
func scalarLowering(t reflect.Type, class string) lowerScalar {
	switch t.Kind() {
	case reflect.Bool:
		if class == "java.lang.Boolean" {
			return func(v reflect.Value) (any, bool) { return v.Bool(), true }
		}
	case reflect.String:
		if class == "java.lang.String" {
			return func(v reflect.Value) (any, bool) { return v.String(), true }
		}
	case reflect.Float32, reflect.Float64:
		return floatLowering(class)
	default:
		return integerLowering(t, class)
	}
	return nil
}

func floatLowering(class string) lowerScalar {
	switch class {
	case "java.lang.Double":
		return func(v reflect.Value) (any, bool) { return v.Float(), true }
	case "java.lang.Float":
		return func(v reflect.Value) (any, bool) {
			f := v.Float()
			return float32(f), float64(float32(f)) == f || f != f
		}
	}
	return nil
}

func integerLowering(t reflect.Type, class string) lowerScalar {
	convert := numberClasses[class]
	if convert == nil {
		return nil
	}
	if t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64 {
		return func(v reflect.Value) (any, bool) {
			if v.Uint() > math.MaxInt64 {
				return nil, false
			}
			return convert(int64(v.Uint()))
		}
	}
	return func(v reflect.Value) (any, bool) { return convert(v.Int()) }
}
