// Package view shows people what is in payloads: Java values, and Go values as what codecs
// write for them, as JSON with the classes.
package view

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// Bounds of a view. Beyond them values appear as {"class":…,"truncated":true}.
const (
	maxViewDepth  = 1000
	maxViewValues = 1 << 20
	maxViewBytes  = 64 << 20
)

// Of returns the JSON that shows v to people. Values whose JSON form is
// unambiguous are plain: null, Boolean, String, Integer (a number without
// a point) and finite Double (a number with a point or an exponent). All others
// are {"class":…,"value":…}, where the value is
//
//   - for Byte, Short and Float a number; for Long a number up to ±2^53, beyond
//     it a string of digits, since many JSON readers would round it;
//   - for Character a string, or the code unit as a number if it is a surrogate;
//   - for NaN and infinities the string "NaN", "Infinity" or "-Infinity";
//   - for byte[] (class "[B") a base64 string, for other arrays of primitives an
//     array of their elements without classes;
//   - for BigInteger and BigDecimal a string as Java's toString gives;
//   - for dates and times a string in ISO 8601; Date and Instant in UTC, or the
//     milliseconds or seconds as a number where the year is not 0…9999; a Calendar
//     as its instant, with the zone behind it in brackets;
//   - for UUID, Locale, Class and [java.Text] a string; for Pattern the expression, with
//     a member "flags" beside it where it has some; for BitSet an array of the bits
//     that are set;
//   - for enums the constant's name, or its ordinal where the name is unknown;
//   - for lists, sets and arrays of objects an array;
//   - for maps with distinct String keys, and for beans, an object in Java's
//     order; for other maps an array of [key,value] pairs. Optional and Atomic
//     classes are beans with the field "value". Where a bean has a name at several
//     levels of its inheritance, the class comes before it: "demo.Base.id".
//
// A comparator of a sorted container, the enum of an EnumSet or EnumMap and what
// writeObject methods wrote (runs of bytes as base64) appear beside the value as
// "comparator", "of" and "custom".
//
// A container that stands at several places, or within itself, is shown at the first one and
// is {"class":…,"ref":path} at the others, where path leads to the first from the outermost
// value: "" for that itself, "items[3].next" for one inside. Empty ones are shown each time.
//
// Lone surrogates in strings are written as \ud800 escapes. Plain Go maps,
// slices and structs are shown as the Java values they would be encoded as;
// other Go values as {"class":"","value":…} with their text. Nesting beyond
// 1,000 levels, more than 2^20 values, more than 64 MiB of text and numbers of more
// than 2^17 bits are cut: {"class":…,"truncated":true}.
func Of(v any) json.RawMessage {
	w := newViewer(maxViewValues)
	w.value(v, 0)
	return w.out
}

// Unfolded is [Typed], but shows what stands at several places at each. It reports
// whether that is all: where it is false, values were cut.
func Unfolded(v any) (view json.RawMessage, whole bool) {
	w := newViewer(maxViewValues)
	w.unfold = true
	w.outermost(v)
	return w.out, !w.cut
}

// Typed is [Of] with the class also of values that Of shows plain:
// {"class":"java.lang.String","value":"demo"}; null has the class null.
func Typed(v any) json.RawMessage {
	w := newViewer(maxViewValues)
	w.outermost(v)
	return w.out
}

// outermost shows v with its class.
func (w *viewer) outermost(v any) {
	switch v.(type) {
	case nil:
		w.text(`{"class":null,"value":null}`)
		return
	case string, bool, int32, int, float64:
		if f, ok := v.(float64); ok && !finite(f) {
			break
		}
		w.open(java.ClassOf(v))
		w.value(v, 0)
		w.close()
		return
	}
	w.value(v, 0)
}

type viewer struct {
	out  []byte
	left int // values that may still be shown

	shown  map[any]*shown
	within *shown     // the container that is being shown
	path   []pathStep // from there
	unfold bool       // containers that stand at several places are shown at each
	cut    bool       // something was
}

// shown is a container that was shown, or is being shown.
type shown struct {
	within *shown
	path   []pathStep // from the one that it is within
}

// steps is the path from the outermost value.
func (s *shown) steps() []pathStep {
	if s == nil {
		return nil
	}
	return append(s.within.steps(), s.path...)
}

// pathStep is one part of the path to what is being shown: a field name or map key,
// or the index of an element.
type pathStep struct {
	name  string
	index int // -1 for names
}

func newViewer(left int) *viewer { return &viewer{left: left, shown: map[any]*shown{}} }

