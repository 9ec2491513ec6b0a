package marshalling

import (
	"bytes"
	"reflect"
	"runtime"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// budget is the number of elements in the tests of what decoding allocates.
const budget = 4096

// seeds are everything Java wrote, and the hostile payloads.
func seeds(tb testing.TB) [][]byte {
	tb.Helper()
	out := [][]byte{benchPayload(tb)}
	for _, file := range []string{"legacy.tsv", "samples.tsv"} {
		for _, v := range vectors(tb, file) {
			out = append(out, v.payload)
		}
	}
	for _, u := range unsharedVectors(tb) {
		out = append(out, u.payload)
	}
	for _, h := range hostile() {
		out = append(out, h.payload)
	}
	return out
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// bound is what decoding may allocate.
func bound(payload []byte) uint64 { return 128*uint64(len(payload)) + 2<<20 }

func FuzzDecode(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	codec := New(Limits(codecs.Limits{Elements: budget, Depth: 64}))
	f.Fuzz(func(t *testing.T, payload []byte) {
		if used := allocated(func() { _, _ = codec.Decode(payload) }); used > bound(payload) {
			t.Fatalf("%x: allocated %d bytes", payload, used)
		}
		codectest.Stable(t, codec, payload)
	})
}

// FuzzDecodeStruct holds both ways into a struct together.
func FuzzDecodeStruct(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	check := structChecks(f)
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, c := range check {
			c(t, payload)
		}
	})
}

func structChecks(tb testing.TB) []func(t testing.TB, payload []byte) {
	return []func(t testing.TB, payload []byte){
		structCheck[order](tb), structCheck[*ringNode](tb), structCheck[two](tb), structCheck[[]item](tb), structCheck[benchOrder](tb),
		structCheck[map[string]any](tb), structCheck[map[string][]string](tb), structCheck[[]*java.BigDecimal](tb),
	}
}

func structCheck[T any](tb testing.TB) func(t testing.TB, payload []byte) {
	tb.Helper()
	codec := New(Limits(codecs.Limits{Elements: budget, Depth: 64}))
	b, err := codec.Bind(reflect.TypeFor[T](), codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	typed := b.(*binding)
	return func(t testing.TB, payload []byte) {
		t.Helper()
		var got, want T
		if used := allocated(func() { _ = typed.Decode(payload, &got) }); used > bound(payload) {
			t.Fatalf("%x into %T: allocated %d bytes", payload, got, used)
		}
		d := codec.decoder(payload)
		defer codec.release(d)
		var fast T
		done := typed.decodeTyped(d, &fast)
		v, err := codec.Decode(payload)
		if err == nil {
			err = java.DecodeError(name, typed.plan.Assign(v, &want))
		}
		switch {
		case !done:
		case err != nil:
			t.Fatalf("%x into %T: the typed plan reads it, the other way says %v", payload, fast, err)
		case !same(typed.plan, fast, want):
			t.Fatalf("%x into %T: the typed plan reads\n%+v\nthe other way\n%+v", payload, fast, fast, want)
		}
	}
}

// same compares two Go values by their Java values, NaN and cycles included.
func same(plan *java.Plan, a, b any) bool {
	x, err := plan.LowerShared(a)
	y, otherErr := plan.LowerShared(b)
	return (err == nil) == (otherErr == nil) && (err != nil || bytes.Equal(java.View(x), java.View(y)))
}
