package databind

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// typed reads the value at i, which is of the given class.
func (r *reader) typed(class string, i int) (any, error) { return r.typedIn(class, i, slotObject) }

// typedIn is typed where the elements of a list or map of the JDK are in slots s.
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
	default:
		return "a value of an extension type"
	}
}

// typedArray reads an array that represents a value of the given class.
func (r *reader) typedArray(class string, i int) (any, error) {
	return r.typedArrayIn(class, i, slotObject)
}

func (r *reader) typedArrayIn(class string, i int, s slot) (any, error) {
	switch {
	case strings.HasPrefix(class, nodePackage):
		return r.list(i, class, slotTree)
	case len(class) == 2 && descriptor(class):
		return r.primitiveArray(class, i)
	case descriptor(class):
		elem := component(class)
		return r.listBy(i, class, func(e int) (any, error) { return r.elementOf(elem, e) })
	case objectSlots(class):
		return r.list(i, class, s)
	}
	if of, ok := enumSetOf(class); ok {
		return r.enumSet(i, of)
	}
	return r.list(i, class, slotOpen)
}

// elementOf reads an element of an array of elem.
func (r *reader) elementOf(elem string, i int) (any, error) {
	k := &r.tape.Tokens[i]
	b, rules := r.beans[elem], &r.codec.rules
	switch {
	case k.Type != 0:
	case elem == classUUID && !r.bare:
		return r.uuidElement(i)
	case k.Kind == token.Array && strings.HasPrefix(elem, "[") && rules.bareArray(elem, r.beans):
		return r.typedArray(elem, i)
	case elem == "[B" || elem == "[C":
		return r.typed(elem, i)
	case elem == "java.lang.Object" || elem == classJavaLong && !rules.final(elem):
		return r.value(i, slotObject)
	case k.Kind == token.Object && b != nil && b.final:
		return r.declaredBean(i, b)
	case k.Kind == token.Array && b != nil && !b.final:
		return r.nonFinal(i)
	case k.Kind == token.Array || k.Kind == token.Object:
	case b != nil && b.enum != nil:
		return r.constant(elem, i)
	case finalScalar(elem) || elem == classJavaLong || elem == classUUID || finalText(elem):
		return r.convert(elem, i)
	}
	return r.value(i, slotOpen)
}

// uuidElement reads an element of a UUID[]: one that names its class where the
// release that is written does not, or the other way round, stays as it is.
func (r *reader) uuidElement(i int) (any, error) {
	k := &r.tape.Tokens[i]
	if bare := k.Kind == token.String || k.Kind == token.Bytes; bare == r.codec.rules.bareUUID() {
		if bare {
			return r.convert(classUUID, i)
		}
		return r.value(i, slotOpen)
	}
	v, err := r.value(i, slotOpen)
	if id, ok := v.(java.UUID); ok {
		return Scalar(classUUID, id.String()), err
	}
	return v, err
}

// convert turns a scalar into the value of a known class.
func (r *reader) convert(class string, i int) (any, error) {
	k := &r.tape.Tokens[i]
	if k.Kind == token.Null && !strings.HasPrefix(class, nodePackage) {
		return nil, nil
	}
	switch class {
	case "java.lang.Long", "java.lang.Integer", "java.lang.Short", "java.lang.Byte", "java.math.BigInteger":
		return r.whole(class, i)
	case "java.lang.Double", "java.lang.Float", classBigDecimal:
		return r.fraction(class, i)
	case "java.lang.String", "java.lang.Boolean", "java.lang.Character", "[B":
		return r.other(class, i)
	case java.ClassDate, "java.sql.Timestamp", "java.sql.Date", "java.sql.Time":
		return r.date(class, i)
	}
	if v, ok, err := r.special(class, i); ok || err != nil {
		return v, err
	}
	return r.unlisted(class, i)
}

// unlisted turns a scalar into the value of a class that is not one of those that
// are treated one by one.
func (r *reader) unlisted(class string, i int) (any, error) {
	k := &r.tape.Tokens[i]
	if v, ok, err := r.jdk(class, i); ok || err != nil {
		return v, err
	}
	if b := r.beans[class]; b != nil && b.enum != nil && r.within() {
		return r.constant(class, i)
	}
	// At the root Java writes an enum without its class.
	if k.Kind == token.String && k.Len > 0 && r.within() && !r.bare && (enumLike(class) || jdkEnum(class)) {
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
