package view

import (
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
)

// string writes s as JSON, with lone surrogates as escapes.
func (w *viewer) string(s string) {
	const hex = "0123456789abcdef"
	w.out = append(w.out, '"')
	for len(s) > 0 {
		r, n := javatext.DecodeRune(s)
		switch {
		case r == '"' || r == '\\':
			w.out = append(w.out, '\\', byte(r))
		case r == '\n':
			w.text(`\n`)
		case r == '\t':
			w.text(`\t`)
		case r < 0x20 || r == 0x7f || r >= 0xd800 && r < 0xe000 || r == 0x2028 || r == 0x2029:
			w.out = append(w.out, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			w.out = utf8.AppendRune(w.out, r)
		}
		s = s[n:]
	}
	w.out = append(w.out, '"')
}

// foreign shows a Go value as what it would be encoded as.
func (w *viewer) foreign(v any, depth int) {
	lowered, err := bridge.LowerShared(v)
	if err == nil && reflect.TypeOf(lowered) != reflect.TypeOf(v) {
		w.value(lowered, depth)
		return
	}
	w.open("")
	w.string(foreignText(v))
	w.close()
}

// foreignText shows a Go value that has no Java form; those that can contain
// themselves by their type alone.
func foreignText(v any) string {
	switch reflect.TypeOf(v).Kind() {
	case reflect.Map, reflect.Slice, reflect.Pointer, reflect.Interface:
		return fmt.Sprintf("%T", v)
	case reflect.Struct, reflect.Array:
		if s := fmt.Sprintf("%T", v); !flat(reflect.TypeOf(v), 0) {
			return s
		}
	default:
	}
	return fmt.Sprint(v)
}

// flat reports whether values of t hold nothing by reference.
func flat(t reflect.Type, depth int) bool {
	switch t.Kind() {
	case reflect.Map, reflect.Slice, reflect.Pointer, reflect.Interface:
		return false
	case reflect.Array:
		return t.Len() <= 64 && flat(t.Elem(), depth+1)
	case reflect.Struct:
		for i := range t.NumField() {
			if depth > 8 || !flat(t.Field(i).Type, depth+1) {
				return false
			}
		}
	default:
	}
	return true
}
