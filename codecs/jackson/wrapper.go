package jackson

import (
	"encoding/base64"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

// typed reads the value of a wrapper of the given class.
func (r *reader) typed(class string) (any, error) {
	if class == "" {
		return nil, r.fail(r.pos, "the class of a wrapper array is empty")
	}
	switch c := r.space(); {
	case c != '[' && c != 'n' && listClass(class), c == '{' && descriptor(class):
		return nil, r.failClass(r.pos, class, "found %q where an array is due", c)
	case c != '{' && c != 'n' && mapClass(class):
		return nil, r.failClass(r.pos, class, "found %q where an object is due", c)
	case c == '{':
		return r.objectOf(class, false)
	case c == '[':
		return r.typedArray(class)
	}
	at := r.pos
	v, err := r.value(slotTree)
	if err != nil || v == nil {
		return nil, err
	}
	if o, ok := v.(*java.Object); ok {
		v, _ = ScalarValue(o)
	}
	return r.convert(class, v, at)
}

// typedArray reads a JSON array that stands for a value of the given class.
func (r *reader) typedArray(class string) (any, error) {
	switch {
	case strings.HasPrefix(class, nodePackage):
		return r.list(class, slotTree)
	case class == "[B":
		return r.byteArray()
	case descriptor(class):
		return r.elementsOf(class)
	case objectSlots(class):
		return r.list(class, slotObject)
	}
	return r.list(class, slotOpen)
}

// elementsOf reads an array whose elements are declared by its descriptor.
func (r *reader) elementsOf(class string) (any, error) {
	elem := component(class)
	l := &java.List{Class: class, Elements: []any{}}
	err := r.elements(func() error {
		v, err := r.declared(elem)
		l.Elements = append(l.Elements, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// declared reads an element of an array of elem.
func (r *reader) declared(elem string) (any, error) {
	c := r.space()
	switch {
	case strings.HasPrefix(elem, "[") && c == '[' && bareRootArray(elem):
		return r.typedArray(elem)
	case elem == "[B" && c == '"':
		return r.typed(elem)
	case elem == "java.lang.Object" || elem == "java.lang.Long":
		return r.value(slotObject)
	case primitive(elem) != "" && c != '[' && c != '{':
		return r.typed(primitive(elem))
	case finalScalar(elem) && c != '[' && c != '{':
		return r.typed(elem)
	}
	return r.value(slotOpen)
}

// primitive returns the wrapper class of a primitive in descriptor form.
func primitive(d string) string {
	switch d {
	case "I":
		return "java.lang.Integer"
	case "J":
		return "java.lang.Long"
	case "S":
		return "java.lang.Short"
	case "D":
		return "java.lang.Double"
	case "F":
		return "java.lang.Float"
	case "Z":
		return "java.lang.Boolean"
	}
	return ""
}

// byteArray reads [1,2] as Java reads it for a byte[].
func (r *reader) byteArray() (any, error) {
	out := []byte{}
	err := r.elements(func() error {
		at := r.pos
		v, err := r.value(slotTree)
		if err != nil {
			return err
		}
		n, ok := v.(int32)
		if !ok || n < -128 || n > 255 {
			return r.failClass(at, "[B", "not a byte")
		}
		out = append(out, byte(n))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// convert turns a bare JSON scalar into the value of a known class.
func (r *reader) convert(class string, v any, at int) (any, error) {
	switch class {
	case "java.lang.Long", "java.lang.Integer", "java.lang.Short", "java.lang.Byte", "java.math.BigInteger":
		return r.whole(class, v, at)
	case "java.lang.Double", "java.lang.Float", "java.math.BigDecimal":
		return r.fraction(class, v, at)
	case "java.lang.String", "java.lang.Boolean", "java.lang.Character", "[B":
		return r.other(class, v, at)
	case java.ClassDate, "java.sql.Timestamp", "java.sql.Date", "java.sql.Time":
		switch n := bigOf(v); {
		case n != nil && n.IsInt64():
			return java.Date{Class: class, Millis: n.Int64()}, nil
		case !isText(v):
			return nil, r.failClass(at, class, "not the milliseconds of a date")
		}
	}
	// At the root Java writes an enum without its class.
	if s, ok := v.(string); ok && s != "" && r.nest > 0 && !r.bare && enumLike(class) {
		return java.Enum{Class: class, Name: s, Ordinal: -1}, nil
	}
	if r.bare {
		return v, nil
	}
	return Scalar(class, v), nil
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

// enumLike reports whether a class with a text is taken for an enum: those
// outside the JDK. A wrong guess changes nothing in the bytes written.
func enumLike(class string) bool {
	for _, p := range [...]string{"java.", "javax.", "sun.", "["} {
		if strings.HasPrefix(class, p) {
			return false
		}
	}
	return true
}

var wholeRange = map[string][2]int64{
	"java.lang.Long":    {math.MinInt64, math.MaxInt64},
	"java.lang.Integer": {math.MinInt32, math.MaxInt32},
	"java.lang.Short":   {math.MinInt16, math.MaxInt16},
	"java.lang.Byte":    {math.MinInt8, math.MaxUint8}, // Jackson takes 128…255 as negative
}

func (r *reader) whole(class string, v any, at int) (any, error) {
	if s, ok := v.(string); ok {
		s = strings.TrimSpace(s)
		if n, ok := new(big.Int).SetString(s, 10); ok && len(s) <= maxNumber && !strings.Contains(s, "_") {
			v = n
		}
	}
	if n, ok := v.(int32); ok && class == "java.lang.Long" {
		return int64(n), nil
	}
	if n, ok := v.(int64); ok && class == "java.lang.Long" {
		return n, nil
	}
	n := bigOf(v)
	if n == nil {
		return nil, r.failClass(at, class, "not a whole number")
	}
	if class == "java.math.BigInteger" {
		return n, nil
	}
	limits := wholeRange[class]
	if !n.IsInt64() || n.Int64() < limits[0] || n.Int64() > limits[1] {
		return nil, r.failClass(at, class, "%s is out of range", n)
	}
	switch i := n.Int64(); class {
	case "java.lang.Integer":
		return int32(i), nil
	case "java.lang.Short":
		return int16(i), nil
	case "java.lang.Byte":
		return int8(i), nil
	default:
		return i, nil
	}
}

func (r *reader) fraction(class string, v any, at int) (any, error) {
	lit := strings.TrimSpace(string(r.b[at:r.pos]))
	if s, ok := v.(string); ok {
		lit = strings.TrimSpace(s)
	}
	if _, isBool := v.(bool); isBool || len(lit) > maxNumber {
		return nil, r.failClass(at, class, "not a number")
	}
	if class == "java.math.BigDecimal" {
		d, ok := parseDecimal(lit)
		if !ok {
			return nil, r.failClass(at, class, "not a decimal number")
		}
		return d, nil
	}
	f, ok := javaFloat(lit, class)
	if !ok {
		return nil, r.failClass(at, class, "not a number")
	}
	return f, nil
}

func (r *reader) other(class string, v any, at int) (any, error) {
	switch s, isText := v.(string); class {
	case "java.lang.String":
		if isText {
			return s, nil
		}
		return strings.TrimSpace(string(r.b[at:r.pos])), nil
	case "java.lang.Boolean":
		if b, ok := v.(bool); ok {
			return b, nil
		}
		if b, err := strconv.ParseBool(s); err == nil && (s == "true" || s == "false") {
			return b, nil
		}
	case "java.lang.Character":
		if c, ok := character(v); ok {
			return c, nil
		}
	default:
		if b, err := base64.StdEncoding.DecodeString(s); isText && err == nil {
			return b, nil
		}
		return nil, r.failClass(at, class, "not base64")
	}
	return nil, r.failClass(at, class, "not of this class")
}
