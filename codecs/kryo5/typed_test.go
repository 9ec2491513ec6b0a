package kryo5

import (
	"bytes"
	"encoding/hex"
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

func typedPlanOf(tb testing.TB, c *Codec, t reflect.Type) *typedPlan {
	tb.Helper()
	b, err := c.Bind(t, codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	p := b.(*binding).typed
	if p == nil {
		tb.Fatalf("%s has no plan", t)
	}
	return p
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

// TestTypedPlan reads what Java wrote straight into Go types, and writes the same
// bytes again, without help of the other way.
func TestTypedPlan(t *testing.T) {
	t.Parallel()
	all := typedVectors(t)
	for _, s := range typedSubjects {
		plan := typedPlanOf(t, New(), s.typ)
		for label := range strings.SplitSeq(s.labels, ",") {
			label, other := strings.CutPrefix(label, "!")
			payload, v := all[label], reflect.New(s.typ)
			if payload == nil || !plan.decode(payload, v.Interface()) {
				t.Errorf("%s: not read", label)
				continue
			}
			out, ok := plan.append([]byte("before"), v.Elem().Interface())
			if !ok || bytes.Equal(out, append([]byte("before"), payload...)) == other {
				t.Errorf("%s:\nread %x\nwrote %x, %v", label, payload, out, ok)
			}
		}
	}
}

// TestTypedKeepsNothing writes over a payload after it was read.
func TestTypedKeepsNothing(t *testing.T) {
	t.Parallel()
	all := typedVectors(t)
	for _, s := range typedSubjects {
		plan := typedPlanOf(t, New(), s.typ)
		for label := range strings.SplitSeq(strings.ReplaceAll(s.labels, "!", ""), ",") {
			payload, want, got := bytes.Clone(all[label]), reflect.New(s.typ), reflect.New(s.typ)
			if !plan.decode(payload, want.Interface()) || !plan.decode(payload, got.Interface()) {
				t.Errorf("%s: not read", label)
				continue
			}
			out, _ := plan.append(nil, want.Elem().Interface())
			for i := range payload {
				payload[i] = 0xee
			}
			after, _ := plan.append(nil, got.Elem().Interface())
			if !reflect.DeepEqual(got.Interface(), want.Interface()) || !bytes.Equal(after, out) {
				t.Errorf("%s: the value changed with the payload it came from", label)
			}
		}
	}
}

// TestTypedAllocations holds decoding to one allocation per string, slice, map and
// pointer of the result, and encoding to one for the bytes beside what is pooled.
func TestTypedAllocations(t *testing.T) {
	plan := typedPlanOf(t, New(), reflect.TypeFor[benchOrder]())
	payload := benchPayload(t, "order")
	var o benchOrder
	const parts = 3 + 2 + 1 + 1 + 1 // texts, tags, their slice, discount, total
	if n := testing.AllocsPerRun(100, func() { plan.decode(payload, &o) }); n > parts {
		t.Errorf("decoding allocates %v times, for %d parts", n, parts)
	}
	var v any = o
	const pooled = 3 // writer and buffers, which the race detector throws away at random
	if n := testing.AllocsPerRun(100, func() { plan.append(nil, v) }); n > 1+pooled {
		t.Errorf("encoding allocates %v times", n)
	}
}
