package jackson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// jsonForms writes a payload anew, with dates and numbers in another form: by the Go type for
// which it is meant, between what encoding/json knows and what Java knows.
type jsonForms struct {
	codec *plainCodec
	tape  *token.Tape
	// leaf returns the other form of a date or number, "" where it stays; false where there is none.
	leaf func(c *plainCodec, t reflect.Type, text []byte, quoted, stringed bool) (string, bool)
	out  []byte // up to done in the payload; nil where nothing changed
	done int
	bad  int // the token that has no form, or -1
}

var timeType = reflect.TypeFor[time.Time]()

// walk looks at the value of token i and returns the token behind it.
func (f *jsonForms) walk(t reflect.Type, i int, stringed bool) int {
	k := &f.tape.Tokens[i]
	next := int(k.Next)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == timeType || !ownForm(t) && t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64:
		f.scalar(t, i, stringed)
	case ownForm(t):
	case k.Kind == token.Array && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		for at := i + 1; at < next; {
			at = f.walk(t.Elem(), at, false)
		}
	case k.Kind == token.Object && t.Kind() == reflect.Map:
		for at := i + 1; at < next; {
			at = f.walk(t.Elem(), at+1, false)
		}
	case k.Kind == token.Object && t.Kind() == reflect.Struct:
		fields := fieldsOf(t)
		for at := i + 1; at < next; {
			field, ok := fields.find(string(f.tape.Text(&f.tape.Tokens[at])))
			if at++; ok {
				at = f.walk(field.typ, at, field.stringed)
			} else {
				at = int(f.tape.Tokens[at].Next)
			}
		}
	default:
	}
	return next
}

func (f *jsonForms) scalar(t reflect.Type, i int, stringed bool) {
	k := &f.tape.Tokens[i]
	begin := int(k.At)
	var end int
	text := f.tape.Text(k)
	switch k.Kind {
	case token.String:
		end = begin + 1
		for f.tape.Payload[end] != '"' {
			if f.tape.Payload[end] == '\\' {
				end++
			}
			end++
		}
		end++
	case token.Int, token.Big, token.Float:
		n := bytes.IndexFunc(f.tape.Payload[begin:], func(r rune) bool { return !strings.ContainsRune("+-.eE0123456789", r) })
		if end = begin + n; n < 0 {
			end = len(f.tape.Payload)
		}
		text = f.tape.Payload[begin:end]
	default:
		return
	}
	form, ok := f.leaf(f.codec, t, text, k.Kind == token.String, stringed)
	switch {
	case !ok:
		f.bad = i
	case form != "":
		f.out = append(append(f.out, f.tape.Payload[f.done:begin]...), form...)
		f.done = end
	}
}

func (f *jsonForms) end() []byte { return append(f.out, f.tape.Payload[f.done:]...) }

// readForm returns what encoding/json takes for what Java wrote.
func readForm(c *plainCodec, t reflect.Type, text []byte, quoted, stringed bool) (string, bool) {
	trimmed := string(bytes.TrimSpace(text))
	switch {
	case quoted && trimmed == "":
		return "null", true
	case t == timeType:
		at, ok := c.ParseDate(trimmed)
		return at.Format(strconv.Quote(time.RFC3339Nano)), ok
	case stringed && !quoted:
		return strconv.Quote(trimmed), true
	case stringed || !quoted:
		return "", true
	}
	switch n := reflect.New(t).Elem(); {
	case n.CanFloat():
		if _, err := strconv.ParseFloat(trimmed, 64); err == nil && json.Valid([]byte(trimmed)) {
			return trimmed, true
		}
	case n.CanUint():
		if u, err := strconv.ParseUint(trimmed, 10, 64); err == nil {
			return strconv.FormatUint(u, 10), true
		}
	default:
		if i, err := strconv.ParseInt(trimmed, 10, 64); err == nil {
			return strconv.FormatInt(i, 10), true
		}
	}
	return "", true
}

// writeForm returns what Java takes for what encoding/json wrote.
func writeForm(c *plainCodec, t reflect.Type, text []byte, quoted, _ bool) (string, bool) {
	switch {
	case t == timeType && (c.Mapper.Dates != databind.NoDates || c.Mapper.DateFormat != ""):
		at, err := time.Parse(time.RFC3339Nano, string(text))
		if err != nil {
			return "", false
		}
		return c.DateForm(at)
	case !quoted && c.Mapper.LongAsText:
		switch t.Kind() {
		case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64:
			return strconv.Quote(string(text)), true
		default:
		}
	}
	return "", true
}

// jsonField is a field as encoding/json sees it.
type jsonField struct {
	typ      reflect.Type
	stringed bool // its tag has the flag string
	depth    int
}

type jsonFields map[string]jsonField

var knownFields sync.Map // jsonFields by reflect.Type

func fieldsOf(t reflect.Type) jsonFields {
	if known, ok := knownFields.Load(t); ok {
		return known.(jsonFields)
	}
	fields := jsonFields{}
	for _, f := range reflect.VisibleFields(t) {
		name, ok := jsonName(f)
		if other, twice := fields[name]; !ok || twice && other.depth <= len(f.Index) || f.Anonymous && f.Tag.Get("json") == "" {
			continue
		}
		_, flags, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields[name] = jsonField{f.Type, strings.Contains(","+flags+",", ",string,"), len(f.Index)}
	}
	knownFields.Store(t, fields)
	return fields
}

// find returns the field of a name, in any case where none has the very name.
func (f jsonFields) find(name string) (jsonField, bool) {
	if field, ok := f[name]; ok {
		return field, true
	}
	for n, field := range f {
		if strings.EqualFold(n, name) {
			return field, true
		}
	}
	return jsonField{}, false
}
