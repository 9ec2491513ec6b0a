package bridge

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/java"
)

// enumNode carries a Go enum: a string type with the names of the constants, ""
// for null, or an integer type with their ordinals.
func (c *compiler) enumNode(t reflect.Type, class *java.Class, declared java.TypeExpr, path string) *node {
	c.use(t, declared, class.Name, path)
	e := &enumPlan{typ: t, class: class, text: t.Kind() == reflect.String, ordinals: make(map[string]int, len(class.Constants))}
	for i, k := range class.Constants {
		e.ordinals[k.Name] = i
	}
	return &node{
		Node:   Node{Kind: NodeEnum, Class: class.Name},
		assign: func(_ *assigner, v any, dst reflect.Value) error { return e.assign(v, dst) },
		lower:  func(_ *lowerer, v reflect.Value) (any, error) { return e.lower(v) },
	}
}

type enumPlan struct {
	typ      reflect.Type
	class    *java.Class
	text     bool
	ordinals map[string]int
}

func (e *enumPlan) assign(v any, dst reflect.Value) error {
	var ordinal int
	switch v := v.(type) {
	case nil:
		if !e.text {
			return mismatch(v, dst)
		}
		dst.SetString("")
		return nil
	case string:
		var ok bool
		if ordinal, ok = e.ordinals[v]; !ok {
			return e.unknown(e.class.Name, fmt.Sprintf("of that name, which has %d bytes", len(v)))
		}
	case java.Enum:
		if v.Class != "" && v.Class != e.class.Name {
			return mismatch(v, dst)
		}
		if v.Name != "" {
			at, known := e.ordinals[v.Name]
			if !known {
				return e.unknown(v.Class, fmt.Sprintf("of that name, which has %d bytes", len(v.Name)))
			}
			ordinal = at
		} else if ordinal = v.Ordinal; ordinal < 0 || ordinal >= len(e.class.Constants) {
			return e.unknown(v.Class, fmt.Sprintf("with the ordinal %d", ordinal))
		}
	default:
		return mismatch(v, dst)
	}
	return e.set(ordinal, dst)
}

func (e *enumPlan) unknown(class, constant string) error {
	return Misfit(cmp.Or(class, e.class.Name), e.typ, "its declaration has no constant "+constant)
}

func (e *enumPlan) set(ordinal int, dst reflect.Value) error {
	switch {
	case e.text:
		dst.SetString(e.class.Constants[ordinal].Name)
	case dst.CanInt():
		if dst.OverflowInt(int64(ordinal)) {
			return Misfit(e.class.Name, e.typ, fmt.Sprintf("ordinal %d does not fit", ordinal))
		}
		dst.SetInt(int64(ordinal))
	default:
		if dst.OverflowUint(uint64(ordinal)) {
			return Misfit(e.class.Name, e.typ, fmt.Sprintf("ordinal %d does not fit", ordinal))
		}
		dst.SetUint(uint64(ordinal))
	}
	return nil
}

func (e *enumPlan) lower(v reflect.Value) (any, error) {
	var ordinal int64
	switch {
	case e.text:
		if v.Len() == 0 {
			return nil, nil
		}
		at, ok := e.ordinals[v.String()]
		if !ok {
			return nil, &codecs.EncodeError{Type: e.typ, Reason: fmt.Sprintf("the declaration of %s has no constant %s", e.class.Name, errpath.Key(v.String()))}
		}
		ordinal = int64(at)
	case v.CanInt():
		ordinal = v.Int()
	default:
		ordinal = int64(min(v.Uint(), uint64(len(e.class.Constants))))
	}
	if ordinal < 0 || ordinal >= int64(len(e.class.Constants)) {
		return nil, &codecs.EncodeError{Type: e.typ, Reason: fmt.Sprintf("the declaration of %s has no constant with the ordinal %v", e.class.Name, v)}
	}
	out, _ := e.class.Enum(int(ordinal))
	return out, nil
}
