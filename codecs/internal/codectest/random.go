package codectest

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

// Random makes values of Go types that Java could have: the edges of numbers, nulls, texts of
// every form.
type Random struct {
	*rand.Rand
	// Values make what a test knows more of than a kind says, such as enums; nil is the zero value.
	Values map[reflect.Type]func(r *Random) any
	// Any is what interfaces hold.
	Any []any
	// Share has pointers to beans and texts occur more than once, and beans within themselves.
	Share bool
	// Odd makes also what Java or a format cannot have.
	Odd bool

	depth int
	text  string
	last  map[reflect.Type]reflect.Value // the last pointer of each type
}

// NewRandom returns a generator of the same values each time.
func NewRandom(seed uint64, values map[reflect.Type]func(r *Random) any) *Random {
	return &Random{Rand: rand.New(rand.NewPCG(1, seed)), Values: values, Any: []any{
		nil, "text", int32(5), int64(-5), int64(1) << 40, true, 2.5,
		[]any{"x", int32(1), nil},
		map[string]any{"k": nil, "in": map[string]any{"a": []any{}}},
		[]any{},
		map[string]any{},
	}}
}

// Value returns a value of a type.
func (r *Random) Value(t reflect.Type) any {
	v := reflect.New(t).Elem()
	r.text, r.last = "", map[reflect.Type]reflect.Value{}
	r.fill(v)
	return v.Interface()
}

// Changed yields a payload n times, changed at random places.
func (r *Random) Changed(payload []byte, n int) iter.Seq[[]byte] {
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
	"\xed\xa0\x80", "naïve", "java.lang.String", string(make([]byte, 300)), "id", "quote\"back\\slash/\n\t", "@class", "NaN", "5",
}

// Number returns a number, in half of the cases one at an edge.
func (r *Random) Number() int64 {
	edges := []int64{
		0, 1, -1, 16, 23, 24, 63, 64, -65, 127, -128, 128, -129, 255, 256, math.MaxInt16, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1700000000123,
	}
	if r.IntN(2) == 0 {
		return edges[r.IntN(len(edges))]
	}
	return r.Int64() >> r.IntN(64)
}

var randomValues = map[reflect.Type]func(r *Random) any{
	reflect.TypeFor[time.Time](): func(r *Random) any { return time.UnixMilli(r.Number() >> 12).UTC() },
	reflect.TypeFor[java.BigDecimal](): func(r *Random) any {
		n := big.NewInt(r.Number())
		return java.BigDecimal{Unscaled: n.Lsh(n, uint(r.IntN(3)*40)), Scale: int32(r.IntN(9) - 4)}
	},
	reflect.TypeFor[*big.Int]():  func(r *Random) any { return big.NewInt(r.Number()) },
	reflect.TypeFor[java.UUID](): func(r *Random) any { return java.UUIDOf(r.Number(), r.Number()) },
	reflect.TypeFor[java.LocalDate](): func(r *Random) any {
		return java.LocalDate{Year: int32(r.IntN(3000)), Month: uint8(1 + r.IntN(12)), Day: uint8(1 + r.IntN(28))}
	},
	reflect.TypeFor[java.LocalDateTime](): func(r *Random) any {
		return java.LocalDateTime{Date: java.LocalDate{Year: 1, Month: 1, Day: 1}, Time: java.LocalTime{Hour: uint8(r.IntN(24))}}
	},
}

func (r *Random) fill(v reflect.Value) {
	r.depth++
	defer func() { r.depth-- }()
	t := v.Type()
	value := r.Values[t]
	if value == nil {
		value = randomValues[t]
	}
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

func (r *Random) fillKind(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Number())
	case reflect.Int:
		v.SetInt(r.int())
	case reflect.Uint:
		v.SetUint(uint64(max(r.int(), 0)))
	case reflect.Uint8:
		v.SetUint(uint64(r.IntN(128)))
	case reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(r.Number()))
	case reflect.Float32, reflect.Float64:
		floats := []float64{0, 1, 1.5, -2.25, 1e21, 0.1, math.Copysign(0, -1), math.Inf(1), math.NaN()}
		v.SetFloat(floats[r.IntN(len(floats))])
	case reflect.String:
		if !r.Share || r.IntN(3) > 0 {
			r.text = string([]byte(randomTexts[r.IntN(len(randomTexts))])) // another one each time
		}
		if v.SetString(r.text); r.Odd && r.IntN(8) == 0 {
			v.SetString("\xff")
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
		if x := r.Any[r.IntN(len(r.Any))]; x != nil {
			v.Set(reflect.ValueOf(x))
		}
	default:
		if r.IntN(4) > 0 && r.depth < 7 {
			r.fillParts(v)
		}
	}
}

// int returns what Go's int has in Java.
func (r *Random) int() int64 {
	if r.Odd {
		return r.Number()
	}
	return int64(int32(r.Number()))
}

// fillParts makes a pointer, a slice or a map.
func (r *Random) fillParts(v reflect.Value) {
	t := v.Type()
	switch v.Kind() {
	case reflect.Pointer:
		_, bean := v.Interface().(interface{ JavaClass() string })
		if last := r.last[t]; r.Share && bean && last.IsValid() && r.IntN(3) == 0 {
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
