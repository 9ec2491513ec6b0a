package kryo5

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// typedPair are the two ways of one binding.
type typedWays struct {
	typ  reflect.Type
	fast *typedPlan
	slow binding
}

func typedWaysOf(tb testing.TB, t reflect.Type, opts ...Option) typedWays {
	tb.Helper()
	bound, err := New(opts...).Bind(t, codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	both := bound.(*binding)
	slow := *both
	slow.typed = nil
	return typedWays{typ: t, fast: both.typed, slow: slow}
}

// check reads payload in both ways, and writes what came out in both ways. It
// reports whether the fast way was gone.
func (w typedWays) check(tb testing.TB, payload []byte) bool {
	tb.Helper()
	fast, slow := reflect.New(w.typ), reflect.New(w.typ)
	ok := w.fast.decode(payload, fast.Interface())
	err := w.slow.Decode(payload, slow.Interface())
	switch {
	case ok && err != nil:
		tb.Fatalf("%s from %x: the plan read %+v, the other way says %v", w.typ, payload, fast.Elem(), err)
	case err != nil:
		return false
	case ok && !reflect.DeepEqual(fast.Elem().Interface(), slow.Elem().Interface()):
		w.same(tb, payload, fast, slow)
	}
	w.checkEncode(tb, slow.Elem().Interface())
	return ok
}

// same compares values that are not deeply equal, as NaN and big numbers of
// different making, by their bytes.
func (w typedWays) same(tb testing.TB, payload []byte, fast, slow reflect.Value) {
	tb.Helper()
	a, err := w.slow.Append(nil, fast.Elem().Interface())
	b, also := w.slow.Append(nil, slow.Elem().Interface())
	if err != nil || also != nil || !bytes.Equal(a, b) {
		tb.Fatalf("%s from %x:\nthe plan read    %+v\nthe other way is %+v, %v, %v", w.typ, payload, fast.Elem(), slow.Elem(), err, also)
	}
}

// checkEncode writes v in both ways and reports whether the fast way was gone.
func (w typedWays) checkEncode(tb testing.TB, v any) bool {
	tb.Helper()
	fast, ok := w.fast.append(nil, v)
	slow, err := w.slow.Append(nil, v)
	switch {
	case ok && err != nil:
		tb.Fatalf("%s: the plan wrote %x for %+v, the other way says %v", w.typ, fast, v, err)
	case ok && !bytes.Equal(fast, slow):
		tb.Fatalf("%s: for %+v\nthe plan wrote   %x\nthe other way is %x", w.typ, v, fast, slow)
	}
	return ok
}

// TestTypedAgrees drives both ways with what Java wrote, with every prefix of it
// and with every byte of it changed.
func TestTypedAgrees(t *testing.T) {
	t.Parallel()
	all := typedVectors(t)
	for _, s := range typedSubjects {
		ways := typedWaysOf(t, s.typ)
		for label := range strings.SplitSeq(strings.ReplaceAll(s.labels, "!", ""), ",") {
			payload := all[label]
			if !ways.check(t, payload) {
				t.Errorf("%s: the plan did not read it", label)
			}
			for i := range codectest.Places(len(payload)) {
				ways.check(t, payload[:i])
				for _, b := range []byte{0, 1, payload[i] ^ 0x80, payload[i] + 1} {
					changed := bytes.Clone(payload)
					changed[i] = b
					ways.check(t, changed)
				}
			}
		}
	}
}

// TestTypedRandom writes random values in both ways and reads the bytes again.
func TestTypedRandom(t *testing.T) {
	t.Parallel()
	r := &typedRandom{Rand: rand.New(rand.NewPCG(1, 2))}
	types := []reflect.Type{
		reflect.TypeFor[benchOrder](), reflect.TypeFor[remarkStruct](), reflect.TypeFor[map[string]string](), reflect.TypeFor[[]string](),
		reflect.TypeFor[map[string][]int64](), reflect.TypeFor[[]*typedInner](), reflect.TypeFor[map[string]map[string]typedSealed](),
		reflect.TypeFor[map[string]uint16](), reflect.TypeFor[[][]byte](), reflect.TypeFor[map[int64]string](), reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[any](),
		reflect.TypeFor[[]java.LocalDate](), reflect.TypeFor[map[string]java.UUID](), reflect.TypeFor[[]*java.LocalDateTime](),
	}
	for _, s := range typedSubjects {
		types = append(types, s.typ)
	}
	for _, typ := range types {
		ways := typedWaysOf(t, typ)
		wrote := 0
		for range codectest.Count(30, 200) {
			v := reflect.New(typ).Elem()
			r.fill(v)
			if ways.checkEncode(t, v.Interface()) {
				wrote++
			}
			if payload, err := ways.slow.Append(nil, v.Interface()); err == nil {
				ways.check(t, payload)
			}
		}
		if wrote == 0 && typ != reflect.TypeFor[map[int64]string]() {
			t.Errorf("%s: the plan wrote no value", typ)
		}
	}
}

// checkTypedAllocates holds the memory that one decoding takes to what the
// bytes and the element budget of 4,096 justify.
func checkTypedAllocates(tb testing.TB, ways typedWays, payload []byte) {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if v := reflect.New(ways.typ).Interface(); !ways.fast.decode(payload, v) {
		_ = ways.slow.Decode(payload, v) // both ways together: what a queue pays for bad bytes
	}
	runtime.ReadMemStats(&after)
	if used, most := after.TotalAlloc-before.TotalAlloc, uint64(128*len(payload)+2<<20); used > most {
		tb.Errorf("%s from %x: %d bytes allocated, more than %d", ways.typ, payload, used, most)
	}
}

func fuzzTyped(f *testing.F, ways ...typedWays) {
	f.Helper()
	for _, payload := range typedVectors(f) {
		f.Add(payload)
	}
	f.Add(benchPayload(f, "order"))
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, w := range ways {
			w.check(t, payload)
			checkTypedAllocates(t, w, payload)
		}
	})
}

