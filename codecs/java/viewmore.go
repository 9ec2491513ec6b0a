package java

import (
	"encoding/base64"
	"fmt"
	"math/bits"
	"reflect"
	"strconv"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// more shows the values that are seldom met.
func (w *viewer) more(v any, depth int) {
	switch v := v.(type) {
	case Block:
		w.string(base64.StdEncoding.EncodeToString(v))
	case Pattern:
		w.pattern(v)
	case *BitSet:
		w.bitSet(v)
	default:
		if t := jdk.Of(v); t != nil && !t.Foreign {
			w.single(t, v)
			return
		}
		if class := arrayOf(v); class != "" {
			w.array(v, class)
			return
		}
		w.foreign(v, depth)
	}
}

// single shows a value as its row in the table says.
func (w *viewer) single(t *jdk.Type, v any) {
	class := jdk.Class(v)
	if t.Go.Kind() == reflect.Pointer && class == "" {
		w.text("null")
		return
	}
	w.open(class)
	if t.Text == nil {
		w.string(v.(fmt.Stringer).String())
	} else if text, isText := t.Text(v); isText {
		w.string(text)
	} else {
		w.text(text)
	}
	w.close()
}

func (w *viewer) pattern(p Pattern) {
	w.open(ClassOf(p))
	w.string(p.Regex)
	if p.Flags != 0 {
		w.text(`,"flags":` + strconv.Itoa(int(p.Flags)))
	}
	w.close()
}

func (w *viewer) bitSet(b *BitSet) {
	if b == nil {
		w.text("null")
		return
	}
	if w.left -= b.Count(); w.left < 0 {
		w.truncated(ClassOf(b))
		return
	}
	w.open(ClassOf(b))
	w.out = append(w.out, '[')
	first := true
	for i, word := range b.Words {
		for ; word != 0; word &= word - 1 {
			w.comma(boolInt(!first))
			w.out = strconv.AppendInt(w.out, int64(i*64+bits.TrailingZeros64(word)), 10)
			first = false
		}
	}
	w.out = append(w.out, ']')
	w.close()
}

// array shows an array of primitives.
func (w *viewer) array(v any, class string) {
	s := reflect.ValueOf(v)
	if s.IsNil() {
		w.text("null")
		return
	}
	if w.left -= s.Len(); w.left < 0 {
		w.truncated(class)
		return
	}
	w.open(class)
	w.out = append(w.out, '[')
	for i := range s.Len() {
		w.comma(i)
		w.primitive(s.Index(i))
	}
	w.out = append(w.out, ']')
	w.close()
}

func (w *viewer) primitive(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		w.text(strconv.FormatBool(v.Bool()))
	case reflect.Float32, reflect.Float64:
		f := v.Float()
		if !finite(f) {
			w.string(infinite(f))
			return
		}
		w.out = strconv.AppendFloat(w.out, f, 'g', -1, v.Type().Bits())
	case reflect.Uint16:
		w.charText(Char(v.Uint()))
	default:
		n := v.Int()
		text := strconv.FormatInt(n, 10)
		if n > maxExact || n < -maxExact {
			text = `"` + text + `"`
		}
		w.text(text)
	}
}

// foreign shows a Go value as what it would be encoded as.
func (w *viewer) foreign(v any, depth int) {
	lowered, err := LowerShared(v)
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
