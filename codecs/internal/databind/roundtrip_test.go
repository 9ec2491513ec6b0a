package databind_test

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/smile"
)

// told is a mapper with all that concerns numbers, names and enums.
var told, wrapped = func() (told, wrapped jackson.Mapper) {
	told = jackson.Mapper{Dates: jackson.DateTexts, TimeZone: "Asia/Shanghai", LongAsText: true, Naming: jackson.KebabCase, Enums: jackson.EnumOrdinals}
	wrapped = told
	wrapped.Typing = jackson.NonFinal
	return told, wrapped
}()

// formats are all formats, with the releases and options between which they differ.
func formats(opts ...jackson.Option) map[string]codecs.Codec {
	with := func(o ...jackson.Option) []jackson.Option { return append(o, opts...) }
	return map[string]codecs.Codec{
		"json":         jackson.JsonJackson(opts...),
		"json 3.8":     jackson.JsonJackson(with(jackson.Since("3.11.5"))...),
		"json 4.2":     jackson.JsonJackson(with(jackson.Since("4.7.0"))...),
		"json times":   jackson.JsonJackson(with(jackson.Mapper{Dates: jackson.Timestamps})...),
		"json texts":   jackson.JsonJackson(with(jackson.Mapper{Dates: jackson.DateTexts})...),
		"json3":        jackson.JsonJackson3(opts...),
		"typed json":   jackson.TypedJsonJackson(opts...),
		"typed json3":  jackson.TypedJsonJackson3(opts...),
		"cbor":         cbor.Jackson(opts...),
		"cbor 4.2":     cbor.Jackson(with(jackson.Since("4.7.0"))...),
		"cbor3":        cbor.Jackson3(opts...),
		"msgpack":      msgpack.Jackson(opts...),
		"smile":        smile.Jackson(opts...),
		"smile3":       smile.Jackson3(opts...),
		"ion":          ion.Jackson(opts...),
		"ion 3.12":     ion.Jackson(with(jackson.Since("3.12.0"))...),
		"ion3":         ion.Jackson3(opts...),
		"json told":    jackson.JsonJackson(with(told)...),
		"typed told":   jackson.TypedJsonJackson(with(told)...),
		"wrapped told": jackson.TypedJsonJackson(with(wrapped)...),
		"json limited": jackson.JsonJackson(jackson.Limits(codecs.Limits{Elements: 30, Depth: 5, Bytes: 2000, StringBytes: 40})),
	}
}

// newRandom makes values of the Go types, of which most can be written in all formats.
func newRandom(seed uint64) *codectest.Random {
	finite := func(r *codectest.Random) any {
		floats := []float64{0, 1, 1.5, -2.25, 1e21, 0.1, 1e-5, 123456.75, math.Copysign(0, -1), math.Inf(1), math.NaN(), math.Inf(-1)}
		if r.Odd {
			return floats[r.IntN(len(floats))]
		}
		return floats[r.IntN(len(floats)-3)]
	}
	enum := func(r *codectest.Random) any { return r.IntN(2) }
	r := codectest.NewRandom(seed, map[reflect.Type]func(r *codectest.Random) any{
		reflect.TypeFor[float32](): finite, reflect.TypeFor[float64](): finite, reflect.TypeFor[Level](): enum, reflect.TypeFor[Op](): enum,
		reflect.TypeFor[Color]():     func(r *codectest.Random) any { return []string{"RED", "GREEN", "BLUE"}[r.IntN(3)] },
		reflect.TypeFor[java.Char](): func(r *codectest.Random) any { return []java.Char{'a', 'é', '张'}[r.IntN(3)] },
		reflect.TypeFor[time.Time](): func(r *codectest.Random) any {
			if !r.Odd {
				return time.UnixMilli(r.Number() % 250e12).UTC() // up to the year 9892
			}
			return time.UnixMilli(r.Number() >> 10).UTC()
		},
		reflect.TypeFor[Shape](): func(r *codectest.Random) any {
			return []any{nil, Circle{R: 1.5}, &Square{Side: r.Number()}, &Square{Inner: &Square{Inner: Circle{R: -1}}}}[r.IntN(4)]
		},
	})
	r.Any = append(r.Any, []any{"java.lang.Long", int32(1)}, []string{"a"}, map[string]string{"a": "b"}, int16(3), float32(1.5), math.NaN(), Item{SKU: "s"},
		&Item{}, (*Item)(nil), map[string]any(nil), []any(nil), time.UnixMilli(5).UTC(), uint8(3), 7, map[string]any{"@class": "x"},
		java.UUIDOf(1, 2), []byte{1}, java.BigDecimal{Unscaled: big.NewInt(5), Scale: 1}, map[string]any{"orderId": "100", "n": int64(7)})
	return r
}

