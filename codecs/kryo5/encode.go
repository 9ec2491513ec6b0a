package kryo5

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// encoder writes one payload. It is used by one goroutine at a time.
type encoder struct {
	known    *catalog
	out      []byte
	depth    int
	maxDepth int
	classes  []*class // in the order of their name ids
	keys     []string // scratch for the order of Go maps
}

// value writes class and object, or null.
func (e *encoder) value(v any) error {
	if s, ok := v.(string); ok {
		e.out = append(e.out, idString)
		return e.string(s)
	}
	c, v, err := e.resolve(v)
	if err != nil {
		return err
	}
	e.class(c)
	if c == nil {
		return nil
	}
	return e.body(c, v)
}

func (e *encoder) string(s string) error {
	out, ok := appendString(e.out, s)
	if !ok {
		return &codecs.EncodeError{Codec: name, Type: reflect.TypeFor[string](), Reason: "the string is not UTF-8: use []byte for bytes"}
	}
	e.out = out
	return nil
}

// class writes a class id; nil means null.
func (e *encoder) class(c *class) {
	switch {
	case c == nil:
		e.out = append(e.out, idNull)
		return
	case c.id != 0:
		e.out = append(e.out, byte(c.id))
		return
	}
	e.out = append(e.out, idByName)
	for i, seen := range e.classes {
		if seen == c {
			e.out = appendUV32(e.out, uint32(i))
			return
		}
	}
	e.out = appendUV32(e.out, uint32(len(e.classes)))
	e.out = append(e.out, c.wire...)
	e.classes = append(e.classes, c)
}

// resolve returns the class of v, nil for null, and v as a value this codec
// writes directly: plain Go values other than the usual ones are lowered first.
func (e *encoder) resolve(v any) (*class, any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil, nil
	case string:
		return e.known.byID[idString], v, nil
	case int32:
		return e.known.byID[idInteger], v, nil
	case int64:
		return e.known.byID[idLong], v, nil
	case bool:
		return e.known.byID[idBoolean], v, nil
	case float64:
		return e.known.byID[idDouble], v, nil
	case map[string]any:
		if v == nil {
			return nil, nil, nil
		}
		return e.known.byName[java.ClassHashMap], v, nil
	case []any:
		if v == nil {
			return nil, nil, nil
		}
		return e.known.byName[java.ClassArrayList], v, nil
	case int:
		if v != int(int32(v)) {
			return nil, nil, &codecs.EncodeError{
				Codec: name, Type: reflect.TypeFor[int](),
				Reason: fmt.Sprintf("%d does not fit into java.lang.Integer: use int64 for java.lang.Long", v),
			}
		}
		return e.known.byID[idInteger], int32(v), nil
	}
	return e.resolveRest(v)
}

func (e *encoder) resolveRest(v any) (*class, any, error) {
	switch v := v.(type) {
	case int8:
		return e.known.byID[idByte], v, nil
	case int16:
		return e.known.byID[idShort], v, nil
	case float32:
		return e.known.byID[idFloat], v, nil
	case java.Char:
		return e.known.byID[idChar], v, nil
	}
	lowered, err := java.Lower(v)
	if err != nil {
		return nil, nil, encodeError(err)
	}
	switch lowered.(type) {
	case nil, string, bool, int8, int16, int32, int64, float32, float64, java.Char:
		return e.resolve(lowered)
	}
	c := e.known.byName[java.ClassOf(lowered)]
	if reason := unwritable(c, lowered); reason != "" {
		return nil, nil, &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(v), Reason: reason}
	}
	return c, lowered, nil
}

// unwritable returns why v cannot be written under its class, or "".
func unwritable(c *class, v any) string {
	class := java.ClassOf(v)
	_, isMap := v.(*java.Map)
	_, isList := v.(*java.List)
	switch _, isBean := v.(*java.Object); {
	case isBean:
		return fmt.Sprintf("beans (%s) are not carried by this release: use a map", class)
	case c == nil:
		return fmt.Sprintf("the class %q is not carried by this codec", class)
	case isMap != c.mapping || isList != c.list:
		return "a value of this kind cannot have the class " + class
	case c.readOnly:
		return fmt.Sprintf("Java can write %s but not read it back: use java.util.ArrayList or java.util.LinkedHashSet", class)
	}
	return ""
}

// body writes v, which resolve returned together with c.
func (e *encoder) body(c *class, v any) error {
	switch v := v.(type) {
	case string:
		return e.string(v)
	case int32:
		e.out = appendZZ32(e.out, v)
	case int64:
		e.out = appendZZ64(e.out, v)
	case bool:
		e.out = append(e.out, flagByte(v))
	case int8:
		e.out = append(e.out, byte(v))
	case []byte:
		if len(v) >= math.MaxInt32 {
			return tooLong(c)
		}
		e.out = append(appendUV32(e.out, uint32(len(v))+1), v...)
	case map[string]any:
		return e.goMap(v)
	case []any:
		return e.collection(c, v)
	case *java.Map:
		return e.javaMap(c, v)
	case *java.List:
		return e.collection(c, v.Elements)
	default:
		return e.fixed(c, v)
	}
	return nil
}

func tooLong(c *class) error {
	return &codecs.EncodeError{Codec: name, Reason: "longer than a " + c.name + " can be"}
}

func flagByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// bodyOrNull writes what objectOrNull reads.
func (e *encoder) bodyOrNull(c *class, v any) error {
	switch {
	case v == nil && c.id == idString:
		e.out = append(e.out, 0x80)
		return nil
	case v == nil:
		e.out = append(e.out, 0)
		return nil
	case !c.acceptsNull:
		e.out = append(e.out, 1)
	}
	return e.body(c, v)
}

// enter begins a container.
func (e *encoder) enter() error {
	if e.depth >= e.maxDepth {
		return &codecs.EncodeError{Codec: name, Reason: fmt.Sprintf("nested more than %d levels deep, or in itself", e.maxDepth)}
	}
	e.depth++
	return nil
}

// encodeError makes every error of encoding a [*codecs.EncodeError].
func encodeError(err error) error {
	var lower *java.LowerError
	if errors.As(err, &lower) {
		return &codecs.EncodeError{Codec: name, Type: lower.Type, Path: lower.Path, Reason: lower.Reason, Err: lower.Err}
	}
	return err
}

// underEncode puts part before the path of an encoding error.
func underEncode(part string, err error) error {
	var e *codecs.EncodeError
	if errors.As(err, &e) {
		e.Path = java.JoinPath(part, e.Path)
	}
	return err
}
