package databind

import (
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// binding carries one Go type.
type binding struct {
	codec *Codec
	plan  *java.Plan
	bare  bool   // values of classes without a Go value lose the class
	root  string // what Java writes bare at the root only; see rootClass
	beans map[string]*bean
	top   *declared  // what the root is declared as, for codecs that name no classes
	typed *typedPlan // nil where there is none
}

const classBigDecimal = "java.math.BigDecimal"

// javaType reports whether t holds Java values as they are.
func javaType(t reflect.Type) bool { return t == anyType || exactType(t) }

// rootClass returns the class that a bare value has when it is read as the
// root into t: Java leaves these classes out there, and only there.
func rootClass(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[java.Char]():
		return "java.lang.Character"
	case t == reflect.TypeFor[java.BigDecimal]():
		return classBigDecimal
	case t == reflect.TypeFor[*big.Int]():
		return "java.math.BigInteger"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "[B"
	case t.Kind() == reflect.Float32:
		return "java.lang.Float"
	case t.Kind() == reflect.Float64:
		return "java.lang.Double"
	case t.Kind() == reflect.Array && t.Elem().Kind() == reflect.Uint8 && t.Len() == len(java.UUID{}):
		return classUUID
	case t.Kind() == reflect.Struct:
		if java.DescribeType(t, java.TypeExpr{}, codecs.BindOptions{}).Class == classBigDecimal {
			return classBigDecimal
		}
		if class := java.ClassOf(reflect.Zero(t).Interface()); timeClass(class) {
			return class
		}
	}
	return ""
}

func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	if b.codec.err != nil {
		return dst, b.codec.encodeError(value)
	}
	if out, ok := b.typed.append(dst, value); ok {
		return out, nil
	}
	if b.typed != nil && isPointerTo(value, b.typed.pointer) {
		value = reflect.ValueOf(value).Elem().Interface()
	}
	low, err := b.plan.Lower(value)
	if err != nil {
		return dst, java.EncodeError(b.codec.Name(), err)
	}
	return b.codec.appendAs(dst, low, b.beans, b.top)
}

func (b *binding) Decode(payload []byte, target any) error {
	if b.typed.decode(payload, target) {
		return nil
	}
	v, err := b.value(payload)
	if err == nil {
		err = java.DecodeError(b.codec.Name(), b.plan.AssignKeys(v, target, readKey))
	}
	if err != nil {
		return b.codec.hint(payload, err)
	}
	return nil
}

// value reads payload; where the root is a bare scalar, as what the Go type
// says it is.
func (b *binding) value(payload []byte) (any, error) {
	r, err := b.codec.open(payload, b.bare, b.beans)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if b.top != nil {
		return r.declaredValue(0, b.top)
	}
	if b.root == "" || r.tape.Tokens[0].Type != 0 {
		return r.value(0, slotRoot)
	}
	switch r.tape.Tokens[0].Kind {
	case token.String, token.Int, token.Float, token.Decimal, token.Bytes:
		if b.root == classUUID {
			return r.uuid(0)
		}
		return r.convert(b.root, 0)
	case token.Array:
		if timeClass(b.root) && !r.wrapped(0) {
			return r.time(b.root, 0)
		}
		return r.value(0, slotRoot)
	default:
		return r.value(0, slotRoot)
	}
}
