package kryo5

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// typedRandom makes values of Go types that Java could have: the edges of numbers,
// nulls, strings of every form.
type typedRandom struct {
	*rand.Rand
	depth int
}

var typedTexts = []string{
	"", "a", "ab", "demo", "张三", "é", "😀", "a\x00b", "abcdefghijklmnopqrstuvwxyz012345", "abcdefghijklmnopqrstuvwxyz0123456",
	"\xed\xa0\x80", "naïve", string(make([]byte, 70)),
}

func (r *typedRandom) fill(v reflect.Value) {
	r.depth++
	defer func() { r.depth-- }()
	t := v.Type()
	if zeroIsNull(t) && t != decimalType && t != bigType && r.IntN(3) == 0 {
		return
	}
	if value := r.values()[t]; value != nil {
		v.Set(reflect.ValueOf(value()).Convert(t))
		return
	}
	r.fillKind(v)
}

// values makes the values of types that are no mere kinds.
func (r *typedRandom) values() map[reflect.Type]func() any {
	return map[reflect.Type]func() any{
		reflect.TypeFor[time.Time](): func() any {
			if r.IntN(4) == 0 {
				return time.Time{}
			}
			return time.UnixMilli(r.number()).UTC()
		},
		decimalType: func() any {
			unscaled := big.NewInt(r.number())
			if r.IntN(4) == 0 {
				unscaled.Mul(unscaled, unscaled)
			}
			return java.BigDecimal{Unscaled: unscaled, Scale: int32(r.IntN(9) - 4)}
		},
		bigType:                           func() any { return big.NewInt(r.number()) },
		reflect.TypeFor[java.UUID]():      func() any { return java.UUIDOf(r.number(), r.number()) },
		reflect.TypeFor[java.LocalDate](): func() any { return java.LocalDate{Year: 2024, Month: 2, Day: uint8(1 + r.IntN(29))} },
		reflect.TypeFor[java.LocalDateTime](): func() any {
			return java.LocalDateTime{Date: java.LocalDate{Year: 1, Month: 1, Day: 1}, Time: java.LocalTime{Hour: uint8(r.IntN(24))}}
		},
		reflect.TypeFor[typedColor]():  func() any { return []string{"RED", "GREEN", "BLUE"}[r.IntN(3)] },
		reflect.TypeFor[typedOpEnum](): func() any { return r.IntN(2) },
	}
}

func (r *typedRandom) number() int64 {
	edges := []int64{0, 1, -1, 63, 64, -65, 127, -128, 128, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1700000000123}
	if r.IntN(2) == 0 {
		return edges[r.IntN(len(edges))]
	}
	return r.Int64() >> r.IntN(64)
}

func (r *typedRandom) fillKind(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.number())
		if v.Kind() == reflect.Int {
			v.SetInt(int64(int32(r.number())))
		}
	case reflect.Uint16:
		v.SetUint(uint64(uint16(r.number())))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1.5, -2.25, math.Inf(1), math.NaN(), math.Copysign(0, -1)}[r.IntN(6)])
	case reflect.String:
		v.SetString(typedTexts[r.IntN(len(typedTexts))])
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
		if r.IntN(4) > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range r.IntN(4) {
				k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				r.fill(k)
				r.fill(e)
				v.SetMapIndex(k, e)
			}
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
		r.fillAny(v)
	default:
	}
}

func (r *typedRandom) fillAny(v reflect.Value) {
	values := []any{nil, "text", int32(5), int64(-5), true, 2.5, []any{"x", int32(1)}, map[string]any{"k": nil, "orderId": "100"}, []any{}}
	if x := values[r.IntN(len(values))]; x != nil {
		v.Set(reflect.ValueOf(x))
	}
}

func zeroIsNull(t reflect.Type) bool {
	v := jdk.OfType(t)
	return v != nil && v.ZeroIsNull
}
