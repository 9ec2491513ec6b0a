package databindtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind"
)

// TB is what is needed of a test.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// ways are the two ways of one type.
type ways struct {
	typ  reflect.Type
	fast codecs.Binding
	slow codecs.Binding
}

func bind(tb TB, c codecs.Codec, t reflect.Type) *ways {
	tb.Helper()
	fast, err := c.Bind(t, options(t))
	if err != nil {
		tb.Fatalf("%s: %v", t, err)
	}
	slow, err := databind.ByValues(c).Bind(t, options(t))
	if err != nil {
		tb.Fatalf("%s: %v", t, err)
	}
	return &ways{typ: t, fast: fast, slow: slow}
}

// check reads payload in both ways, and writes what came out in both ways.
func (w *ways) check(tb TB, payload []byte) {
	tb.Helper()
	fast, slow := reflect.New(w.typ), reflect.New(w.typ)
	given := bytes.Clone(payload)
	fastErr := w.fast.Decode(given, fast.Interface())
	if !bytes.Equal(given, payload) {
		tb.Fatalf("%s: the plan changed the payload %q", w.typ, payload)
	}
	for i := range given {
		given[i] = 'X' // nothing of it may be kept
	}
	err := w.slow.Decode(payload, slow.Interface())
	switch {
	case (err == nil) != (fastErr == nil):
		tb.Fatalf("%s from %q: with the plan %v, the other way says %v", w.typ, payload, fastErr, err)
	case err != nil:
		return
	case !reflect.DeepEqual(fast.Elem().Interface(), slow.Elem().Interface()):
		w.same(tb, payload, fast, slow)
	}
	w.checkEncode(tb, slow.Elem().Interface())
}

// same compares values that are not deeply equal, as NaN and big numbers of
// different making, by their bytes.
func (w *ways) same(tb TB, payload []byte, fast, slow reflect.Value) {
	tb.Helper()
	a, err := w.slow.Append(nil, fast.Elem().Interface())
	b, also := w.slow.Append(nil, slow.Elem().Interface())
	if err != nil || also != nil || !bytes.Equal(a, b) {
		tb.Fatalf("%s from %q\nthe two ways read %s\n%v, %v\n%s", w.typ, payload, differ(fast.Elem(), slow.Elem(), ""), err, also, difference(a, b))
	}
}

// difference shows where what the plan wrote and what the way by values did part.
func difference(plan, values []byte) string {
	at := 0
	for at < len(plan) && at < len(values) && plan[at] == values[at] {
		at++
	}
	from := max(0, at-40)
	return fmt.Sprintf("the plan wrote   …%q\nthe other way is …%q", plan[from:min(len(plan), at+80)], values[from:min(len(values), at+80)])
}

// checkEncode writes v in both ways.
func (w *ways) checkEncode(tb TB, v any) {
	tb.Helper()
	slow, err := w.slow.Append([]byte("before"), v)
	given := []any{v}
	if r, ok := w.fast.(interface{ Reuses() bool }); ok && r.Reuses() && v != nil {
		p := reflect.New(w.typ)
		p.Elem().Set(reflect.ValueOf(v))
		given = append(given, p.Interface())
	}
	for _, g := range given {
		fast, fastErr := w.fast.Append([]byte("before"), g)
		if !bytes.Equal(fast, slow) || (err == nil) != (fastErr == nil) {
			tb.Fatalf("%s: for %+v\n%s\nwith the plan %v, the other way says %v", w.typ, v, difference(fast, slow), fastErr, err)
		}
	}
}

// Agree writes random values of all types in both ways, reads the bytes again in
// both, and so what comes of them when bytes are changed, left out or put in: more values
// in the long form.
func Agree(t TB, c codecs.Codec) {
	t.Helper()
	values, mutated := codectest.Count(8, 48), codectest.Count(1, 10)
	for n, typ := range Types {
		r := &random{Rand: rand.New(rand.NewPCG(1, uint64(n)))}
		w := bind(t, c, typ)
		for i := range values {
			v := reflect.New(typ).Elem()
			r.odd = i%6 == 0
			r.fill(v)
			w.checkEncode(t, v.Interface())
			payload, err := w.slow.Append(nil, v.Interface())
			if err != nil {
				continue
			}
			w.check(t, payload)
			if i < mutated {
				w.mutate(t, r, payload)
			}
		}
	}
}

// mutate changes payload at random places.
func (w *ways) mutate(tb TB, r *random, payload []byte) {
	tb.Helper()
	if len(payload) == 0 {
		return
	}
	for range 30 {
		changed := bytes.Clone(payload)
		at := r.IntN(len(changed))
		switch r.IntN(5) {
		case 0:
			changed = changed[:at]
		case 1:
			changed[at] ^= 1 << r.IntN(8)
		case 2:
			changed[at] = byte(r.IntN(256))
		case 3:
			changed = append(changed[:at], changed[min(len(changed), at+1+r.IntN(4)):]...)
		case 4:
			from := r.IntN(len(payload))
			part := payload[from:min(len(payload), from+r.IntN(12))]
			changed = append(append(bytes.Clone(changed[:at]), part...), payload[at:]...)
		}
		w.check(tb, changed)
	}
}

// Suite compares the two ways of one codec on payloads that a fuzzer makes, and bounds
// the memory that they take together. The codec must have an element budget of 4,096.
type Suite struct{ all []*ways }

// NewSuite binds the codec to all types.
func NewSuite(tb TB, c codecs.Codec) *Suite {
	tb.Helper()
	s := &Suite{}
	for _, typ := range Types {
		s.all = append(s.all, bind(tb, c, typ))
	}
	return s
}

// Seeds returns a payload of each type.
func (s *Suite) Seeds() [][]byte {
	var seeds [][]byte
	r := &random{Rand: rand.New(rand.NewPCG(3, 4))}
	for _, w := range s.all {
		v := reflect.New(w.typ).Elem()
		r.fill(v)
		if payload, err := w.slow.Append(nil, v.Interface()); err == nil {
			seeds = append(seeds, payload)
		}
	}
	return seeds
}

// Check reads payload as each type.
func (s *Suite) Check(tb TB, payload []byte) {
	tb.Helper()
	for _, w := range s.all {
		w.check(tb, payload)
		w.checkAllocates(tb, payload)
	}
}

// checkAllocates holds the memory that one decoding takes to what the bytes and the
// element budget justify.
func (w *ways) checkAllocates(tb TB, payload []byte) {
	tb.Helper()
	var before, after runtime.MemStats
	v := reflect.New(w.typ).Interface()
	runtime.ReadMemStats(&before)
	_ = w.fast.Decode(payload, v) // the bound is on what it takes, whether it fails or not
	runtime.ReadMemStats(&after)
	if used, most := after.TotalAlloc-before.TotalAlloc, uint64(128*len(payload)+2<<20); used > most {
		tb.Errorf("%s from %q: %d bytes allocated, more than %d", w.typ, payload, used, most)
	}
}
