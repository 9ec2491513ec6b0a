package databind

import (
	"encoding/base64"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

func (r *reader) whole(class string, i int) (any, error) {
	k := &r.toks[i]
	if k.Kind == token.Int && class == "java.lang.Long" {
		return k.Int(), nil
	}
	if k.Kind == token.String && r.blank(r.text(k)) {
		return nil, nil
	}
	n := r.bigOf(k)
	if n == nil {
		return nil, r.failClass(i, class, "not a whole number")
	}
	if class == "java.math.BigInteger" {
		return n, nil
	}
	bounds := wholeBounds[class]
	if class == "java.lang.Byte" {
		bounds[1] = math.MaxUint8 // Jackson takes 128…255 as negative
	}
	if !n.IsInt64() || n.Int64() < bounds[0] || n.Int64() > bounds[1] {
		return nil, r.failClass(i, class, "a number of %d bits is out of range", n.BitLen())
	}
	switch v := n.Int64(); class {
	case "java.lang.Integer":
		return int32(v), nil
	case "java.lang.Short":
		return int16(v), nil
	case "java.lang.Byte":
		return int8(v), nil
	default:
		return v, nil
	}
}

// bigOf returns a whole number or the one that a text spells, nil for all else.
func (r *reader) bigOf(k *token.Token) *big.Int {
	switch k.Kind {
	case token.Int:
		return big.NewInt(k.Int())
	case token.Big:
		return r.tape.Big(k)
	case token.String:
		s := strings.TrimSpace(string(r.tape.Text(k)))
		if len(s) > MaxNumber || strings.Contains(s, "_") {
			return nil
		}
		if n, ok := new(big.Int).SetString(s, 10); ok {
			return n
		}
	default:
	}
	return nil
}

// numberText returns a number as the payload spells it, or as Java prints it, and a
// text as it is.
func (r *reader) numberText(k *token.Token) (string, bool) {
	if k.Flags&token.FlagLiteral != 0 || k.Kind == token.String {
		s := strings.TrimSpace(string(r.tape.Text(k)))
		return s, len(s) <= MaxNumber
	}
	switch v := r.scalar(k).(type) {
	case int32, int64, *big.Int:
		return r.bigOf(k).String(), true
	case float32:
		return string(javatext.AppendFloat(nil, v)), true
	case float64:
		return string(javatext.AppendDouble(nil, v)), true
	case java.BigDecimal:
		return v.String(), true
	}
	return "", false
}

func (r *reader) fraction(class string, i int) (any, error) {
	k := &r.toks[i]
	switch {
	case k.Kind == token.Decimal && class == classBigDecimal:
		return r.tape.Decimal(k), nil
	case k.Kind == token.Float && k.Flags&token.FlagLiteral == 0 && class == "java.lang.Double":
		return r.tape.Float(k), nil
	case k.Kind == token.Float && k.Flags&token.FlagLiteral == 0 && class == "java.lang.Float":
		return float32(r.tape.Float(k)), nil
	}
	text, ok := r.numberText(k)
	if !ok {
		return nil, r.failClass(i, class, "not a number")
	}
	if r.blank(text) {
		return nil, nil
	}
	if class == classBigDecimal {
		d, isDecimal := parseDecimal(text)
		if !isDecimal {
			return nil, r.failClass(i, class, "not a decimal number")
		}
		return d, nil
	}
	f, ok := javaFloat(text, class)
	if !ok {
		return nil, r.failClass(i, class, "not a number")
	}
	return f, nil
}

func (r *reader) other(class string, i int) (any, error) {
	k := &r.toks[i]
	switch class {
	case "java.lang.String":
		if k.Kind == token.String {
			return r.text(k), nil
		}
		if k.Kind == token.Bool {
			return strconv.FormatBool(k.Bool()), nil
		}
		if s, ok := r.numberText(k); ok {
			return s, nil
		}
	case "java.lang.Boolean":
		if k.Kind == token.Bool {
			return k.Bool(), nil
		}
		if k.Kind == token.Int {
			return k.Int() != 0, nil
		}
		switch s := strings.TrimSpace(string(r.tape.Text(k))); {
		case k.Kind != token.String:
		case s == "true" || s == "True" || s == "TRUE":
			return true, nil
		case s == "false" || s == "False" || s == "FALSE":
			return false, nil
		}
	case "java.lang.Character":
		if c, ok := character(r.scalar(k)); ok {
			return c, nil
		}
	default:
		if k.Kind == token.Bytes {
			return append([]byte{}, r.tape.Text(k)...), nil
		}
		if b, err := base64.StdEncoding.AppendDecode([]byte{}, r.tape.Text(k)); k.Kind == token.String && err == nil {
			return b, nil
		}
		return nil, r.failClass(i, class, "not base64")
	}
	return nil, r.failClass(i, class, "not of this class")
}

func parseDecimal(text string) (java.BigDecimal, bool) {
	d, err := java.ParseBigDecimal(text)
	return d, err == nil
}

// javaFloat reads text as a Double or, for its class, a Float.
func javaFloat(text, class string) (any, bool) {
	f, err := javatext.ParseDouble(text)
	if err != nil {
		return nil, false
	}
	if class != "java.lang.Float" {
		return f, true
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return float32(f), true
	}
	// Rounding twice, by way of a double, may differ in the last bit.
	if g, err := strconv.ParseFloat(text, 32); err == nil {
		return float32(g), true
	}
	return float32(f), true
}

// character returns the Character that a string of one UTF-16 unit or a code
// stands for.
func character(v any) (java.Char, bool) {
	switch v := v.(type) {
	case int32:
		return java.Char(v), v >= 0 && v <= math.MaxUint16
	case string:
		c, n := javatext.DecodeRune(v)
		return java.Char(c), n > 0 && n == len(v) && c <= math.MaxUint16
	}
	return 0, false
}

// arrayTypes are the Go types of Java's arrays of primitives of which the elements are read
// and written one by one.
var arrayTypes = map[string]reflect.Type{
	"[I": reflect.TypeFor[[]int32](), "[J": reflect.TypeFor[[]int64](), "[S": reflect.TypeFor[[]int16](), "[D": reflect.TypeFor[[]float64](),
	"[F": reflect.TypeFor[[]float32](), "[Z": reflect.TypeFor[[]bool](), "[C": reflect.TypeFor[[]java.Char](),
}

// arrayClasses is the reverse of arrayTypes.
var arrayClasses = func() map[reflect.Type]string {
	m := map[reflect.Type]string{}
	for class, t := range arrayTypes {
		m[t] = class
	}
	return m
}()

// primitiveArray reads the array at i. Null in it is the zero value, as in Jackson.
func (r *reader) primitiveArray(class string, i int) (any, error) {
	if class == "[B" {
		return r.byteArray(i)
	}
	box := boxes[class[1:]]
	out := reflect.MakeSlice(arrayTypes[class], 0, int(r.toks[i].N))
	err := r.elements(i, func(e int) error {
		if kind := r.toks[e].Kind; kind == token.Array || kind == token.Object {
			return r.failClass(e, box, "found %s where a value is due", kindName(kind))
		}
		v, err := r.convert(box, e)
		at := reflect.Zero(out.Type().Elem())
		if v != nil {
			at = reflect.ValueOf(v)
		}
		out = reflect.Append(out, at)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out.Interface(), nil
}

// byteArray reads [1,2] as Java reads it for a byte[].
func (r *reader) byteArray(i int) (any, error) {
	out := []byte{}
	err := r.elements(i, func(e int) error {
		k := &r.toks[e]
		if k.Kind != token.Int || k.Int() < -128 || k.Int() > 255 {
			return r.failClass(e, "[B", "not a byte")
		}
		out = append(out, byte(k.Int()))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// array writes an array of primitives, whose elements are never wrapped. It reports
// false for other values.
func (w *writer) array(v any, bare bool) (bool, error) {
	if b, ok := v.([]byte); ok {
		return true, w.wrap("[B", bare || b == nil, func() { w.bytes(b) })
	}
	list := reflect.ValueOf(v)
	class := arrayClasses[list.Type()]
	switch units, ok := v.([]java.Char); {
	case class == "":
		return false, nil
	case list.IsNil():
		w.gen.Null()
		return true, nil
	case ok:
		return true, w.tagged("[C", charsText(units), bare)
	}
	return true, w.wrapErr(class, bare, func() error {
		w.gen.Array(list.Len())
		for _, e := range list.Seq2() {
			if err := w.value(e.Interface(), slotTree); err != nil {
				return err
			}
		}
		w.gen.EndArray()
		return nil
	})
}

func (w *writer) bytes(b []byte) {
	if b == nil {
		w.gen.Null()
		return
	}
	w.gen.Bytes(b)
}
