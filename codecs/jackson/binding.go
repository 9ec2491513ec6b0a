package jackson

import (
	"errors"
	"math/big"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// binding carries one Go type.
type binding struct {
	codec *Codec
	plan  *java.Plan
	bare  bool   // values of classes without a Go value lose the class
	root  string // what Java writes bare at the root only; see rootClass
	beans map[string]*bean
}

// javaType reports whether t holds Java values as they are.
func javaType(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[any](), reflect.TypeFor[*java.Map](), reflect.TypeFor[*java.List](),
		reflect.TypeFor[*java.Object](), reflect.TypeFor[java.Enum]():
		return true
	}
	return false
}

// rootClass returns the class that a bare JSON value has when it is read as the
// root into t: Java leaves these classes out there, and only there.
func rootClass(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[java.Char]():
		return "java.lang.Character"
	case t == reflect.TypeFor[java.BigDecimal]():
		return "java.math.BigDecimal"
	case t == reflect.TypeFor[*big.Int]():
		return "java.math.BigInteger"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "[B"
	case t.Kind() == reflect.Float32:
		return "java.lang.Float"
	case t.Kind() == reflect.Float64:
		return "java.lang.Double"
	}
	return ""
}

func (b *binding) Append(dst []byte, value any) ([]byte, error) {
	low, err := b.plan.Lower(value)
	if err != nil {
		return dst, encodeError(err)
	}
	return b.codec.append(dst, low, b.beans)
}

func (b *binding) Decode(payload []byte, target any) error {
	v, err := b.value(payload)
	if err != nil {
		return err
	}
	if err := b.plan.Assign(v, target); err != nil {
		return decodeError(err)
	}
	return nil
}

// value reads payload; where the root is a bare scalar, as what the Go type
// says it is.
func (b *binding) value(payload []byte) (any, error) {
	r, err := open(payload, b.codec.limits, b.bare)
	if err != nil {
		return nil, err
	}
	r.beans = b.beans
	at := r.pos
	v, err := r.value(slotRoot)
	if err != nil || b.root == "" {
		return v, err
	}
	switch v.(type) {
	case string, int32, float64:
		if r.b[at] != '[' {
			return r.convert(b.root, v, at)
		}
	}
	return v, nil
}

// decodeError turns the errors of package java into codec errors.
func decodeError(err error) error {
	e := &codecs.DecodeError{Codec: Name, Offset: -1, Err: err}
	var a *java.AssignError
	if errors.As(err, &a) {
		e.Class, e.Path, e.Reason, e.Err = a.Class, a.Path, a.Error(), nil
		if a.Path != "" {
			bare := *a
			bare.Path = ""
			e.Reason = bare.Error()
		}
	}
	return e
}
