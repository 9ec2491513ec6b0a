package payload

import (
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/codecs/java"
)

func order() *java.Object {
	return &java.Object{Class: "com.demo.Order", Fields: []java.Field{
		{Name: "orderId", Value: int64(4711)},
		{Name: "customer", Value: &java.Object{Class: "com.demo.Customer", Fields: []java.Field{
			{Name: "id", Value: "c-1"}, {Name: "email", Value: "ann@example.com"},
		}}},
		{Name: "items", Value: &java.List{Class: java.ClassArrayList, Elements: []any{
			&java.Map{Class: java.ClassHashMap, Entries: []java.Entry{{Key: "sku", Value: "x1"}, {Key: "ann@example.com", Value: "secret"}, {Key: int32(7), Value: "secret"}}},
			&java.Map{Class: java.ClassHashMap, Entries: []java.Entry{{Key: "sku", Value: "x2"}}},
		}}},
		{Name: "paidAt", Value: java.Instant{Seconds: 1700000000}},
		{Name: "note"},
	}}
}

func TestTree(t *testing.T) {
	t.Parallel()
	got := string(Tree(order(), FieldsOf("orderId", "items.sku", "paidAt"), Bounds{}).Lines(0))
	const want = `com.demo.Order, 5 fields
  orderId: 4711 (java.lang.Long)
  customer: com.demo.Customer, 2 fields
    id: hidden (java.lang.String)
    email: hidden (java.lang.String)
  items: java.util.ArrayList, 2 elements
    - java.util.HashMap, 3 entries
      "sku": "x1"
      hidden (java.lang.String): hidden (java.lang.String)
      hidden (java.lang.Integer): hidden (java.lang.String)
    - java.util.HashMap, 1 entry
      "sku": "x2"
  paidAt: "2023-11-14T22:13:20Z" (java.time.Instant)
  note: null`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	for want, visible := range map[string]Fields{
		"Order": {},
		"Order orderId=4711 customer.id=c-1 items.sku=x1 items.sku=x2": FieldsOf("orderId", "customer.id", "items.sku"),
		"Order customer.id=c-1 customer.email=ann@example.com":         FieldsOf("customer"),
	} {
		if got := Tree(order(), visible, Bounds{}).Summary(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for want, v := range map[string]any{"4711": int64(4711), "abc": "abc", "HashMap": &java.Map{Class: java.ClassHashMap}, "UUID": &java.Object{Class: "java.util.UUID", Fields: []java.Field{{Value: "u"}}}} {
		visible := Everything
		if want == "UUID" {
			visible = Fields{}
		}
		if got := Tree(v, visible, Bounds{}).Summary(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	nested := &java.Object{Class: "com.demo.Order", Fields: []java.Field{
		{Name: "items", Value: order()}, {Name: "number", Value: "N-1"}, {Name: "orderId", Value: "A-1"},
	}}
	if got := Tree(nested, Everything, Bounds{}).Summary(); !strings.HasPrefix(got, "Order number=N-1 orderId=A-1 items.") || len(got) > maxSummary+8 {
		t.Errorf("what lies deeper stands in front: %s", got)
	}
	long := &java.Map{Class: java.ClassHashMap}
	for i := range 100 {
		long.Entries = append(long.Entries, java.Entry{Key: fmt.Sprintf("f%d", i), Value: strings.Repeat("x", 1000)})
	}
	if got := Tree(long, Everything, Bounds{}).Summary(); len(got) > maxSummary+8 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	fields := FieldsOf("orderId", "items.sku", "paidAt")
	for text, want := range map[string]string{"4711": "orderId", "x2": "items.sku", "2023-11-14T22:13:20Z": "paidAt", "c-1": "", "471": "", "": ""} {
		if got, ok := fields.Match(order(), text); got != want || ok != (want != "") {
			t.Errorf("%s: %q %v", text, got, ok)
		}
	}
	if _, ok := (Fields{}).Match(order(), "4711"); ok {
		t.Error("no field was declared")
	}
	if path, ok := Everything.Match("4711", "4711"); path != "" || !ok {
		t.Errorf("a payload that is a text: %q %v", path, ok)
	}
	if path, ok := FieldsOf("a.b").Match(map[string]any{"a": []any{map[string]string{"b": "x"}}}, "x"); path != "a.b" || !ok {
		t.Errorf("a Go value: %q %v", path, ok)
	}
	uuid := &java.Object{Class: "java.util.UUID", Fields: []java.Field{{Value: "0-1"}}}
	if _, ok := FieldsOf("id").Match(&java.Object{Fields: []java.Field{{Name: "id", Value: uuid}}}, "0-1"); !ok {
		t.Error("a value in an object without a name is not found")
	}
	cycle := &java.List{}
	cycle.Elements = []any{cycle, cycle}
	if _, ok := fields.Match(cycle, "4711"); ok {
		t.Error("found in a list that holds itself alone")
	}
}

// TestPrintShared: what stands in several places is shown once, so that thirty
// lists, each of which holds the next one twice, are thirty lines and not 2^30.
func TestPrintShared(t *testing.T) {
	t.Parallel()
	list := &java.List{Class: java.ClassArrayList}
	for range 30 {
		list = &java.List{Class: java.ClassArrayList, Elements: []any{list, list}}
	}
	got := string(Tree(list, Everything, WideBounds).Lines(0))
	if lines := strings.Count(got, "\n"); lines != 60 || !strings.Contains(got, "- see #30") {
		t.Errorf("%d lines\n%s", lines, got)
	}
}

func TestPrintCycle(t *testing.T) {
	t.Parallel()
	o := &java.Object{Class: "demo.Node"}
	m := &java.Map{Class: java.ClassHashMap, Entries: []java.Entry{{Key: "up", Value: o}}}
	o.Fields = []java.Field{{Name: "kids", Value: m}, {Name: "self", Value: o}}
	const want = "#1 demo.Node, 2 fields\n  kids: java.util.HashMap, 1 entry\n    \"up\": see #1\n  self: see #1"
	if got := string(Tree(o, Everything, WideBounds).Lines(0)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestBounds: however deep, wide or long a value is, little of it is shown.
func TestBounds(t *testing.T) {
	t.Parallel()
	var deep any = "deep"
	for range 100_000 {
		deep = &java.List{Elements: []any{deep}}
	}
	wide, long := &java.List{}, strings.Repeat("v", 10_000)
	for i := range 100_000 {
		wide.Elements = append(wide.Elements, &java.Map{Entries: []java.Entry{{Key: fmt.Sprint("k", i), Value: long}}})
	}
	for name, v := range map[string]any{
		"deep": deep, "wide": wide, "text": strings.Repeat("\u202e<script>", 1<<20), "bytes": make([]byte, 1<<20),
		"number": new(big.Int).Lsh(big.NewInt(1), 1<<23), "ints": make([]int32, 1<<18), "bits": &java.BitSet{Words: make([]uint64, 1<<14)},
	} {
		n := Tree(v, Everything, Bounds{})
		if got := sizeOf(n); got > 5<<20 {
			t.Errorf("%s: %d bytes", name, got)
		}
		checkTree(t, n, 0)
	}
	if n := Tree(wide, Everything, Bounds{}); n.Left() != 100_000-len(n.Parts) || n.Left() == 0 {
		t.Errorf("%d of %d left", n.Left(), n.Of)
	}
}

func sizeOf(n *Node) int {
	size := len(n.Name) + len(n.Path) + len(n.Class) + len(n.Text)
	for _, p := range n.Parts {
		size += sizeOf(p)
	}
	return size
}

// checkTree: no text of a tree turns the direction of text or breaks a line, and none is long.
func checkTree(t interface{ Errorf(string, ...any) }, n *Node, depth int) {
	for _, text := range []string{n.Name, n.Class, n.Text, n.Summary()} {
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }) || len(text) > DefaultText+64 {
			t.Errorf("%.80q is shown, %d bytes", text, len(text))
		}
	}
	if depth > DefaultDepth+1 {
		t.Errorf("depth %d", depth)
	}
	for _, p := range n.Parts {
		checkTree(t, p, depth+1)
	}
}

// anyValue makes values of Java of any shape; the texts within are those of secret.
func anyValue(secret *rapid.Generator[string]) *rapid.Generator[any] {
	scalar := rapid.OneOf(
		rapid.Map(secret, func(s string) any { return s }),
		rapid.Map(secret, func(s string) any { return []byte(s) }),
		rapid.Map(secret, func(s string) any { return java.Enum{Class: "demo.E", Name: s} }),
		rapid.Map(secret, func(s string) any { return java.Text{Class: "java.net.URI", Value: s} }),
		rapid.Map(secret, func(s string) any { return &java.Object{Class: "demo.Id", Fields: []java.Field{{Value: s}}} }),
		rapid.Just[any](nil), rapid.Map(rapid.Int64(), func(n int64) any { return n }),
	)
	name := rapid.StringMatching(`[a-c]`)
	var value *rapid.Generator[any]
	deferred := rapid.Deferred(func() *rapid.Generator[any] { return value })
	value = rapid.OneOf(scalar, scalar, rapid.Custom(func(t *rapid.T) any {
		n := rapid.IntRange(0, 3).Draw(t, "n")
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			m := &java.Map{Class: "java.util.HashMap"}
			for range n {
				var key any = name.Draw(t, "key")
				if rapid.IntRange(0, 3).Draw(t, "other") == 0 {
					key = scalar.Draw(t, "key")
				}
				m.Entries = append(m.Entries, java.Entry{Key: key, Value: deferred.Draw(t, "value")})
			}
			return m
		case 1:
			l := &java.List{Class: "java.util.ArrayList"}
			for range n {
				l.Elements = append(l.Elements, deferred.Draw(t, "value"))
			}
			return l
		default:
			o := &java.Object{Class: "demo.Bean", Custom: []java.Custom{{Level: "demo.Bean", Items: []any{scalar.Draw(t, "item")}}}}
			for range n {
				o.Fields = append(o.Fields, java.Field{Name: name.Draw(t, "name"), Value: deferred.Draw(t, "value")})
			}
			return o
		}
	}))
	return value
}

// TestHiddenIsNowhere: of what is not visible nothing is in the tree, in any form, whatever
// the shape of the payload.
func TestHiddenIsNowhere(t *testing.T) {
	t.Parallel()
	const secret = "hush~hush"
	rapid.Check(t, func(rt *rapid.T) {
		v := anyValue(rapid.SampledFrom([]string{secret, "~" + secret, secret + "\u202e"})).Draw(rt, "value")
		hidden := Tree(v, FieldsOf("zzz", "a.zzz"), Bounds{})
		text := fmt.Sprint(hidden.Summary(), string(hidden.Lines(0)), dump(hidden))
		if strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
			rt.Fatalf("%s", text)
		}
		shown := Tree(v, Everything, Bounds{})
		if shown.HidesAny() {
			rt.Fatalf("something is hidden of everything: %s", shown.Lines(0))
		}
		checkTree(rt, shown, 0)
	})
}

// dump returns all fields of a tree.
func dump(n *Node) string {
	var b strings.Builder
	v := reflect.ValueOf(*n)
	for i := range v.NumField() {
		switch v.Type().Field(i).Name {
		case "Parts", "Beside", "Key":
		default:
			fmt.Fprintf(&b, "%v\n", v.Field(i))
		}
	}
	if n.Key != nil {
		b.WriteString(dump(n.Key))
	}
	for _, p := range n.Parts {
		b.WriteString(dump(p))
	}
	for _, p := range n.Beside {
		b.WriteString(dump(p))
	}
	return b.String()
}
