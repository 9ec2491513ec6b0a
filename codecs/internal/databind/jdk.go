package databind

import (
	"reflect"
	"strings"
	"unicode/utf16"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// jdk reads a scalar of those classes of the JDK that have a value of their own in
// package java. It reports false for others.
func (r *reader) jdk(class string, i int) (v any, ok bool, err error) {
	k := &r.toks[i]
	switch class {
	case "java.util.Calendar", "java.util.GregorianCalendar":
		if k.Kind == token.Int {
			return calendar(class, k.Int()), true, nil
		}
		if millis, isDate := r.rules.parseUtilDate(string(r.tape.Text(k))); k.Kind == token.String && isDate {
			if text, isText := r.rules.dateText(java.Date{Millis: millis}); isText && r.is(k, text) {
				return calendar(class, millis), true, nil
			}
		}
		return nil, false, nil
	case classAtomicLong, classAtomicInteger, classAtomicBoolean:
		v, err = r.atomic(class, i)
		return v, true, err
	case "[C":
		v, err = r.charArray(i)
		return v, true, err
	case nodePackage + "DecimalNode":
		if v, err = r.fraction(classBigDecimal, i); err == nil {
			return Scalar(class, v), true, nil
		}
		return nil, false, nil
	case classUUID:
		if k.Kind == token.Bytes && k.Len == uint32(len(java.UUID{})) {
			return java.UUID(r.tape.Text(k)), true, nil
		}
	}
	if k.Kind != token.String || k.Len == 0 || enumLike(class) || jdkEnum(class) || dateClass(class) {
		return nil, false, nil
	}
	return r.jdkText(class, r.text(k)), true, nil
}

// dateClass reports classes of which a text is another form of a number.
func dateClass(class string) bool {
	return strings.HasPrefix(class, "java.sql.") || class == java.ClassDate || calendarClass(class) || strings.HasPrefix(class, "java.util.concurrent.atomic.")
}

// jdkText returns the value of a class of the JDK that is shown as text. Where the text
// would not be written the same again, it stays one that only names its class.
func (r *reader) jdkText(class, text string) any {
	row := jdk.OfClass(class)
	if r.bare {
		if row != nil && row.FromText != nil && row.Go != textType {
			return text // into whatever takes one
		}
		return java.Text{Class: class, Value: text}
	}
	if !r.within() && r.codec.rules.final(class) {
		return Scalar(class, text) // what an AtomicReference held, or another release wrote
	}
	if v, ok := r.exactText(class, text); ok {
		return v
	}
	if class == classUUID || r.codec.rules.textID(class) != class {
		return Scalar(class, text)
	}
	return java.Text{Class: class, Value: text}
}

var textType = reflect.TypeFor[java.Text]()

// exactText returns the value that package java has for a text of a class, if the
// value spells it the same.
func (r *reader) exactText(class, text string) (any, bool) {
	t := jdk.OfClass(class)
	if t == nil || t.FromText == nil || t.Go == textType {
		return nil, false
	}
	v, err := t.FromText(text)
	return v, err == nil && r.codec.rules.shown(t, v) == text
}

// shown returns the text of a value that is written as one.
func (r *Rules) shown(t *jdk.Type, v any) string {
	if l, ok := v.(java.Locale); ok {
		return localeText(l, r.Jackson)
	}
	text, _ := t.Show(v)
	return text
}

// jdkEnum reports an enum of the JDK that is likely to be met.
func jdkEnum(class string) bool {
	switch class {
	case "java.util.concurrent.TimeUnit", "java.lang.Thread$State", "java.math.RoundingMode",
		"java.time.DayOfWeek", "java.time.Month", "java.time.temporal.ChronoUnit":
		return true
	}
	return false
}

// calendar returns the Calendar that Jackson makes of milliseconds: in UTC.
func calendar(class string, millis int64) *java.Calendar {
	return &java.Calendar{
		Class: class, Zone: "UTC", Millis: millis, Lenient: true, FirstDay: 1, MinimalDays: 1, Cutover: gregorianStart,
	}
}

const (
	classAtomicLong      = "java.util.concurrent.atomic.AtomicLong"
	classAtomicInteger   = "java.util.concurrent.atomic.AtomicInteger"
	classAtomicBoolean   = "java.util.concurrent.atomic.AtomicBoolean"
	classAtomicReference = "java.util.concurrent.atomic.AtomicReference"
)

// heldClass returns the class of what an Atomic class holds.
func heldClass(class string) string {
	switch class {
	case classAtomicLong:
		return classJavaLong
	case classAtomicInteger:
		return "java.lang.Integer"
	case classAtomicBoolean:
		return "java.lang.Boolean"
	}
	return ""
}

// atomic reads the value at i as that of an Atomic class.
func (r *reader) atomic(class string, i int) (any, error) {
	v, err := r.convert(heldClass(class), i)
	if err != nil {
		return nil, err
	}
	return &java.Object{Class: class, Fields: []java.Field{{Name: "value", Value: v}}}, nil
}

// chars returns the UTF-16 units of a text.
func chars(text string) []java.Char {
	out := make([]java.Char, 0, len(text))
	for len(text) > 0 {
		c, n := javatext.DecodeRune(text)
		text = text[n:]
		if c > 0xFFFF {
			high, low := utf16.EncodeRune(c)
			out = append(out, java.Char(high), java.Char(low))
			continue
		}
		out = append(out, java.Char(c))
	}
	return out
}

// charsText is the reverse of chars: surrogates that belong together join.
func charsText(units []java.Char) string {
	var b strings.Builder
	for i := 0; i < len(units); i++ {
		if i+1 < len(units) {
			if c := utf16.DecodeRune(rune(units[i]), rune(units[i+1])); c != '\uFFFD' {
				b.WriteRune(c)
				i++
				continue
			}
		}
		b.WriteString(charText(units[i]))
	}
	return b.String()
}

// charArray reads a char[]: a text, or an array of texts.
func (r *reader) charArray(i int) (any, error) {
	switch k := &r.toks[i]; k.Kind {
	case token.Null:
		return nil, nil
	case token.String:
		return chars(string(r.tape.Text(k))), nil
	case token.Array:
		return r.primitiveArray("[C", i)
	default:
		return nil, r.failClass(i, "[C", "found %s where a string is due", kindName(k.Kind))
	}
}
