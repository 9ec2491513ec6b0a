package serialtest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// Ways are the two ways of one Go type: by the typed plan, and by values.
type Ways struct {
	stream       *Stream
	codec        codecs.Codec
	typ          reflect.Type
	both, values codecs.Binding
}

// Ways binds a codec of the stream to a type.
func (s *Stream) Ways(tb testing.TB, codec codecs.Codec, t reflect.Type) *Ways {
	tb.Helper()
	b := bind(tb, codec, t)
	return &Ways{stream: s, codec: codec, typ: t, both: b, values: s.Values(b)}
}

// Check reads payload in both ways, and writes what came out in both ways. It
// reports whether the plan read it.
func (w *Ways) Check(tb testing.TB, payload []byte) bool {
	tb.Helper()
	plan, both, slow := reflect.New(w.typ), reflect.New(w.typ), reflect.New(w.typ)
	err, slowErr := w.both.Decode(payload, both.Interface()), w.values.Decode(payload, slow.Interface())
	read := w.stream.Reads(w.both, payload, plan.Interface())
	switch {
	case read && slowErr != nil:
		tb.Fatalf("%x into %s: the plan reads it, the way by values says %v", payload, w.typ, slowErr)
	case (err == nil) != (slowErr == nil):
		tb.Fatalf("%x into %s: %v; by values %v", payload, w.typ, err, slowErr)
	case err != nil:
		var e *codecs.DecodeError
		if !errors.As(err, &e) || e.Reason == "" {
			tb.Fatalf("%x into %s: the error is %v, want a DecodeError with a reason", payload, w.typ, err)
		}
		return false
	}
	w.same(tb, payload, both, slow)
	if read {
		w.same(tb, payload, plan, slow)
	}
	w.checkEncode(tb, slow.Elem().Interface(), w.stream.Names)
	return read
}

// same compares two values; those that are not deeply equal, as NaN and numbers of
// different making, by what people see of them and by their bytes.
func (w *Ways) same(tb testing.TB, payload []byte, got, want reflect.Value) {
	tb.Helper()
	x, y := got.Elem().Interface(), want.Elem().Interface()
	if reflect.DeepEqual(x, y) {
		return
	}
	a, err := w.values.Append(nil, x)
	b, otherErr := w.values.Append(nil, y)
	if (err == nil) != (otherErr == nil) || !bytes.Equal(a, b) || !bytes.Equal(java.View(x), java.View(y)) {
		tb.Fatalf("%x into %s:\n%s\nby values:\n%s", payload, w.typ, java.View(x), java.View(y))
	}
}

// CheckEncode writes a value in both ways, and reports whether the plan wrote it.
func (w *Ways) CheckEncode(tb testing.TB, v any) bool {
	tb.Helper()
	return w.checkEncode(tb, v, false)
}

// checkEncode is CheckEncode; with names, references may differ, see [Stream].
func (w *Ways) checkEncode(tb testing.TB, v any, names bool) bool {
	tb.Helper()
	const before = "before"
	slow, slowErr := w.values.Append([]byte(before), v)
	both, err := w.both.Append([]byte(before), v)
	if (err == nil) != (slowErr == nil) || !w.sameBytes(both, slow, len(before), names) {
		tb.Fatalf("%s from %s: %x, %v\nby values %x, %v", java.View(v), w.typ, both, err, slow, slowErr)
	}
	var e *codecs.EncodeError
	if err != nil && (!errors.As(err, &e) || string(both) != before) {
		tb.Fatalf("%s: the error is %v beside %q, want an EncodeError, and no more bytes", w.typ, err, both)
	}
	plan, wrote := w.stream.Writes(w.both, []byte(before), v)
	if wrote && (slowErr != nil || !w.sameBytes(plan, slow, len(before), names)) {
		tb.Fatalf("%s from %s: the plan wrote %x\nby values %x, %v", java.View(v), w.typ, plan, slow, slowErr)
	}
	return wrote
}

// sameBytes compares what two ways wrote behind byte at; with names, as values where
// the bytes differ.
func (w *Ways) sameBytes(a, b []byte, at int, names bool) bool {
	if bytes.Equal(a, b) || !names || len(a) < at || len(b) < at || !bytes.Equal(a[:at], b[:at]) {
		return bytes.Equal(a, b)
	}
	x, err := w.codec.Decode(a[at:])
	y, otherErr := w.codec.Decode(b[at:])
	return err == nil && otherErr == nil && bytes.Equal(java.View(x), java.View(y))
}

