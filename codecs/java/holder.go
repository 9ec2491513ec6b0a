package java

import (
	"fmt"
	"reflect"
)

// holderKind says how a class holds one value.
type holderKind int

const (
	holderNone     holderKind = iota
	holderOptional            // no field "value" when it is empty
	holderAtomic
)

// holders are the classes whose objects hold one value in the field "value".
var holders = map[string]holderKind{
	"java.util.Optional":                          holderOptional,
	"java.util.OptionalInt":                       holderOptional,
	"java.util.OptionalLong":                      holderOptional,
	"java.util.OptionalDouble":                    holderOptional,
	"java.util.concurrent.atomic.AtomicBoolean":   holderAtomic,
	"java.util.concurrent.atomic.AtomicInteger":   holderAtomic,
	"java.util.concurrent.atomic.AtomicLong":      holderAtomic,
	"java.util.concurrent.atomic.AtomicReference": holderAtomic,
}

// heldTypes are the types of what holders of primitives hold.
var heldTypes = map[string]string{
	"java.util.OptionalInt": "int", "java.util.OptionalLong": "long", "java.util.OptionalDouble": "double",
	"java.util.concurrent.atomic.AtomicBoolean": "boolean", "java.util.concurrent.atomic.AtomicInteger": "int",
	"java.util.concurrent.atomic.AtomicLong": "long",
}

// held returns what a holder holds, nil for an empty one, and all other values
// as they are.
func held(v any) any {
	for range 8 { // Optional in AtomicReference; more would be mischief
		o, ok := v.(*Object)
		if !ok || o == nil || holders[o.Class] == holderNone {
			return v
		}
		v, _ = o.Get("value")
	}
	return v
}

// holderNode carries a Go type as an Optional or Atomic class. A nil pointer is
// an empty Optional, or an AtomicReference to null.
func (c *compiler) holderNode(t reflect.Type, declared TypeExpr, path string) *node {
	kind := holders[declared.Class]
	inner := argument(declared, 0)
	if primitive := heldTypes[declared.Class]; primitive != "" {
		inner = TypeExpr{Class: primitive}
	}
	if holders[inner.Class] != holderNone && inner.Dims == 0 {
		return c.fail(t, path, fmt.Sprintf("%s holds another holder: one Go type cannot tell them apart", declared))
	}
	c.use(t, declared, declared.Class, path)
	elem := c.compile(t, inner, path)
	return &node{
		Node:   Node{Kind: NodeHolder, Class: declared.Class, Elem: &elem.Node},
		assign: func(s *assigner, v any, dst reflect.Value) error { return elem.assign(s, v, dst) },
		lower: func(s *lowerer, v reflect.Value) (any, error) {
			value, err := s.lower(elem, v)
			if err != nil {
				return nil, err
			}
			o := &Object{Class: declared.Class}
			switch {
			case value == nil && kind == holderOptional:
			case value == nil && heldTypes[declared.Class] != "":
				return nil, nil
			default:
				o.Fields = []Field{{Name: "value", Value: value}}
			}
			return o, nil
		},
	}
}
