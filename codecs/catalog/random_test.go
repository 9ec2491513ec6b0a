package catalog_test

import (
	"bytes"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// random makes values of Go types that Java could have: the edges of numbers, nulls, texts of
// every form.
type random struct {
	*rand.Rand
	share bool // pointers to beans and texts occur more than once, and beans within themselves
	odd   bool // also what Java or a format cannot have

	depth int
	text  string
	last  map[reflect.Type]reflect.Value // the last pointer of each type
}

// value returns a value of a type.
func (r *random) value(t reflect.Type) any {
	v := reflect.New(t).Elem()
	r.text, r.last = "", map[reflect.Type]reflect.Value{}
	r.fill(v)
	return v.Interface()
}

// changed yields a payload n times, changed at random places.
func (r *random) changed(payload []byte, n int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for range n {
			out := bytes.Clone(payload)
			at := r.IntN(len(out))
			switch r.IntN(5) {
			case 0:
				out = out[:at]
			case 1:
				out[at] ^= 1 << r.IntN(8)
			case 2:
				out[at] = byte(r.IntN(256))
			case 3:
				out = append(out[:at], out[min(len(out), at+1+r.IntN(4)):]...)
			case 4:
				from := r.IntN(len(payload))
				out = slices.Concat(out[:at], payload[from:min(len(payload), from+r.IntN(12))], payload[at:])
			}
			if !yield(out) {
				return
			}
		}
	}
}

var randomTexts = []string{
	"", "a", "ab", "demo", "张三", "é", "😀", "a\x00b", "abcdefghijklmnopqrstuvwxyz012345", "abcdefghijklmnopqrstuvwxyz0123456",
	"naïve", "java.lang.String", string(make([]byte, 300)), "id", "quote\"back\\slash/\n\t", "@class", "NaN", "5",
}

// number returns a number, in half of the cases one at an edge.
func (r *random) number() int64 {
	edges := []int64{
		0, 1, -1, 16, 23, 24, 63, 64, -65, 127, -128, 128, -129, 255, 256, math.MaxInt16, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1700000000123,
	}
	if r.IntN(2) == 0 {
		return edges[r.IntN(len(edges))]
	}
	return r.Int64() >> r.IntN(64)
}

// randomValues make what is not to be told from the kind of a type.
var randomValues = map[reflect.Type]func(r *random) any{
	reflect.TypeFor[time.Time](): func(r *random) any {
		if !r.odd {
			return time.UnixMilli(r.number() % 250e12).UTC() // up to the year 9892
		}
		return time.UnixMilli(r.number() >> 10).UTC()
	},
	reflect.TypeFor[java.BigDecimal](): func(r *random) any {
		n := big.NewInt(r.number() >> 12)
		if r.odd {
			n.Mul(n, n)
		}
		return java.BigDecimal{Unscaled: n, Scale: int32(r.IntN(9) - 4)}
	},
	reflect.TypeFor[*big.Int]():  func(r *random) any { return big.NewInt(r.number()) },
	reflect.TypeFor[java.UUID](): func(r *random) any { return java.UUIDOf(r.number(), r.number()) },
	reflect.TypeFor[java.LocalDate](): func(r *random) any {
		return java.LocalDate{Year: int32(r.IntN(3000)), Month: uint8(1 + r.IntN(12)), Day: uint8(1 + r.IntN(28))}
	},
	reflect.TypeFor[java.LocalDateTime](): func(r *random) any {
		return java.LocalDateTime{Date: java.LocalDate{Year: 1, Month: 1, Day: 1}, Time: java.LocalTime{Hour: uint8(r.IntN(24))}}
	},
	reflect.TypeFor[java.Char](): func(r *random) any { return []java.Char{'a', 'é', '张'}[r.IntN(3)] },
	reflect.TypeFor[Color]():     func(r *random) any { return []string{"RED", "GREEN", "BLUE"}[r.IntN(3)] },
	reflect.TypeFor[*java.List](): func(r *random) any {
		return &java.List{Class: "java.util.LinkedList", Elements: []any{int32(r.number()), "a"}}
	},
	reflect.TypeFor[*java.Map](): func(r *random) any {
		return &java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{{Key: int32(r.number()), Value: nil}}}
	},
	reflect.TypeFor[Level](): func(r *random) any { return r.IntN(2) },
	reflect.TypeFor[Op]():    func(r *random) any { return r.IntN(2) },
	reflect.TypeFor[Shape](): func(r *random) any {
		return []any{nil, Circle{R: 1.5}, &Square{Side: r.number()}, &Square{Inner: &Square{Inner: Circle{R: -1}}}}[r.IntN(4)]
	},
}

