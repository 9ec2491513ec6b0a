package databind

import (
	"bytes"
	"reflect"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// exactFloat returns a fraction as Double, or as BigDecimal where a Double would be
// written with other digits: nothing says which of the two it was.
func (r *reader) exactFloat(k *token.Token) any {
	if r.bare || k.Flags&token.FlagLiteral == 0 {
		return r.scalar(k)
	}
	f := r.tape.Float(k)
	if literal := r.tape.Text(k); !bytes.Equal(javatext.AppendDouble(nil, f), literal) {
		// One with a large exponent might be written with more digits than are read.
		if d, ok := parseDecimal(string(literal)); ok && d.Scale > -MaxNumber/2 && d.Scale < MaxNumber/2 && len(literal) < MaxNumber/2 {
			return d
		}
	}
	return f
}

func calendarClass(class string) bool {
	switch class {
	case "java.util.Calendar", "java.util.GregorianCalendar", "javax.xml.datatype.XMLGregorianCalendar":
		return true
	}
	return false
}

func (r *reader) enum(class, name string) any {
	if r.bare {
		return name
	}
	return java.Enum{Class: class, Name: name, Ordinal: -1}
}

// date reads a java.util.Date or one of java.sql: milliseconds, or a text. Without
// a Go type, one that would be written in another form stays as it is.
func (r *reader) date(class string, i int) (any, error) {
	k := &r.toks[i]
	d := java.Date{Class: class}
	switch k.Kind {
	case token.Int:
		d.Millis = k.Int()
		if written, text := r.rules.dateText(d); !r.bare && text && written != "" {
			return Scalar(class, r.scalar(k)), nil
		}
		return d, nil
	case token.String:
	default:
		return nil, r.failClass(i, class, "not the milliseconds of a date")
	}
	text := r.text(k)
	if r.blank(text) {
		return nil, nil
	}
	millis, ok := r.rules.parseUtilDate(text)
	if class == classSQLTime {
		millis, ok = parseSQLTime(text)
	}
	d.Millis = millis
	switch written, isText := r.rules.dateText(d); {
	case ok && (r.bare || isText && written == text):
		return d, nil
	case r.bare:
		return nil, r.failClass(i, class, "the text is no date")
	}
	return Scalar(class, text), nil
}

// blank reports whether a text is null for Java: where a number or date is due.
func (r *reader) blank(text string) bool {
	return r.bare && r.rules.Jackson == 2 && strings.TrimSpace(text) == ""
}

// time reads a value of a class of java.time. Without a Go type, one that would
// be written in another form stays as it is.
func (r *reader) time(class string, i int) (any, error) {
	if r.toks[i].Kind == token.Null {
		return nil, nil
	}
	bare, err := r.timeForm(i)
	if err != nil {
		return nil, err
	}
	t := jdk.TimeClass(class)
	text, isText := bare.(string)
	if isText && r.blank(text) {
		return nil, nil
	}
	if isText && r.rules.local[class] != nil {
		p := r.rules.local[class]
		if parts, ok := p.parse(t, text); ok {
			if written, ok := p.local(t, &parts); r.bare || ok && written == text {
				return t.Join(&parts), nil
			}
		}
		if !r.bare {
			return Scalar(class, text), nil
		}
	}
	v, ok := parseTime(t, bare)
	switch {
	case ok && r.bare:
		return v, nil
	case r.bare:
		return nil, r.failClass(i, class, "not a value of this class")
	case ok && r.rules.local[class] == nil:
		if written, known := bareTime(t, v, r.rules.timesForm(), r.rules.contextZone()); known && sameForm(written, bare) {
			return v, nil
		}
	}
	if d, decimal := bare.(java.BigDecimal); decimal && d.Scale < minSecondsScale { // too many digits to be written
		if !ok {
			return nil, r.failClass(i, class, "not a value of this class")
		}
		return v, nil
	}
	switch r.toks[i].Kind {
	case token.Array:
		return r.listBy(i, class, func(e int) (any, error) { return r.at(e, openPlace) })
	case token.Object:
		return r.fieldsOf(i, &bean{class: class}, openPlace, -1)
	default:
	}
	return Scalar(class, bare), nil
}

// timeForm returns the value at i as parseTime takes it.
func (r *reader) timeForm(i int) (any, error) {
	k := &r.toks[i]
	switch k.Kind {
	case token.Float:
		if text, ok := r.numberText(k); ok {
			if d, ok := parseDecimal(text); ok {
				return d, nil
			}
		}
		return nil, r.fail(i, "not a number of seconds")
	case token.Array:
		if k.N > 8 {
			return nil, nil
		}
		out := make([]any, 0, k.N)
		for e := i + 1; e < int(k.Next); e = int(r.toks[e].Next) {
			out = append(out, r.scalar(&r.toks[e]))
		}
		return out, nil
	case token.Object:
		defer r.plain(true)()
		return r.fieldsOf(i, &bean{}, treePlace, -1)
	default:
	}
	return r.scalar(k), nil
}

// sameForm reports whether two results of bareTime are the same on the wire.
func sameForm(a, b any) bool {
	x, decimal := a.(java.BigDecimal)
	y, other := b.(java.BigDecimal)
	if decimal && other {
		return x.Scale == y.Scale && x.String() == y.String()
	}
	return reflect.DeepEqual(a, b)
}