// TestRoundTrip writes random values of all types in every format: what is read from the
// bytes is written as the same bytes again.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	values, changes := codectest.Count(8, 48), codectest.Count(1, 10)
	for name, c := range formats() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n, typ := range Types {
				r := newRandom(uint64(n))
				bound := bind(t, c, typ)
				for i := range values {
					r.Odd = i%6 == 0
					payload, err := bound.Append([]byte("before"), r.Value(typ))
					if err != nil {
						checkEncodeError(t, err)
						continue
					}
					payload = payload[len("before"):]
					again(t, bound, typ, payload, true)
					if i < changes {
						for changed := range r.Changed(payload, 30) {
							again(t, bound, typ, changed, false)
						}
					}
				}
			}
		})
	}
}

func bind(t testing.TB, c codecs.Codec, typ reflect.Type) codecs.Binding {
	t.Helper()
	bound, err := c.Bind(typ, options(typ))
	if err != nil {
		t.Fatalf("%s: %v", typ, err)
	}
	return bound
}

func checkEncodeError(t *testing.T, err error) {
	t.Helper()
	var e *codecs.EncodeError
	if !errors.As(err, &e) {
		t.Errorf("%T %v, want an EncodeError", err, err)
	}
}

// again reads payload and, if it is one, writes what it read twice: the second time what was
// read from the first. The two are the same of what Java could have written; a payload that
// was changed may hold texts that are written like the name of a class.
func again(t *testing.T, bound codecs.Binding, typ reflect.Type, payload []byte, written bool) {
	t.Helper()
	given, to := bytes.Clone(payload), reflect.New(typ)
	err := bound.Decode(given, to.Interface())
	if !bytes.Equal(given, payload) {
		t.Fatalf("%s: reading changed the payload %q", typ, payload)
	}
	for i := range given {
		given[i] = 'X' // nothing of it may be kept
	}
	if err != nil {
		var e *codecs.DecodeError
		if !errors.As(err, &e) || e.Offset > len(payload) {
			t.Errorf("%s from %q: %T %v, want a DecodeError", typ, payload, err, err)
		}
		return
	}
	first, err := bound.Append(nil, to.Elem().Interface())
	if err != nil {
		checkEncodeError(t, err)
		return
	}
	to = reflect.New(typ)
	if err := bound.Decode(first, to.Interface()); err != nil {
		return // what Java writes and cannot read
	}
	if second, err := bound.Append(nil, to.Elem().Interface()); written && (err != nil || !bytes.Equal(first, second)) {
		t.Errorf("%s from %q: written %q,\nread and written again %q, %v", typ, payload, first, second, err)
	}
}

// FuzzTyped reads bytes of the fuzzer in every format as every type, and holds the memory
// that one reading takes to what the bytes and the element budget justify.
func FuzzTyped(f *testing.F) {
	all := formats(jackson.Limits(codecs.Limits{Elements: 1 << 12, Depth: 64}))
	bindings := map[string][]codecs.Binding{}
	r := newRandom(4)
	for _, name := range []string{"json", "cbor", "msgpack", "smile", "ion"} {
		for _, typ := range Types {
			bound := bind(f, all[name], typ)
			bindings[name] = append(bindings[name], bound)
			if payload, err := bound.Append(nil, r.Value(typ)); err == nil {
				f.Add(name, payload)
			}
		}
	}
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		for i, bound := range bindings[name] {
			again(t, bound, Types[i], payload, false)
			v := reflect.New(Types[i]).Interface()
			codectest.Allocates(t, payload, func() { _ = bound.Decode(payload, v) })
		}
	})
}