// container shows a container with so many parts, or where it was shown before.
func (w *viewer) container(v any, parts int, show func()) {
	w.text(`{"class":`)
	w.string(java.ClassOf(v))
	if before, ok := w.shown[v]; ok {
		w.text(`,"ref":`)
		w.string(pathText(before.steps()))
		w.close()
		return
	}
	outer, path := w.within, w.path
	w.within = &shown{outer, slices.Clone(path)}
	w.shown[v], w.path = w.within, path[len(path):]
	w.text(`,"value":`)
	show()
	w.close()
	w.within, w.path = outer, path
	if w.unfold || parts == 0 {
		delete(w.shown, v)
	}
}

func pathText(path []pathStep) string {
	var b strings.Builder
	for _, step := range path {
		switch {
		case step.index >= 0:
			fmt.Fprintf(&b, "[%d]", step.index)
		case b.Len() > 0 && !strings.HasPrefix(step.name, "["):
			b.WriteString("." + step.name)
		default:
			b.WriteString(step.name)
		}
	}
	return b.String()
}

// inside shows a part of a container.
func (w *viewer) inside(step pathStep, v any, depth int) {
	w.path = append(w.path, step)
	w.value(v, depth+1)
	w.path = w.path[:len(w.path)-1]
}

func (w *viewer) text(s string) { w.out = append(w.out, s...) }

func (w *viewer) open(class string) {
	w.text(`{"class":`)
	w.string(class)
	w.text(`,"value":`)
}

func (w *viewer) close() { w.out = append(w.out, '}') }

func (w *viewer) truncated(class string) {
	w.cut = true
	w.text(`{"class":`)
	w.string(class)
	w.text(`,"truncated":true}`)
}

func (w *viewer) value(v any, depth int) {
	w.left--
	if depth > maxViewDepth || w.left < 0 || len(w.out) > maxViewBytes {
		w.truncated(java.ClassOf(v))
		return
	}
	if r := reflect.ValueOf(v); !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil() {
		w.text("null")
		return
	}
	switch v := v.(type) {
	case string:
		w.string(v)
	case bool, int32:
		w.text(fmt.Sprint(v))
	case int:
		w.foreign(v, depth)
	case java.Block:
		w.string(base64.StdEncoding.EncodeToString(v))
	case *java.Map:
		w.container(v, len(v.Entries), func() { w.mapping(v, depth) })
	case *java.List:
		w.container(v, len(v.Elements), func() { w.list(v, depth) })
	case *java.Object:
		w.container(v, len(v.Fields), func() { w.object(v, depth) })
	case float64:
		if finite(v) {
			w.double(v)
			return
		}
		w.single(v, depth)
	default:
		w.single(v, depth)
	}
}

// single shows a value without parts together with its class.
func (w *viewer) single(v any, depth int) {
	class, row := java.ClassOf(v), jdk.Of(v)
	array := jdk.ArrayClass(reflect.TypeOf(v)) != ""
	switch {
	case array && reflect.ValueOf(v).IsNil() && class != "[B":
		w.text("null")
		return
	case row == nil && jdk.Class(v) == "" && !array, row != nil && row.Foreign:
		w.foreign(v, depth)
		return
	}
	switch v := v.(type) {
	case *java.BitSet:
		w.left -= v.Count()
	case []byte:
	default:
		if array {
			w.left -= reflect.ValueOf(v).Len()
		}
	}
	if w.left < 0 || bridge.Huge(v) {
		w.truncated(class)
		return
	}
	w.open(class)
	w.scalar(v, row)
	if p, ok := v.(java.Pattern); ok && p.Flags != 0 {
		w.text(`,"flags":` + strconv.Itoa(int(p.Flags)))
	}
	w.close()
}

// scalar shows a value without its class.
func (w *viewer) scalar(v any, row *jdk.Type) {
	switch v := v.(type) {
	case bool, int8, int16, int32:
		w.text(fmt.Sprint(v))
	case int64:
		w.long(v)
	case float32:
		w.float(float64(v), 32)
	case float64:
		w.float(v, 64)
	case java.Char:
		if v >= 0xd800 && v < 0xe000 {
			w.text(strconv.Itoa(int(v)))
			return
		}
		w.string(string(rune(v)))
	case []byte:
		w.string(base64.StdEncoding.EncodeToString(v))
	case *java.BitSet:
		w.elements(bitsSet(v))
	default:
		if row == nil { // an array of primitives
			s := reflect.ValueOf(v)
			w.elements(func(show func(v any)) {
				for i := range s.Len() {
					show(s.Index(i).Interface())
				}
			})
			return
		}
		if text, isText := row.Show(v); isText {
			w.string(text)
		} else {
			w.text(text)
		}
	}
}

