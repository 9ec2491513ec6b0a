package kryo5

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// typedVectors reads what a released jar wrote for the values of integration/java/src/vectors/kryo5/Typed.java.
func typedVectors(tb testing.TB) map[string][]byte {
	tb.Helper()
	out := map[string][]byte{}
	for _, row := range codectest.Rows(tb, "testdata/typed.tsv") {
		out[row[0]] = codectest.FromHex(tb, row[1])
	}
	return out
}

// benchPayload reads one of the payloads that benchmarks share.
func benchPayload(tb testing.TB, name string) []byte {
	tb.Helper()
	return codectest.FromHex(tb, string(codectest.Must(os.ReadFile("testdata/bench/"+name+".hex"))(tb)))
}

func bindingOf(tb testing.TB, t reflect.Type, opts ...Option) codecs.Binding {
	tb.Helper()
	b := codectest.Must(New(opts...).Bind(t, codecs.BindOptions{}))(tb)
	return b
}

func typedOf[T any](tb testing.TB, codec *Codec, opts ...codecs.BindOptions) codecs.Typed[T] {
	tb.Helper()
	typed := codectest.Must(codecs.For[T](codec, append(opts, codecs.BindOptions{})[0]))(tb)
	return typed
}

// typedSubject is a type and the vectors it carries.
type typedSubject struct {
	typ    reflect.Type
	labels string // separated by commas; ! before one that is written otherwise than it came
}

var typedSubjects = []typedSubject{
	{reflect.TypeFor[typedPrims](), "Prims"},
	{reflect.TypeFor[typedBoxed](), "Boxed"},
	{reflect.TypeFor[typedChild](), "Child"},
	{reflect.TypeFor[typedLists](), "Lists,!Lists of other classes"},
	{reflect.TypeFor[typedMaps](), "Maps,!Maps of other classes"},
	{reflect.TypeFor[typedGenerics](), "Generics"},
	{reflect.TypeFor[typedTimes](), "Times"},
	{reflect.TypeFor[typedNumbers](), "Numbers"},
	{reflect.TypeFor[typedEnums](), "Enums"},
	{reflect.TypeFor[typedWide](), "Wide"},
	{reflect.TypeFor[*typedNodeBean](), "Node"},
	{reflect.TypeFor[typedRec](), "Rec"},
	{reflect.TypeFor[typedBox[string]](), "Box"},
	{reflect.TypeFor[typedRes[[]string]](), "Res"},
	{reflect.TypeFor[typedRes[typedInner]](), "Res2"},
	{reflect.TypeFor[typedSub[int64]](), "Sub"},
}

// eachTyped calls f with each vector, its type, and whether it is written otherwise than it came.
func eachTyped(tb testing.TB, f func(label string, typ reflect.Type, bound codecs.Binding, payload []byte, other bool)) {
	tb.Helper()
	all := typedVectors(tb)
	for _, s := range typedSubjects {
		bound := bindingOf(tb, s.typ)
		for label := range strings.SplitSeq(s.labels, ",") {
			label, other := strings.CutPrefix(label, "!")
			f(label, s.typ, bound, all[label], other)
		}
	}
}

// TestTypedVectors reads what Java wrote into Go types, writes the same bytes again, and then writes
// over the payload.
func TestTypedVectors(t *testing.T) {
	t.Parallel()
	eachTyped(t, func(label string, typ reflect.Type, bound codecs.Binding, payload []byte, other bool) {
		v, want := reflect.New(typ), reflect.New(typ)
		if err := errors.Join(bound.Decode(payload, v.Interface()), bound.Decode(bytes.Clone(payload), want.Interface())); err != nil {
			t.Errorf("%s: %v", label, err)
			return
		}
		out, err := bound.Append([]byte("before"), v.Elem().Interface())
		if err != nil || bytes.Equal(out, append([]byte("before"), payload...)) == other {
			t.Errorf("%s:\nread %x\nwrote %x, %v", label, payload, out, err)
		}
		for i := range payload {
			payload[i] = 0xee
		}
		if after, _ := bound.Append([]byte("before"), v.Elem().Interface()); !reflect.DeepEqual(v.Interface(), want.Interface()) || !bytes.Equal(after, out) {
			t.Errorf("%s: the value changed with the payload it came from", label)
		}
	})
}

// TestTypedAllocations holds decoding to one allocation per string, slice, map and
// pointer of the result, and encoding to one for the bytes beside what is pooled.
func TestTypedAllocations(t *testing.T) {
	bound := bindingOf(t, reflect.TypeFor[benchOrder]())
	payload := benchPayload(t, "order")
	var o benchOrder
	const parts = 3 + 2 + 1 + 1 + 1 // texts, tags, their slice, discount, total
	if n := testing.AllocsPerRun(100, func() { _ = bound.Decode(payload, &o) }); n > parts {
		t.Errorf("decoding allocates %v times, for %d parts", n, parts)
	}
	var v any = o
	const pooled = 3 // writer and buffers, which the race detector throws away at random
	if n := testing.AllocsPerRun(100, func() { _, _ = bound.Append(nil, v) }); n > 1+pooled {
		t.Errorf("encoding allocates %v times", n)
	}
}
