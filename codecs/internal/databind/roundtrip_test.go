package databind_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
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

// TestRoundTrip writes random values of all types in every format: what is read from the
// bytes is written as the same bytes again.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	values, changes := codectest.Count(8, 48), codectest.Count(1, 10)
	for name, c := range formats() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n, typ := range Types {
				r := &random{Rand: rand.New(rand.NewPCG(1, uint64(n)))}
				bound := bind(t, c, typ)
				for i := range values {
					v := reflect.New(typ).Elem()
					r.odd = i%6 == 0
					r.fill(v)
					payload, err := bound.Append([]byte("before"), v.Interface())
					if err != nil {
						checkEncodeError(t, err)
						continue
					}
					payload = payload[len("before"):]
					again(t, bound, typ, payload, true)
					if i < changes {
						changed(r, payload, func(p []byte) { again(t, bound, typ, p, false) })
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

// changed calls f with payload changed at random places.
func changed(r *random, payload []byte, f func([]byte)) {
	if len(payload) == 0 {
		return
	}
	for range 30 {
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
			part := payload[from:min(len(payload), from+r.IntN(12))]
			out = append(append(bytes.Clone(out[:at]), part...), payload[at:]...)
		}
		f(out)
	}
}

// FuzzTyped reads bytes of the fuzzer in every format as every type, and holds the memory
// that one reading takes to what the bytes and the element budget justify.
func FuzzTyped(f *testing.F) {
	all := formats(jackson.Limits(codecs.Limits{Elements: 1 << 12, Depth: 64}))
	bindings := map[string][]codecs.Binding{}
	r := &random{Rand: rand.New(rand.NewPCG(3, 4))}
	for _, name := range []string{"json", "cbor", "msgpack", "smile", "ion"} {
		for _, typ := range Types {
			bound := bind(f, all[name], typ)
			bindings[name] = append(bindings[name], bound)
			v := reflect.New(typ).Elem()
			r.fill(v)
			if payload, err := bound.Append(nil, v.Interface()); err == nil {
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