// elements shows an array of what each yields.
func (w *viewer) elements(each func(show func(v any))) {
	w.out = append(w.out, '[')
	i := 0
	each(func(v any) {
		w.comma(i)
		w.scalar(v, nil)
		i++
	})
	w.out = append(w.out, ']')
}

func (w *viewer) long(v int64) {
	text := strconv.FormatInt(v, 10)
	const maxExact = 1 << 53
	if v > maxExact || v < -maxExact {
		text = `"` + text + `"`
	}
	w.text(text)
}

// double shows a number with a point or an exponent.
func (w *viewer) double(f float64) {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	w.text(text)
}

func (w *viewer) float(f float64, bits int) {
	if !finite(f) {
		w.string(string(javatext.AppendDouble(nil, f)))
		return
	}
	w.out = strconv.AppendFloat(w.out, f, 'g', -1, bits)
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func (w *viewer) mapping(m *java.Map, depth int) {
	if stringKeys(m) {
		w.fields(len(m.Entries), func(i int) (string, any) {
			return m.Entries[i].Key.(string), m.Entries[i].Value
		}, depth)
		w.beside(m.Comparator, m.Of, depth)
		return
	}
	w.out = append(w.out, '[')
	for i, e := range m.Entries {
		w.comma(i)
		w.out = append(w.out, '[')
		w.inside(pathStep{"[key]", -1}, e.Key, depth)
		w.out = append(w.out, ',')
		w.inside(pathStep{label(e.Key), -1}, e.Value, depth)
		w.out = append(w.out, ']')
	}
	w.out = append(w.out, ']')
	w.beside(m.Comparator, m.Of, depth)
}

func (w *viewer) list(l *java.List, depth int) {
	w.out = append(w.out, '[')
	for i, e := range l.Elements {
		w.comma(i)
		w.inside(pathStep{"", i}, e, depth)
	}
	w.out = append(w.out, ']')
	w.beside(l.Comparator, l.Of, depth)
}

// beside shows what a container has beside its contents.
func (w *viewer) beside(comparator any, of string, depth int) {
	if comparator != nil {
		w.text(`,"comparator":`)
		w.inside(pathStep{"comparator", -1}, comparator, depth)
	}
	if of != "" {
		w.text(`,"of":`)
		w.string(of)
	}
}

func stringKeys(m *java.Map) bool {
	seen := make(map[string]bool, len(m.Entries))
	for _, e := range m.Entries {
		k, ok := e.Key.(string)
		if !ok || seen[k] {
			return false
		}
		seen[k] = true
	}
	return true
}

func (w *viewer) object(o *java.Object, depth int) {
	if o.Class != "" && len(o.Fields) == 1 && o.Fields[0].Name == "" {
		// A scalar of a class there is no Go value for.
		w.value(o.Fields[0].Value, depth+1)
		return
	}
	times := make(map[string]int, len(o.Fields))
	for _, f := range o.Fields {
		times[f.Name]++
	}
	w.fields(len(o.Fields), func(i int) (string, any) {
		f := &o.Fields[i]
		if times[f.Name] > 1 && f.Level != "" {
			return f.Level + "." + f.Name, f.Value
		}
		return f.Name, f.Value
	}, depth)
	w.custom(o.Custom, depth)
}

// custom shows what the writeObject methods of an object wrote.
func (w *viewer) custom(parts []java.Custom, depth int) {
	if len(parts) == 0 {
		return
	}
	w.text(`,"custom":[`)
	for i, c := range parts {
		w.comma(i)
		w.text(`{"class":`)
		w.string(c.Level)
		w.text(`,"items":[`)
		for k, item := range c.Items {
			w.comma(k)
			w.inside(pathStep{"custom", -1}, item, depth)
		}
		w.text("]}")
	}
	w.out = append(w.out, ']')
}

func (w *viewer) fields(n int, field func(i int) (string, any), depth int) {
	w.out = append(w.out, '{')
	for i := range n {
		w.comma(i)
		name, value := field(i)
		w.string(name)
		w.out = append(w.out, ':')
		w.inside(pathStep{label(name), -1}, value, depth)
	}
	w.out = append(w.out, '}')
}

func (w *viewer) comma(i int) {
	if i > 0 {
		w.out = append(w.out, ',')
	}
}

// bitsSet calls yield for each bit that is set.
func bitsSet(b *java.BitSet) func(yield func(v any)) {
	return func(yield func(v any)) {
		for i, word := range b.Words {
			for ; word != 0; word &= word - 1 {
				yield(int64(i*64 + bits.TrailingZeros64(word)))
			}
		}
	}
}
