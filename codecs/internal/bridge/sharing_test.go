package bridge_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

type graphNode struct {
	Name  string
	Next  *graphNode
	Kids  []*graphNode
	Tags  []string
	Attrs map[string]*graphNode
	Any   any
}

func (graphNode) JavaClass() string { return "demo.Node" }

// nodeObject is the value form of a graphNode.
func nodeObject(name string, next any) *java.Object {
	return &java.Object{Class: "demo.Node", Fields: []java.Field{{Name: "name", Value: name}, {Name: "next", Value: next}}}
}

func set(o *java.Object, name string, value any) {
	o.Fields = append(o.Fields, java.Field{Name: name, Value: value})
}

func TestAssignKeepsSharing(t *testing.T) {
	t.Parallel()
	tags := &java.List{Elements: []any{"x"}}
	b := nodeObject("b", nil)
	a := nodeObject("a", b)
	b.Fields[1].Value = a // a cycle
	set(a, "kids", &java.List{Elements: []any{b, a, b}})
	set(a, "tags", tags)
	set(b, "tags", tags)
	attrs := &java.Map{}
	attrs.Set("self", a)
	set(a, "attrs", attrs)
	set(a, "any", attrs)
	var got *graphNode
	if err := mustCompile[*graphNode](t).Assign(a, &got); err != nil {
		t.Fatal(err)
	}
	if got.Next.Next != got || got.Kids[0] != got.Next || got.Kids[1] != got || got.Kids[2] != got.Next || got.Attrs["self"] != got {
		t.Error("pointers are not shared")
	}
	if &got.Tags[0] != &got.Next.Tags[0] {
		t.Error("slices are not shared")
	}
	if plain := got.Any.(map[string]any); plain["self"] != any(a) {
		t.Errorf("inside any: %v", plain)
	}

	back := codectest.Must(mustCompile[*graphNode](t).LowerShared(got))(t)
	o := back.(*java.Object)
	next, _ := o.Get("next")
	nextNext, _ := next.(*java.Object).Get("next")
	mine, _ := o.Get("tags")
	others, _ := next.(*java.Object).Get("tags")
	if nextNext != any(o) || mine != others || mine.(*java.List) == nil {
		t.Error("lowering does not keep what is shared")
	}
	if _, err := mustCompile[*graphNode](t).Lower(got); err == nil || !strings.Contains(err.Error(), "cycle") {
		t.Errorf("without sharing: %v", err)
	}
}

// TestBranchingCycle: each level doubles, so that following all paths would never
// end.
func TestBranchingCycle(t *testing.T) {
	t.Parallel()
	loop := &graphNode{}
	loop.Next, loop.Kids = loop, []*graphNode{loop, loop}
	_, err := bridge.Lower(loop)
	var e *codecs.EncodeError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "cycle") {
		t.Errorf("%.200v", err)
	}
	self := map[string]any{}
	self["a"], self["b"] = self, self
	if _, err := bridge.Lower(self); !errors.As(err, &e) || !strings.Contains(err.Error(), "cycle") {
		t.Errorf("%.200v", err)
	}
	out, err := bridge.LowerShared(self)
	if err != nil || out.(*java.Map).Entries[0].Value != out || out.(*java.Map).Len() != 2 {
		t.Errorf("%v", err)
	}
	if got := view.Of(self); string(got) != `{"class":"java.util.HashMap","value":{"a":{"class":"java.util.HashMap","ref":""},"b":{"class":"java.util.HashMap","ref":""}}}` {
		t.Errorf("%s", got)
	}
}

// laughs shares each level twice: 2^depth when unfolded.
func laughs(depth int) any {
	v := any("ha")
	for range depth {
		v = &java.List{Elements: []any{v, v}}
	}
	return v
}

func TestLaughs(t *testing.T) {
	t.Parallel()
	v := laughs(60)
	type deep [][][]any
	var into deep
	if err := mustCompile[deep](t).Assign(v, &into); err != nil || &into[0][0] != &into[1][0] {
		t.Errorf("typed: %v", err)
	}
	var plain []any
	if err := mustCompile[[]any](t).Assign(v, &plain); err != nil {
		t.Errorf("any: %v", err)
	}
	a, b := java.Plain(v).([]any)[0].([]any), java.Plain(v).([]any)[1].([]any)
	if len(a) != 2 || len(b) != 2 {
		t.Error("Plain")
	}
	o := any(nodeObject("end", nil))
	for range 60 {
		kid := nodeObject("n", o)
		set(kid, "kids", &java.List{Elements: []any{o, o}})
		o = kid
	}
	var root *graphNode
	if err := mustCompile[*graphNode](t).Assign(o, &root); err != nil || root.Kids[0] != root.Next {
		t.Errorf("beans: %v", err)
	}
	var value graphNode
	if err := mustCompile[graphNode](t).Assign(o, &value); err != nil {
		t.Errorf("beans by value: %v", err)
	}
	if _, err := bridge.LowerShared(root); err != nil {
		t.Errorf("lowering with sharing: %v", err)
	}
	var e *codecs.EncodeError
	if _, err := bridge.Lower(root); !errors.As(err, &e) || !strings.Contains(err.Error(), "too many values") {
		t.Errorf("lowering without sharing: %.200v", err)
	}
	for _, shown := range []any{v, o, root} {
		if out := view.Of(shown); !json.Valid(out) || len(out) > 1<<20 {
			t.Errorf("view of %T: %d bytes", shown, len(out))
		}
	}
	if _, ok := keyorder.HashCode(v); ok || keyorder.Compare(v, laughs(60)) != 0 {
		t.Error("containers are no keys")
	}
}

