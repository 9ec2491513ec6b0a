package kryo5

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

// typedVectors reads what a released jar wrote for the values of integration/java/src/vectors/kryo5/Typed.java.
func typedVectors(tb testing.TB) map[string][]byte {
	tb.Helper()
	text, err := os.ReadFile("testdata/typed.tsv")
	if err != nil {
		tb.Fatal(err)
	}
	out := map[string][]byte{}
	for line := range strings.Lines(string(text)) {
		label, digits, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		out[label], err = hex.DecodeString(digits)
		if err != nil {
			tb.Fatal(err)
		}
	}
	return out
}

// benchPayload reads one of the payloads that benchmarks share.
func benchPayload(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile("testdata/bench/" + name + ".hex")
	if err != nil {
		tb.Fatal(err)
	}
	payload, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		tb.Fatal(err)
	}
	return payload
}

func bindingOf(tb testing.TB, t reflect.Type, opts ...Option) codecs.Binding {
	tb.Helper()
	b, err := New(opts...).Bind(t, codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return b
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

// TestTypedVectors reads what Java wrote into Go types, and writes the same bytes again.
func TestTypedVectors(t *testing.T) {
	t.Parallel()
	all := typedVectors(t)
	for _, s := range typedSubjects {
		bound := bindingOf(t, s.typ)
		for label := range strings.SplitSeq(s.labels, ",") {
			label, other := strings.CutPrefix(label, "!")
			payload, v := all[label], reflect.New(s.typ)
			if err := bound.Decode(payload, v.Interface()); err != nil {
				t.Errorf("%s: %v", label, err)
				continue
			}
			out, err := bound.Append([]byte("before"), v.Elem().Interface())
			if err != nil || bytes.Equal(out, append([]byte("before"), payload...)) == other {
				t.Errorf("%s:\nread %x\nwrote %x, %v", label, payload, out, err)
			}
		}
	}
}

// TestTypedKeepsNothing writes over a payload after it was read.
func TestTypedKeepsNothing(t *testing.T) {
	t.Parallel()
	all := typedVectors(t)
	for _, s := range typedSubjects {
		bound := bindingOf(t, s.typ)
		for label := range strings.SplitSeq(strings.ReplaceAll(s.labels, "!", ""), ",") {
			payload, want, got := bytes.Clone(all[label]), reflect.New(s.typ), reflect.New(s.typ)
			if err := errors.Join(bound.Decode(payload, want.Interface()), bound.Decode(payload, got.Interface())); err != nil {
				t.Errorf("%s: %v", label, err)
				continue
			}
			out, _ := bound.Append(nil, want.Elem().Interface())
			for i := range payload {
				payload[i] = 0xee
			}
			after, _ := bound.Append(nil, got.Elem().Interface())
			if !reflect.DeepEqual(got.Interface(), want.Interface()) || !bytes.Equal(after, out) {
				t.Errorf("%s: the value changed with the payload it came from", label)
			}
		}
	}
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
