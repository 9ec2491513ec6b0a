package databind

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// typed reads the value at i, which is of the given class.
func (r *reader) typed(class string, i int) (any, error) { return r.typedIn(class, i, slotObject) }

// typedIn is typed where the elements of a list or map of the JDK stand in slots s.
func (r *reader) typedIn(class string, i int, s slot) (any, error) {
	if class == "" {
		return nil, r.fail(i, "the class of a wrapper array is empty")
	}
	kind := r.tape.Tokens[i].Kind
	switch {
	case kind != token.Array && kind != token.Null && listClass(class), kind == token.Object && descriptor(class):
		return nil, r.failClass(i, class, "found %s where an array is due", kindName(kind))
	case kind != token.Object && kind != token.Null && mapClass(class):
		return nil, r.failClass(i, class, "found %s where an object is due", kindName(kind))
	case kind == token.Object:
		return r.objectIn(i, class, -1, s)
	case kind == token.Array:
		if timeClass(class) {
			return r.time(class, i)
		}
		return r.typedArrayIn(class, i, s)
	}
	return r.convert(class, i)
}

// kindName names a kind of token in errors.
func kindName(k token.Kind) string {
	switch k {
	case token.Null:
		return "null"
	case token.Bool:
		return "a boolean"
	case token.Int, token.Big, token.Float, token.Decimal:
		return "a number"
	case token.String:
		return "a string"
	case token.Bytes:
		return "bytes"
	case token.Array:
		return "an array"
	case token.Object:
		return "an object"
	}
	return "a value of an extension type"
}

// typedArray reads an array that stands for a value of the given class.
func (r *reader) typedArray(class string, i int) (any, error) {
	return r.typedArrayIn(class, i, slotObject)
}

func (r *reader) typedArrayIn(class string, i int, s slot) (any, error) {
	switch {
	case strings.HasPrefix(class, nodePackage):
		return r.list(i, class, slotTree)
	case class == "[B":
		return r.byteArray(i)
	case descriptor(class):
		elem := component(class)
		return r.listBy(i, class, func(e int) (any, error) { return r.elementOf(elem, e) })
	case objectSlots(class):
		return r.list(i, class, s)
	}
	return r.list(i, class, slotOpen)
}

// elementOf reads an element of an array of elem.
func (r *reader) elementOf(elem string, i int) (any, error) {
	k := &r.tape.Tokens[i]
	scalar := k.Type == 0 && k.Kind != token.Array && k.Kind != token.Object
	switch {
	case k.Type != 0:
	case strings.HasPrefix(elem, "[") && k.Kind == token.Array && r.codec.rules.bareElements(elem):
		return r.typedArray(elem, i)
	case elem == "[B" && (k.Kind == token.String || k.Kind == token.Bytes):
		return r.typed(elem, i)
	case elem == "java.lang.Object" || elem == classJavaLong && !r.codec.rules.final(elem):
		return r.value(i, slotObject)
	case primitive(elem) != "" && scalar:
		return r.typed(primitive(elem), i)
	case (finalScalar(elem) || elem == classJavaLong) && scalar:
		return r.typed(elem, i)
	}
	return r.value(i, slotOpen)
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
func (r *reader) byteArray(i int) (any, error) {
	out := []byte{}
	err := r.elements(i, func(e int) error {
		k := &r.tape.Tokens[e]
		if k.Kind != token.Int || k.Int() < -128 || k.Int() > 255 {
			return r.failClass(e, "[B", "not a byte")
		}
		out = append(out, byte(k.Int()))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// convert turns a scalar into the value of a known class.
func (r *reader) convert(class string, i int) (any, error) {
	k := &r.tape.Tokens[i]
	if k.Kind == token.Null {
		return nil, nil
	}
	switch class {
	case "java.lang.Long", "java.lang.Integer", "java.lang.Short", "java.lang.Byte", "java.math.BigInteger":
		return r.whole(class, i)
	case "java.lang.Double", "java.lang.Float", "java.math.BigDecimal":
		return r.fraction(class, i)
	case "java.lang.String", "java.lang.Boolean", "java.lang.Character", "[B":
		return r.other(class, i)
	case java.ClassDate, "java.sql.Timestamp", "java.sql.Date", "java.sql.Time":
		return r.date(class, i)
	}
	if v, ok, err := r.special(class, i); ok || err != nil {
		return v, err
	}
	// At the root Java writes an enum without its class.
	if k.Kind == token.String && k.Len > 0 && r.within() && !r.bare && enumLike(class) {
		return java.Enum{Class: class, Name: r.codec.rules.enumName(class, r.text(k)), Ordinal: -1}, nil
	}
	if r.bare {
		return r.scalar(k), nil
	}
	return Scalar(class, r.scalar(k)), nil
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