// TestSharedArrays: an array that many slots share is converted once.
func TestSharedArrays(t *testing.T) {
	t.Parallel()
	array := make([]int32, 1000)
	l := &java.List{}
	for range 1000 {
		l.Elements = append(l.Elements, array)
	}
	var out [][]int64
	if err := mustCompile[[][]int64](t).Assign(l, &out); err != nil || &out[0][0] != &out[999][0] {
		t.Errorf("%v", err)
	}
	var same [][]int32
	if err := mustCompile[[][]int32](t).Assign(l, &same); err != nil || &same[0][0] != &array[0] {
		t.Errorf("%v", err)
	}
}

// TestSharedNumber: digits of one big number are not made without bound.
func TestSharedNumber(t *testing.T) {
	t.Parallel()
	n := new(big.Int).Lsh(big.NewInt(1), 100_000)
	l := &java.List{}
	for range 600 {
		l.Elements = append(l.Elements, n)
	}
	plan := mustCompile[struct {
		N []string `java:"n,java.util.List<java.math.BigInteger>"`
	}](t)
	target := reflect.New(plan.Described().Go).Interface()
	v := &java.Map{Entries: []java.Entry{{Key: "n", Value: l}}}
	if err := plan.Assign(v, target); err == nil || !strings.Contains(err.Error(), "too many digits") {
		t.Errorf("%.100v", err)
	}
	l.Elements = l.Elements[:10]
	if err := plan.Assign(v, target); err != nil {
		t.Errorf("%.100v", err)
	}
}

// TestReferenceChain: references make a chain far deeper than the payload nests.
func TestReferenceChain(t *testing.T) {
	t.Parallel()
	head := nodeObject("0", nil)
	for range 50_000 {
		head = nodeObject("n", head)
	}
	var root *graphNode
	var e *codecs.DecodeError
	if err := mustCompile[*graphNode](t).Assign(head, &root); !errors.As(err, &e) || !strings.Contains(e.Reason, "too deeply") {
		t.Errorf("%.100v", err)
	}
	v := any("end")
	for range 50_000 {
		v = &java.List{Elements: []any{v}}
	}
	if _, ok := java.Plain(v).([]any); !ok || !json.Valid(view.Of(v)) {
		t.Error("Plain or View")
	}
}

// randomGraph draws Java values that share and contain each other.
func randomGraph(t *rapid.T) any {
	n := rapid.IntRange(1, 12).Draw(t, "containers")
	made := make([]any, n)
	for i := range made {
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			made[i] = &java.List{}
		case 1:
			made[i] = &java.Map{}
		default:
			made[i] = &java.Object{Class: rapid.SampledFrom([]string{"demo.Node", "java.util.Optional"}).Draw(t, "class")}
		}
	}
	part := func() any {
		if rapid.Bool().Draw(t, "leaf") {
			return rapid.SampledFrom([]any{nil, "s", int32(1), 2.5, []int32{1}, java.Enum{Class: "demo.Color", Name: "RED"}, java.UUID{}}).Draw(t, "scalar")
		}
		return rapid.SampledFrom(made).Draw(t, "container")
	}
	for _, c := range made {
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			switch c := c.(type) {
			case *java.List:
				c.Elements = append(c.Elements, part())
			case *java.Map:
				c.Entries = append(c.Entries, java.Entry{Key: rapid.SampledFrom([]any{"name", "next", "k", int32(1), nil}).Draw(t, "key"), Value: part()})
			case *java.Object:
				set(c, rapid.SampledFrom([]string{"name", "next", "kids", "tags", "attrs", "any", "value"}).Draw(t, "field"), part())
			}
		}
	}
	return made[0]
}

// TestGraphs: whatever refers to whatever, every conversion ends, in a value or in
// a typed error.
func TestGraphs(t *testing.T) {
	t.Parallel()
	plans := []*bridge.Plan{
		mustCompile[*graphNode](t), mustCompile[[]any](t), mustCompile[map[string][]graphNode](t), mustCompile[[]map[string]*graphNode](t),
	}
	rapid.Check(t, func(t *rapid.T) {
		v := randomGraph(t)
		if out := view.Of(v); !json.Valid(out) {
			t.Fatalf("view %s", out)
		}
		java.Plain(v)
		for _, plan := range plans {
			target := reflect.New(plan.Described().Go)
			err := plan.Assign(v, target.Interface())
			var assign *codecs.DecodeError
			if err != nil && !errors.As(err, &assign) {
				t.Fatalf("%T: %v", err, err)
			}
			if err != nil {
				continue
			}
			shared, err := plan.LowerShared(target.Elem().Interface())
			var lower *codecs.EncodeError
			if err != nil && !errors.As(err, &lower) {
				t.Fatalf("%T: %v", err, err)
			}
			if err == nil && shared != nil {
				again := reflect.New(plan.Described().Go)
				if err := plan.Assign(shared, again.Interface()); err != nil {
					t.Fatalf("what was lowered does not go back: %v", err)
				}
				if !reflect.DeepEqual(again.Elem().Interface(), target.Elem().Interface()) {
					t.Fatalf("went there as %s, came back as %s", view.Of(target.Elem().Interface()), view.Of(again.Elem().Interface()))
				}
			}
		}
	})
}