// CheckMemory holds what decoding allocates to the size of the payload and Budget.
// No other test may run meanwhile.
func (w *Ways) CheckMemory(tb testing.TB, payload []byte) {
	tb.Helper()
	v := reflect.New(w.typ).Interface()
	checkMemory(tb, payload, func() { _ = w.both.Decode(payload, v) })
}

func checkMemory(tb testing.TB, payload []byte, decode func()) {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	decode()
	runtime.ReadMemStats(&after)
	if used, most := after.TotalAlloc-before.TotalAlloc, uint64(128*len(payload)+2<<20); used > most {
		tb.Fatalf("%x: allocated %d bytes, more than %d", payload, used, most)
	}
}

// TwoWays compares the two ways on random values of many types, on what comes of
// their bytes when some are changed, and, also into other types, on payloads that Java
// wrote.
func (s *Stream) TwoWays(t *testing.T, payloads []Vector, others ...reflect.Type) {
	for _, typ := range others {
		t.Run(typ.String(), func(t *testing.T) {
			t.Parallel()
			w := s.Ways(t, s.New(Options{}), typ)
			for _, v := range payloads {
				w.Check(t, v.Payload)
			}
		})
	}
	values, mutated := codectest.Count(8, 96), codectest.Count(1, 24)
	for n, typ := range Types {
		t.Run(typ.String(), func(t *testing.T) {
			t.Parallel()
			r := &random{Rand: rand.New(rand.NewPCG(1, uint64(n)))}
			w := s.Ways(t, s.New(small), typ)
			wrote, read, writable := 0, 0, 0
			for i := range values {
				v := reflect.New(typ).Elem()
				r.odd, r.text = i%4 == 3, ""
				r.pointers = map[reflect.Type]reflect.Value{}
				r.fill(v)
				if w.CheckEncode(t, v.Interface()) {
					wrote++
				}
				payload, err := w.values.Append(nil, v.Interface())
				if err != nil {
					continue
				}
				writable++
				if w.Check(t, payload) {
					read++
				}
				if i < mutated {
					w.mutate(t, r, payload)
				}
			}
			for _, v := range payloads {
				w.Check(t, v.Payload)
			}
			t.Logf("of %d values %d written, %d read by the plan", writable, wrote, read)
			if !unusual[typ] && (2*wrote < writable || 2*read < writable) {
				t.Errorf("the plan wrote %d and read %d of %d values: hardly any is usual to it", wrote, read, writable)
			}
		})
	}
}

// mutate checks payload with random changes.
func (w *Ways) mutate(tb testing.TB, r *random, payload []byte) {
	tb.Helper()
	for range 40 {
		changed := bytes.Clone(payload)
		at := r.IntN(len(changed))
		switch r.IntN(4) {
		case 0:
			changed = changed[:at]
		case 1:
			changed[at] ^= 1 << r.IntN(8)
		case 2:
			changed[at] = byte(r.IntN(256))
		case 3:
			from := r.IntN(len(payload))
			part := payload[from:min(len(payload), from+r.IntN(12))]
			changed = append(append(bytes.Clone(changed[:at]), part...), payload[at:]...)
		}
		w.Check(tb, changed)
	}
}

// Fuzz holds the codec together on payloads of a fuzzer: with each type both ways
// agree, and memory is bounded.
func (s *Stream) Fuzz(f *testing.F, others ...reflect.Type) {
	codec := s.New(small)
	var all []*Ways
	r := &random{Rand: rand.New(rand.NewPCG(3, 4)), pointers: map[reflect.Type]reflect.Value{}}
	for _, t := range others {
		all = append(all, s.Ways(f, codec, t))
	}
	for _, t := range Types {
		w := s.Ways(f, codec, t)
		all = append(all, w)
		v := reflect.New(t).Elem()
		r.fill(v)
		if payload, err := w.both.Append(nil, v.Interface()); err == nil {
			f.Add(payload)
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, w := range all {
			w.CheckMemory(t, payload)
			w.Check(t, payload)
		}
	})
}
