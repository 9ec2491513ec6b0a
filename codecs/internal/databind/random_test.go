package databind_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// random makes values of Go types that Java could have: the edges of numbers, nulls,
// strings of every form.
type random struct {
	*rand.Rand
	depth int
	odd   bool // also what Java or a format cannot have
}

var texts = []string{
	"", "a", "ab", "demo", "张三", "é", "😀", "a\x00b", "abcdefghijklmnopqrstuvwxyz012345", "quote\"back\\slash/\n\t",
	"java.lang.Long", "@class", "naïve", string(make([]byte, 70)), "NaN", "5",
}

var oddTexts = []string{"\xff", "a\xc3", "\xed\xa0\x80"}

func (r *random) text() string {
	if r.odd && r.IntN(8) == 0 {
		return oddTexts[r.IntN(len(oddTexts))]
	}
	n := len(texts)
	return texts[r.IntN(n)]
}

func (r *random) fill(v reflect.Value) {
	r.depth++
	defer func() { r.depth-- }()
	switch t := v.Type(); t {
	case reflect.TypeFor[time.Time]():
		if r.IntN(4) > 0 {
			v.Set(reflect.ValueOf(time.UnixMilli(r.millis()).UTC()))
		}
	case reflect.TypeFor[java.BigDecimal]():
		unscaled := big.NewInt(r.number() >> 12)
		if r.odd {
			unscaled.Mul(unscaled, unscaled)
		}
		v.Set(reflect.ValueOf(java.BigDecimal{Unscaled: unscaled, Scale: int32(r.IntN(9) - 4)}))
	case reflect.TypeFor[*big.Int]():
		if r.IntN(4) > 0 {
			n := big.NewInt(r.number())
			if r.odd {
				n.Lsh(n, uint(r.IntN(80)))
			}
			v.Set(reflect.ValueOf(n))
		}
	case reflect.TypeFor[java.UUID]():
		v.Set(reflect.ValueOf(java.UUIDOf(r.number(), r.number())))
	case reflect.TypeFor[java.Char]():
		v.SetUint(uint64([]rune("aé张")[r.IntN(3)]))
	case reflect.TypeFor[Color]():
		v.SetString([]string{"RED", "GREEN", "BLUE"}[r.IntN(3)])
	case reflect.TypeFor[Level](), reflect.TypeFor[Op]():
		v.SetInt(int64(r.IntN(2)))
	default:
		r.fillKind(v)
	}
}

// millis returns a time, mostly one that all formats have.
func (r *random) millis() int64 {
	const most = 250e12 // in the year 9892
	if r.odd {
		return r.number() >> 10
	}
	return r.number() % most
}

func (r *random) number() int64 {
	edges := []int64{0, 1, -1, 23, 24, 63, 64, -65, 127, -128, 128, 255, 256, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1700000000123}
	if r.IntN(2) == 0 {
		return edges[r.IntN(len(edges))]
	}
	return r.Int64() >> r.IntN(64)
}

func (r *random) fillKind(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.number())
		if v.Kind() == reflect.Int64 && r.IntN(2) == 0 {
			v.SetInt(int64(int32(r.number())))
		}
	case reflect.Int:
		v.SetInt(int64(int32(r.number())))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(uint64(r.number()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(r.float())
	case reflect.String:
		v.SetString(r.text())
	case reflect.Pointer:
		if r.IntN(4) > 0 && r.depth < 8 {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem())
		}
	case reflect.Slice:
		if r.IntN(4) > 0 {
			n := r.IntN(4)
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				r.fill(v.Index(i))
			}
		}
	case reflect.Map:
		r.fillMap(v)
	case reflect.Struct:
		for i := range v.NumField() {
			r.fill(v.Field(i))
		}
	case reflect.Interface:
		if v.NumMethod() > 0 {
			r.fillShape(v)
			return
		}
		if x := r.any(); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	default:
	}
}

func (r *random) fillMap(v reflect.Value) {
	if r.IntN(4) == 0 {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range r.IntN(12) {
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		r.fill(k)
		r.fill(e)
		v.SetMapIndex(k, e)
	}
}

func (r *random) fillShape(v reflect.Value) {
	switch r.IntN(3) {
	case 0:
		v.Set(reflect.ValueOf(Circle{R: r.float()}))
	case 1:
		s := &Square{Side: r.number()}
		if r.depth < 8 {
			r.fill(reflect.ValueOf(s).Elem())
		}
		v.Set(reflect.ValueOf(s))
	default:
	}
}

func (r *random) any() any {
	values := []any{ // some of them unusual
		nil, "text", int32(5), int64(-5), int64(1) << 40, true, 2.5,
		[]any{"x", int32(1), nil, int64(2)},
		map[string]any{"k": nil, "orderId": "100", "n": int64(7), "in": map[string]any{"a": []any{}}},
		[]any{},
		map[string]any{},
		[]any{"java.lang.Long", int32(1)},
		[]string{"a"},
		map[string]string{"a": "b"},
		int16(3), float32(1.5), math.NaN(),
		Item{SKU: "s"},
		&Item{}, (*Item)(nil), map[string]any(nil), []any(nil), time.UnixMilli(5).UTC(), uint8(3), 7,
		map[string]any{"@class": "x"},
		java.UUIDOf(1, 2),
		[]byte{1},
		java.BigDecimal{Unscaled: big.NewInt(5), Scale: 1},
	}
	return values[r.IntN(len(values))]
}

// floats end with those that few values have.
var floats = []float64{0, 1, 1.5, -2.25, 1e21, 0.1, 1e-5, 123456.75, math.Copysign(0, -1), math.Inf(1), math.NaN(), math.Inf(-1)}

func (r *random) float() float64 {
	if r.odd {
		return floats[r.IntN(len(floats))]
	}
	return floats[r.IntN(len(floats)-3)]
}
