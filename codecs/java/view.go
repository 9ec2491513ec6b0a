package java

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Bounds of a view. Beyond them values appear as {"class":…,"truncated":true}.
const (
	maxViewDepth  = 1000
	maxViewValues = 1 << 20
	maxViewBytes  = 64 << 20
	maxViewBits   = 1 << 17 // of a big number: making digits of it takes long
)

// View returns the JSON that shows v to people. Values whose JSON form is
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
//   - for UUID, Locale, Class and [Text] a string; for Pattern the expression, with
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
func View(v any) json.RawMessage {
	w := newViewer(maxViewValues)
	w.value(v, 0)
	return w.out
}

// ViewUnfolded is [ViewTyped], but shows what stands at several places at each. It reports
// whether that is all: where it is false, values were cut.
func ViewUnfolded(v any) (view json.RawMessage, whole bool) {
	w := newViewer(maxViewValues)
	w.unfold = true
	w.outermost(v)
	return w.out, !w.cut
}

// ViewTyped is [View] with the class also of values that View shows plain:
// {"class":"java.lang.String","value":"demo"}; null has the class null.
func ViewTyped(v any) json.RawMessage {
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
		w.open(ClassOf(v))
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

// enter begins a container, or shows where it was shown before. The caller calls leave
// behind it.
func (w *viewer) enter(v any, class string) bool {
	if before, ok := w.shown[v]; ok {
		w.text(`{"class":`)
		w.string(class)
		w.text(`,"ref":`)
		w.string(pathText(before.steps()))
		w.out = append(w.out, '}')
		return false
	}
	w.within = &shown{w.within, slices.Clone(w.path)}
	w.shown[v], w.path = w.within, w.path[len(w.path):]
	return true
}

// leave ends a container with so many parts.
func (w *viewer) leave(v any, parts int) {
	left := w.within
	w.within, w.path = left.within, append([]pathStep(nil), left.path...)
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

// typed writes a value whose JSON is ready.
func (w *viewer) typed(class, value string) {
	w.open(class)
	w.text(value)
	w.close()
}

func (w *viewer) truncated(class string) {
	w.cut = true
	w.text(`{"class":`)
	w.string(class)
	w.text(`,"truncated":true}`)
}

func (w *viewer) value(v any, depth int) {
	w.left--
	if depth > maxViewDepth || w.left < 0 || len(w.out) > maxViewBytes {
		w.truncated(ClassOf(v))
		return
	}
	switch v := v.(type) {
	case nil:
		w.text("null")
	case string:
		w.string(v)
	case bool:
		w.text(strconv.FormatBool(v))
	case int32:
		w.text(strconv.FormatInt(int64(v), 10))
	case float64:
		w.double(v)
	case int8, int16:
		w.typed(ClassOf(v), fmt.Sprint(v))
	case int64:
		w.long(v)
	case float32:
		w.float(v)
	case Char:
		w.char(v)
	case []byte:
		w.typed("[B", `"`+base64.StdEncoding.EncodeToString(v)+`"`)
	default:
		w.rest(v, depth)
	}
}

func (w *viewer) rest(v any, depth int) {
	switch v := v.(type) {
	case *Map:
		w.mapping(v, depth)
	case *List:
		w.list(v, depth)
	case *Object:
		w.object(v, depth)
	case Enum:
		w.open(v.Class)
		if v.Name != "" {
			w.string(v.Name)
		} else {
			w.text(strconv.Itoa(v.Ordinal))
		}
		w.close()
	case *big.Int:
		w.bigInt(v)
	case BigDecimal:
		if v.Unscaled != nil && v.Unscaled.BitLen() > maxViewBits {
			w.truncated(ClassOf(v))
			return
		}
		w.typed(ClassOf(v), `"`+v.String()+`"`)
	default:
		w.more(v, depth)
	}
}

func (w *viewer) bigInt(v *big.Int) {
	switch {
	case v == nil:
		w.text("null")
	case v.BitLen() > maxViewBits:
		w.truncated(ClassOf(v))
	default:
		w.typed(ClassOf(v), `"`+v.String()+`"`)
	}
}

func (w *viewer) mapping(m *Map, depth int) {
	if m == nil {
		w.text("null")
		return
	}
	class := or(m.Class, ClassHashMap)
	if !w.enter(m, class) {
		return
	}
	defer w.leave(m, len(m.Entries))
	w.open(class)
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

// beside closes a container with what it has beside its contents.
func (w *viewer) beside(comparator any, of string, depth int) {
	if comparator != nil {
		w.text(`,"comparator":`)
		w.inside(pathStep{"comparator", -1}, comparator, depth)
	}
	if of != "" {
		w.text(`,"of":`)
		w.string(of)
	}
	w.close()
}

func stringKeys(m *Map) bool {
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

func (w *viewer) object(o *Object, depth int) {
	if o == nil {
		w.text("null")
		return
	}
	if !w.enter(o, o.Class) {
		return
	}
	defer w.leave(o, len(o.Fields))
	w.open(o.Class)
	if o.Class != "" && len(o.Fields) == 1 && o.Fields[0].Name == "" {
		// A scalar of a class there is no Go value for.
		w.value(o.Fields[0].Value, depth+1)
		w.close()
		return
	}
	twice := repeated(o.Fields)
	w.fields(len(o.Fields), func(i int) (string, any) {
		f := &o.Fields[i]
		if twice[f.Name] && f.Level != "" {
			return f.Level + "." + f.Name, f.Value
		}
		return f.Name, f.Value
	}, depth)
	w.custom(o.Custom, depth)
	w.close()
}

// repeated returns the field names that occur more than once.
func repeated(fields []Field) map[string]bool {
	var twice map[string]bool
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		if seen[f.Name] {
			if twice == nil {
				twice = map[string]bool{}
			}
			twice[f.Name] = true
		}
		seen[f.Name] = true
	}
	return twice
}

// custom shows what the writeObject methods of an object wrote.
func (w *viewer) custom(parts []Custom, depth int) {
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

func (w *viewer) list(l *List, depth int) {
	if l == nil {
		w.text("null")
		return
	}
	class := or(l.Class, ClassArrayList)
	if !w.enter(l, class) {
		return
	}
	defer w.leave(l, len(l.Elements))
	w.open(class)
	w.out = append(w.out, '[')
	for i, e := range l.Elements {
		w.comma(i)
		w.inside(pathStep{"", i}, e, depth)
	}
	w.out = append(w.out, ']')
	w.beside(l.Comparator, l.Of, depth)
}

func (w *viewer) comma(i int) {
	if i > 0 {
		w.out = append(w.out, ',')
	}
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
