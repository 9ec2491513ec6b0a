package databind

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// declaredScalar reads a scalar whose class is declared, so that it is known what to
// make of a text.
func (r *reader) declaredScalar(i int, class string) (any, error) {
	k := &r.toks[i]
	if class == classUUID {
		return r.uuid(i)
	}
	if k.Kind == token.String && finalText(class) {
		if v, ok := r.exactText(class, r.text(k)); ok {
			return v, nil
		}
	}
	return r.convert(class, i)
}

const classUUID = "java.util.UUID"

// uuid reads a UUID that is declared as one: text, or the sixteen bytes.
func (r *reader) uuid(i int) (any, error) {
	k := &r.toks[i]
	switch b := r.tape.Text(k); k.Kind {
	case token.Null:
		return nil, nil
	case token.Bytes:
		if len(b) == len(java.UUID{}) {
			return java.UUID(b), nil
		}
		return nil, r.failClass(i, classUUID, "%d bytes are no UUID", len(b))
	case token.String:
		id, err := java.ParseUUID(string(b))
		if err != nil {
			return nil, r.failClass(i, classUUID, "%v", err)
		}
		return id, nil
	default:
		return nil, r.failClass(i, classUUID, "%s is no UUID", kindName(k.Kind))
	}
}

// uuidElement reads an element of a UUID[]: one that names its class where the
// release that is written does not, or the other way round, stays as it is.
func (r *reader) uuidElement(i int) (any, error) {
	k := &r.toks[i]
	bare := k.Kind == token.String || k.Kind == token.Bytes
	asWritten := bare == r.codec.rules.bareUUID()
	if bare && asWritten {
		return r.convert(classUUID, i)
	}
	v, err := r.at(i, openPlace)
	if id, ok := v.(java.UUID); ok && !asWritten {
		v = Scalar(classUUID, id.String())
	}
	if class := java.ClassOf(v); err == nil && class != classUUID && (k.Kind == token.Array || k.Kind == token.Object) && v != nil {
		return nil, r.failClass(i, classUUID, "an element of an array of it is of class %s", class)
	}
	return v, err
}

// convert turns a scalar into the value of a known class.
func (r *reader) convert(class string, i int) (any, error) {
	k := &r.toks[i]
	if k.Kind == token.Null && !strings.HasPrefix(class, nodePackage) {
		return nil, nil
	}
	if k.Kind == token.Opaque { // of its own class, which Java makes of it
		if class == classOpaque {
			return r.scalar(k), nil
		}
		return nil, r.failClass(i, class, "found %s, which is none of this class", kindName(k.Kind))
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
	case classAtomicLong, classAtomicInteger, classAtomicBoolean:
		return r.atomic(class, i)
	case "[C":
		return r.charArray(i)
	}
	return r.unlisted(class, i)
}

// unlisted turns a scalar into the value of a class that is not one of those that
// are treated one by one.
func (r *reader) unlisted(class string, i int) (any, error) {
	k, rules, b := &r.toks[i], r.rules, r.beans[class]
	isText, enum := k.Kind == token.String && k.Len > 0, enumLike(class) || jdkEnum(class)
	if class == nodePackage+"DecimalNode" {
		if v, err := r.fraction(classBigDecimal, i); err == nil {
			return Scalar(class, v), nil
		}
	}
	switch {
	case timeClass(class):
		return r.time(class, i)
	case class == classMonth && k.Kind == token.Int && k.Int() >= 1 && k.Int() <= int64(len(months)):
		return r.enum(class, months[k.Int()-1]), nil
	case k.Kind == token.Int && rules.hasTexts(class):
		return r.constant(class, i)
	case k.Kind == token.String && rules.hasTexts(class):
		return r.enum(class, rules.enumName(class, r.text(k))), nil
	case r.bare && calendarClass(class) && (k.Kind == token.Int || k.Kind == token.String):
		return r.date(java.ClassDate, i)
	case k.Kind == token.Int && (class == "java.util.Calendar" || class == "java.util.GregorianCalendar"):
		return calendar(class, k.Int()), nil
	case k.Kind == token.String && (class == "java.util.Calendar" || class == "java.util.GregorianCalendar"):
		return r.calendarText(class, r.text(k)), nil
	case class == classUUID && k.Kind == token.Bytes && k.Len == uint32(len(java.UUID{})):
		return java.UUID(r.tape.Text(k)), nil
	case isText && !enum && !dateClass(class):
		return r.jdkText(class, r.text(k)), nil
	case b != nil && b.enum != nil && r.within(): // at the root Java writes an enum without its class
		return r.constant(class, i)
	case isText && enum && r.within() && !r.bare:
		return java.Enum{Class: class, Name: rules.enumName(class, r.text(k)), Ordinal: -1}, nil
	case r.bare:
		return r.scalar(k), nil
	}
	return Scalar(class, r.scalar(k)), nil
}

// calendarText reads the text of a Calendar. One that would be written in another form stays as
// it is.
func (r *reader) calendarText(class, text string) any {
	if millis, ok := r.rules.parseUtilDate(text); ok {
		if written, isText := r.rules.dateText(java.Date{Millis: millis}); isText && written == text {
			return calendar(class, millis)
		}
	}
	return Scalar(class, text)
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
