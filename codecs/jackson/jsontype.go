package jackson

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

func tooManyBytes(n, limit int) string {
	return fmt.Sprintf("payload of %d bytes, the limit is %d (Limits.Bytes)", n, limit)
}

// jsonWalk looks through a Go type for what encoding/json cannot carry, and for
// interfaces.
type jsonWalk struct {
	seen map[reflect.Type]bool
	errs []error
	open bool // there is an interface
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// ownForm reports whether a type, or a pointer to it, says itself how it is written.
func ownForm(t reflect.Type) bool {
	for _, t := range [...]reflect.Type{t, reflect.PointerTo(t)} {
		if t.Implements(marshaler) || t.Implements(textMarshaler) {
			return true
		}
	}
	return false
}

func (w *jsonWalk) visit(t reflect.Type, path string) {
	if w.seen[t] || ownForm(t) {
		return
	}
	w.seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		w.open = true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		w.visit(t.Elem(), path)
	case reflect.Map:
		switch k := t.Key(); {
		case k.Kind() == reflect.String, k.Implements(textMarshaler), k.Kind() >= reflect.Int && k.Kind() <= reflect.Uintptr:
		default:
			w.fail(t, path, "encoding/json has no keys of this type: use strings, integers or a type with MarshalText")
		}
		w.visit(t.Elem(), java.JoinPath(path, "[]"))
	case reflect.Struct:
		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Tag.Get("json") != "-" && (f.IsExported() || f.Anonymous) {
				if name == "" {
					name = f.Name
				}
				w.visit(f.Type, java.JoinPath(path, name))
			}
		}
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		w.fail(t, path, "encoding/json does not carry it: tag the field json:\"-\" or give the type a MarshalJSON method")
	default:
	}
}

func (w *jsonWalk) fail(t reflect.Type, path, reason string) {
	w.errs = append(w.errs, &codecs.BindError{Codec: NameJSON, Type: t, Path: path, Reason: reason})
}

// maxTextWalk bounds how deep invalidText looks. Values that go round were refused.
const maxTextWalk = 1000

// invalidText returns where a value holds a text that is not UTF-8.
func invalidText(v reflect.Value) (path string, bad bool) { return findInvalid(v, "", maxTextWalk) }

func findInvalid(v reflect.Value, path string, depth int) (string, bool) {
	if !v.IsValid() || depth == 0 || ownForm(v.Type()) {
		return "", false
	}
	depth--
	switch v.Kind() {
	case reflect.String:
		return path, !utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return findInvalid(v.Elem(), path, depth)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if at, bad := findInvalid(v.Index(i), path+"["+strconv.Itoa(i)+"]", depth); bad {
				return at, true
			}
		}
	case reflect.Map:
		for k, e := range v.Seq2() {
			if k.Kind() == reflect.String && !utf8.ValidString(k.String()) {
				return java.JoinPath(path, "[key]"), true
			}
			if at, bad := findInvalid(e, java.JoinPath(path, java.Key(fmt.Sprint(k))), depth); bad {
				return at, true
			}
		}
	case reflect.Struct:
		for f, e := range v.Fields() {
			if !f.IsExported() && !f.Anonymous || f.Tag.Get("json") == "-" {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			if at, bad := findInvalid(e, java.JoinPath(path, name), depth); bad {
				return at, true
			}
		}
	default:
	}
	return "", false
}
