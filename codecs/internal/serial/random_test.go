package serial_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// random makes values of Go types that Java could have: the edges of numbers, nulls,
// and objects that occur more than once.
type random struct {
	*rand.Rand
	depth    int
	odd      bool // also what Java cannot have
	text     string
	pointers map[reflect.Type]reflect.Value // the last one of each type
}

var texts = []string{"", "a", "demo", "张三", "é", "😀", "a\x00b", "java.lang.String", string(make([]byte, 300)), "id", "label"}

func (r *random) number() int64 {
	edges := []int64{0, 1, -1, 16, 17, 127, -128, 128, -129, 255, 256, math.MaxInt16, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1700000000123}
	if r.IntN(2) == 0 {
		return edges[r.IntN(len(edges))]
	}
	return r.Int64() >> r.IntN(64)
}

func (r *random) float() float64 {
	floats := []float64{0, 1, -2.25, 1e21, 0.1, math.Copysign(0, -1), math.Inf(1), math.NaN()}
	return floats[r.IntN(len(floats))]
}

func (r *random) fill(v reflect.Value) {
	r.depth++
	defer func() { r.depth-- }()
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		if r.IntN(4) > 0 {
			v.Set(reflect.ValueOf(time.UnixMilli(r.number() >> 12).UTC()))
		}
	case reflect.TypeFor[java.BigDecimal]():
		n := big.NewInt(r.number())
		v.Set(reflect.ValueOf(java.BigDecimal{Unscaled: n.Lsh(n, uint(r.IntN(3)*40)), Scale: int32(r.IntN(9) - 4)}))
	case reflect.TypeFor[*big.Int]():
		if r.IntN(4) > 0 {
			v.Set(reflect.ValueOf(big.NewInt(r.number())))
		}
	case reflect.TypeFor[java.UUID]():
		v.Set(reflect.ValueOf(java.UUIDOf(r.number(), r.number())))
	case reflect.TypeFor[java.LocalDate]():
		v.Set(reflect.ValueOf(java.LocalDate{Year: int32(r.IntN(3000)), Month: uint8(1 + r.IntN(12)), Day: uint8(1 + r.IntN(28))}))
	case reflect.TypeFor[java.LocalDateTime]():
		v.Set(reflect.ValueOf(java.LocalDateTime{Date: java.LocalDate{Year: 2024, Month: 1, Day: 2}, Time: java.LocalTime{Hour: uint8(r.IntN(24))}}))
	case reflect.TypeFor[Color]():
		v.SetString([]string{"RED", "GREEN", "BLUE"}[r.IntN(3)])
		if r.odd && r.IntN(8) == 0 {
			v.SetString("PINK")
		}
	default:
		r.fillKind(v)
	}
}

func (r *random) fillKind(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.number())
	case reflect.Int:
		n := r.number()
		if !r.odd {
			n = int64(int32(n))
		}
		v.SetInt(n)
	case reflect.Uint8:
		v.SetUint(uint64(r.IntN(128)))
	case reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(r.number()))
	case reflect.Uint:
		n := r.number()
		if !r.odd {
			n &= math.MaxInt32
		}
		v.SetUint(uint64(n))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(r.float())
	case reflect.String:
		if r.IntN(3) > 0 {
			r.text = string([]byte(texts[r.IntN(len(texts))])) // another one each time
		}
		v.SetString(r.text)
		if r.odd && r.IntN(8) == 0 {
			v.SetString("\xff")
		}
	case reflect.Pointer:
		r.fillPointer(v)
	case reflect.Slice:
		if r.IntN(4) > 0 && r.depth < 7 {
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
		if x := r.any(); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	default:
	}
}

// fillPointer makes a variable, or takes the last bean: also one that is being filled.
func (r *random) fillPointer(v reflect.Value) {
	last := r.pointers[v.Type()]
	_, bean := v.Interface().(interface{ JavaClass() string })
	switch {
	case r.IntN(4) == 0 || r.depth > 6:
	case last.IsValid() && bean && r.IntN(3) == 0:
		v.Set(last)
	default:
		v.Set(reflect.New(v.Type().Elem()))
		r.pointers[v.Type()] = reflect.ValueOf(v.Interface())
		r.fill(v.Elem())
	}
}

func (r *random) fillMap(v reflect.Value) {
	if r.IntN(4) == 0 || r.depth > 6 {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range r.IntN(14) {
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		r.fill(k)
		r.fill(e)
		v.SetMapIndex(k, e)
	}
}

func (r *random) any() any {
	values := []any{
		nil, "text", int32(5), int64(-5), int64(1) << 40, true, 2.5, int8(3), int16(300), float32(1.5), java.Char('x'), 7, math.NaN(),
		[]any{"x", int32(1), nil},
		map[string]any{"k": nil, "in": map[string]any{"a": []any{}}},
		[]any{},
		map[string]any{},
		[]string{"a"},
		map[string]string{"a": "b"},
		Item{SKU: "s"},
		(*Item)(nil), map[string]any(nil), []any(nil), time.UnixMilli(5).UTC(),
		java.UUIDOf(1, 2),
		[]byte{1},
		[]int32{1, 2},
		java.BigDecimal{Unscaled: big.NewInt(5), Scale: 1},
		big.NewInt(7), Color("RED"),
		java.Date{Class: java.ClassDate, Millis: 5},
		java.Enum{Class: "demo.Color", Name: "RED"},
		&java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{{Key: int32(1), Value: "x"}}}, &java.List{Class: "java.util.LinkedList"},
	}
	return values[r.IntN(len(values))]
}