var fuzzLimits = Limits(codecs.Limits{Elements: 1 << 12, Depth: 64})

func FuzzTypedOrder(f *testing.F) {
	fuzzTyped(f, typedWaysOf(f, reflect.TypeFor[benchOrder](), fuzzLimits), typedWaysOf(f, reflect.TypeFor[typedChild](), fuzzLimits),
		typedWaysOf(f, reflect.TypeFor[typedLists](), fuzzLimits), typedWaysOf(f, reflect.TypeFor[typedMaps](), fuzzLimits))
}

func FuzzTypedGeneric(f *testing.F) {
	fuzzTyped(f, typedWaysOf(f, reflect.TypeFor[typedGenerics](), fuzzLimits), typedWaysOf(f, reflect.TypeFor[typedRes[typedInner]](), fuzzLimits),
		typedWaysOf(f, reflect.TypeFor[typedBox[string]](), fuzzLimits))
}

// FuzzTypedNode reads graphs with references, which only the way by values carries:
// what can be read can be written, and comes back the same.
func FuzzTypedNode(f *testing.F) {
	typed, err := codecs.For[*typedNodeBean](New(fuzzLimits, References()), codecs.BindOptions{})
	if err != nil {
		f.Fatal(err)
	}
	name := "r"
	kid := &typedNodeBean{}
	root := &typedNodeBean{N: &name, Kids: []*typedNodeBean{kid, kid}}
	for _, n := range []*typedNodeBean{nil, kid, root} {
		if payload, err := typed.Encode(n); err == nil {
			f.Add(payload)
		}
	}
	root.Next, kid.Next = root, root
	payload, err := typed.Encode(root)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(payload)
	f.Fuzz(func(t *testing.T, payload []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n, err := typed.Decode(payload)
		runtime.ReadMemStats(&after)
		if used, most := after.TotalAlloc-before.TotalAlloc, uint64(128*len(payload)+2<<20); used > most {
			t.Errorf("%x: %d bytes allocated, more than %d", payload, used, most)
		}
		var decode *codecs.DecodeError
		if err != nil {
			if !errors.As(err, &decode) || decode.Reason == "" || decode.Offset > len(payload) {
				t.Fatalf("%x: untyped error %v", payload, err)
			}
			return
		}
		first, err := typed.Encode(n)
		var encode *codecs.EncodeError
		if errors.As(err, &encode) {
			return
		}
		again, err := typed.Decode(first)
		if err != nil {
			t.Fatalf("%x became %x, which does not decode: %v", payload, first, err)
		}
		if second, err := typed.Encode(again); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%x became %x, then %x, %v", payload, first, second, err)
		}
	})
}
