package bridge

import (
	"encoding"
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/gotype"
	"github.com/duequeue/duequeue/codecs/java"
)

const classBigDecimal = "java.math.BigDecimal"

var textWriterType = reflect.TypeFor[encoding.TextMarshaler]()

// carriesDecimal reports whether t in such a place is carried as a BigDecimal: a decimal,
// or a type that reads and writes text.
func carriesDecimal(t reflect.Type, declared java.TypeExpr) bool {
	if declared.Class == classBigDecimal && declared.Dims == 0 {
		return gotype.IsDecimal(t) || gotype.ReadsText(t) && reflect.PointerTo(t).Implements(textWriterType)
	}
	return gotype.IsDecimal(t)
}

// decimalNode carries a type of a decimal library.
func (c *compiler) decimalNode(t reflect.Type, declared java.TypeExpr, path string) *node {
	if usual(classBigDecimal, declared) == "" {
		return c.failDeclared(t, declared, path)
	}
	c.use(t, declared, classBigDecimal, path)
	return &node{
		Node: Node{Kind: NodeOther, Class: classBigDecimal},
		assign: func(a *assigner, v any, dst reflect.Value) error {
			var text string
			switch n := v.(type) {
			case nil:
				dst.SetZero()
				return nil
			case java.BigDecimal:
				text = n.String()
			default:
				whole, ok := integer(v)
				if !ok {
					return mismatch(v, dst)
				}
				text = java.BigDecimal{Unscaled: big.NewInt(whole)}.String()
			}
			if err := a.digits(bitsOf(v), dst); err != nil {
				return err
			}
			if err := dst.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)); err != nil {
				return Misfit(classBigDecimal, t, "its UnmarshalText does not take the number")
			}
			return nil
		},
		lower: func(_ *lowerer, v reflect.Value) (any, error) {
			p := reflect.New(t) // whose methods are those of t too
			p.Elem().Set(v)
			d, err := decimalOf(p.Interface())
			if err != nil {
				return nil, &codecs.EncodeError{Type: t, Reason: "its MarshalText gives no decimal number"}
			}
			return d, nil
		},
	}
}

// decimalOf returns what a decimal is in Java; nil for an empty text.
func decimalOf(v any) (any, error) {
	if d, ok := v.(gotype.Digits); ok {
		if scale := -int64(d.Exponent()); scale == int64(int32(scale)) {
			return java.BigDecimal{Unscaled: d.Coefficient(), Scale: int32(scale)}, nil
		}
	}
	text, err := v.(encoding.TextMarshaler).MarshalText()
	if err != nil || len(text) == 0 {
		return nil, err
	}
	return java.ParseBigDecimal(string(text))
}
