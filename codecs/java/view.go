package java

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// Bounds of a view. Beyond them values appear as {"class":…,"truncated":true}.
const (
	maxViewDepth  = 1000
	maxViewValues = 1 << 20
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
//   - for byte[] (class "[B") a base64 string;
//   - for BigInteger and BigDecimal a string as Java's toString gives;
//   - for dates and times a string in ISO 8601; Date and Instant in UTC, or the
//     milliseconds or seconds as a number where the year is not 0…9999;
//   - for enums the constant's name, or its ordinal where the name is unknown;
//   - for lists, sets and arrays of objects an array;
//   - for maps with distinct String keys, and for beans, an object in Java's
//     order; for other maps an array of [key,value] pairs.
//
// Lone surrogates in strings are written as \ud800 escapes. Plain Go maps,
// slices and structs are shown as the Java values they would be encoded as;
// other Go values as {"class":"","value":…} with their text. Nesting beyond
// 1,000 levels, more than 2^20 values and numbers of more than 2^17 bits are cut.
func View(v any) json.RawMessage {
	w := viewer{left: maxViewValues}
	w.value(v, 0)
	return w.out
}

// ViewTyped is [View] with the class also of values that View shows plain:
// {"class":"java.lang.String","value":"demo"}; null has the class null.
func ViewTyped(v any) json.RawMessage {
	switch v.(type) {
	case nil:
		return json.RawMessage(`{"class":null,"value":null}`)
	case string, bool, int32, int, float64:
		if f, ok := v.(float64); ok && !finite(f) {
			break
		}
		w := viewer{left: maxViewValues}
		w.open(ClassOf(v))
		w.value(v, 0)
		w.close()
		return w.out
	}
	return View(v)
}

type viewer struct {
	out  []byte
	left int // values that may still be shown
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
	w.text(`{"class":`)
	w.string(class)
	w.text(`,"truncated":true}`)
}

func (w *viewer) value(v any, depth int) {
	w.left--
	if depth > maxViewDepth || w.left < 0 {
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
	case Date, Instant, LocalDate, LocalTime, LocalDateTime, Duration:
		w.typed(ClassOf(v), timeJSON(v))
	default:
		w.foreign(v, depth)
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

// foreign shows a Go value as what it would be encoded as.
func (w *viewer) foreign(v any, depth int) {
	lowered, err := Lower(v)
	if err != nil {
		w.open("")
		w.string(fmt.Sprint(v))
		w.close()
		return
	}
	w.value(lowered, depth)
}

func (w *viewer) mapping(m *Map, depth int) {
	if m == nil {
		w.text("null")
		return
	}
	w.open(or(m.Class, ClassHashMap))
	if stringKeys(m) {
		w.fields(len(m.Entries), func(i int) (string, any) {
			return m.Entries[i].Key.(string), m.Entries[i].Value
		}, depth)
		w.close()
		return
	}
	w.out = append(w.out, '[')
	for i, e := range m.Entries {
		w.comma(i)
		w.out = append(w.out, '[')
		w.value(e.Key, depth+1)
		w.out = append(w.out, ',')
		w.value(e.Value, depth+1)
		w.out = append(w.out, ']')
	}
	w.text("]}")
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
	w.open(o.Class)
	if o.Class != "" && len(o.Fields) == 1 && o.Fields[0].Name == "" {
		// A scalar of a class there is no Go value for, such as java.util.UUID.
		w.value(o.Fields[0].Value, depth+1)
		w.close()
		return
	}
	w.fields(len(o.Fields), func(i int) (string, any) { return o.Fields[i].Name, o.Fields[i].Value }, depth)
	w.close()
}

func (w *viewer) fields(n int, field func(i int) (string, any), depth int) {
	w.out = append(w.out, '{')
	for i := range n {
		w.comma(i)
		name, value := field(i)
		w.string(name)
		w.out = append(w.out, ':')
		w.value(value, depth+1)
	}
	w.out = append(w.out, '}')
}

func (w *viewer) list(l *List, depth int) {
	if l == nil {
		w.text("null")
		return
	}
	w.open(or(l.Class, ClassArrayList))
	w.out = append(w.out, '[')
	for i, e := range l.Elements {
		w.comma(i)
		w.value(e, depth+1)
	}
	w.text("]}")
}

func (w *viewer) comma(i int) {
	if i > 0 {
		w.out = append(w.out, ',')
	}
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
