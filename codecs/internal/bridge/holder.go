package bridge

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// held returns what a holder holds, nil for an empty one, and all other values
// as they are.
func held(v any) any {
	for range 8 { // Optional in AtomicReference; more would be mischief
		o, ok := v.(*java.Object)
		if !ok || o == nil || jdk.Holders[o.Class] == nil {
			return v
		}
		v, _ = o.Get("value")
	}
	return v
}

// holderNode carries a Go type as an Optional or Atomic class. A nil pointer is
// an empty Optional, or an AtomicReference to null.
func (c *compiler) holderNode(t reflect.Type, declared java.TypeExpr, path string) *node {
	kind := jdk.Holders[declared.Class]
	inner := Argument(declared, 0)
	if kind.Holds != "" {
		inner = java.TypeExpr{Class: kind.Holds}
	}
	if jdk.Holders[inner.Class] != nil && inner.Dims == 0 {
		return c.fail(t, path, fmt.Sprintf("%s holds another holder: one Go type cannot tell them apart", declared))
	}
	c.use(t, declared, declared.Class, path)
	elem := c.compile(t, inner, path)
	return &node{
		Node:   Node{Kind: NodeHolder, Class: declared.Class, Elem: &elem.Node},
		assign: func(s *assigner, v any, dst reflect.Value) error { return elem.assign(s, v, dst) },
		lower: func(s *lowerer, v reflect.Value) (any, error) {
			value, err := elem.lower(s, v)
			if err != nil {
				return nil, err
			}
			o := &java.Object{Class: declared.Class}
			switch {
			case value == nil && kind.Optional:
			case value == nil && kind.Holds != "":
				return nil, nil
			default:
				o.Fields = []java.Field{{Name: "value", Value: value}}
			}
			return o, nil
		},
	}
}