// anything is what interfaces hold, rarely is what not all codecs carry there.
var (
	anything = []any{
		nil, "text", int32(5), int64(-5), int64(1) << 40, true, 2.5, int8(3), int16(300), uint8(3), 7, float32(1.5), java.Char('x'),
		[]any{"x", int32(1), nil},
		[]any{"java.lang.Long", int32(1)},
		[]any{},
		[]any(nil),
		[]string{"a"},
		[]byte{1},
		map[string]any{"k": nil, "in": map[string]any{"a": []any{}}},
		map[string]any{"orderId": "100", "n": int64(7)},
		map[string]any{},
		map[string]any(nil),
		map[string]string{"a": "b"},
		big.NewInt(7), time.UnixMilli(5).UTC(), java.UUIDOf(1, 2),
		java.Date{Class: java.ClassDate, Millis: 5},
	}
	rarely = []any{
		math.NaN(),
		map[string]any{"@class": "x"},
		[]int32{1, 2},
		Item{SKU: "s"},
		&Item{}, (*Item)(nil), Color("RED"),
		java.Enum{Class: "demo.Color", Name: "RED"},
		java.BigDecimal{Unscaled: big.NewInt(5), Scale: 1},
		&java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{{Key: int32(1), Value: "x"}}}, &java.List{Class: "java.util.LinkedList"},
	}
)

func (r *random) fill(v reflect.Value) {
	r.depth++
	defer func() { r.depth-- }()
	t := v.Type()
	value := randomValues[t]
	known := jdk.OfType(t)
	switch {
	case known != nil && known.ZeroIsNull && t != reflect.TypeFor[java.BigDecimal]() && r.IntN(4) == 0:
	case value == nil:
		r.fillKind(v)
	default:
		if x := value(r); x != nil {
			v.Set(reflect.ValueOf(x).Convert(t))
		}
	}
}

func (r *random) fillKind(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.number())
	case reflect.Int:
		v.SetInt(r.int())
	case reflect.Uint:
		v.SetUint(uint64(max(r.int(), 0)))
	case reflect.Uint8:
		v.SetUint(uint64(r.IntN(128)))
	case reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(r.number()))
	case reflect.Float32, reflect.Float64:
		floats := []float64{0, 1, 1.5, -2.25, 1e21, 0.1, 1e-5, 123456.75, math.Copysign(0, -1), math.Inf(1), math.NaN(), math.Inf(-1)}
		most := len(floats)
		if !r.odd {
			most -= 3 // those that few values have
		}
		v.SetFloat(floats[r.IntN(most)])
	case reflect.String:
		if !r.share || r.IntN(3) > 0 {
			r.text = string([]byte(randomTexts[r.IntN(len(randomTexts))])) // another one each time
		}
		if v.SetString(r.text); r.odd && r.IntN(8) == 0 {
			v.SetString([]string{"\xff", "a\xc3", "\xed\xa0\x80"}[r.IntN(3)])
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				r.fill(f)
			} else if v.Type().Field(i).Anonymous { // its exported fields
				r.fillKind(f)
			}
		}
	case reflect.Interface:
		values := anything
		if r.odd && r.IntN(2) == 0 {
			values = rarely
		}
		if x := values[r.IntN(len(values))]; x != nil {
			v.Set(reflect.ValueOf(x))
		}
	default:
		if r.IntN(4) > 0 && r.depth < 7 {
			r.fillParts(v)
		}
	}
}

// int returns what Go's int has in Java.
func (r *random) int() int64 {
	if r.odd {
		return r.number()
	}
	return int64(int32(r.number()))
}

// fillParts makes a pointer, a slice or a map.
func (r *random) fillParts(v reflect.Value) {
	t := v.Type()
	switch v.Kind() {
	case reflect.Pointer:
		_, bean := v.Interface().(interface{ JavaClass() string })
		if last := r.last[t]; r.share && bean && last.IsValid() && r.IntN(3) == 0 {
			v.Set(last)
			return
		}
		v.Set(reflect.New(t.Elem()))
		r.last[t] = reflect.ValueOf(v.Interface())
		r.fill(v.Elem())
	case reflect.Slice:
		n := r.IntN(4)
		v.Set(reflect.MakeSlice(t, n, n))
		for i := range n {
			r.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range r.IntN(14) {
			k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			r.fill(k)
			r.fill(e)
			v.SetMapIndex(k, e)
		}
	default:
	}
}
