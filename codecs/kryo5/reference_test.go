package kryo5

import (
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestSharedObjectsAreOnePointer reads vectors with references: what was one
// object in Java is one pointer here, also where it contains itself.
func TestSharedObjectsAreOnePointer(t *testing.T) {
	t.Parallel()
	decoded := map[string]any{}
	codec := configured(t, "4.7.0/refs")
	for _, v := range vectors(t) {
		if v.config == "4.7.0/refs" {
			value, err := codec.Decode(v.payload)
			if err != nil {
				t.Fatalf("%s: %v", v.label, err)
			}
			decoded[v.label] = value
		}
	}
	list := decoded["shared bean"].(*java.List)
	if a := list.Elements[0].(*java.Object); a != list.Elements[1] || a != list.Elements[2] {
		t.Error("a shared bean is several")
	}
	node := decoded["cycle"].(*java.Object)
	next, _ := node.Get("next")
	back, _ := next.(*java.Object).Get("next")
	kids, _ := node.Get("kids")
	if back != node || kids.(*java.List).Elements[0] != node || kids.(*java.List).Elements[1] != next {
		t.Error("a circle of beans is none")
	}
	self := decoded["map in itself"].(*java.Map)
	if v, _ := self.Get("self"); v != self {
		t.Error("the map is not in itself")
	}
	array := decoded["array in itself"].(*java.List)
	if array.Elements[0] != array {
		t.Error("the array is not in itself")
	}
	scalars := decoded["shared scalars"].(*java.List).Elements
	same := func(i, j int) bool {
		a, _ := identityOf(scalars[i])
		b, _ := identityOf(scalars[j])
		return a == b
	}
	if !same(0, 1) || !same(2, 3) || same(2, 4) {
		t.Error("a shared BigDecimal or String is not shared, or an equal one is")
	}
	optional := decoded["list in its optional"].(*java.List)
	if v, _ := optional.Elements[0].(*java.Object).Get("value"); v != optional {
		t.Error("the list is not in its Optional")
	}
}

// TestEncodeReferences writes Go values: one pointer, one Go map or one interface
// value is one object, equal values are several.
func TestEncodeReferences(t *testing.T) {
	t.Parallel()
	codec := New(References())
	const list = "\x01\x00java.util.ArrayLis\xf4\x01"
	text, date := any("ab"), any(java.Date{Millis: 5})
	shared := &java.List{Class: "java.util.LinkedList"}
	goMap := map[string]any{}
	loop := &java.List{Class: "java.util.ArrayList"}
	loop.Elements = []any{loop}
	goLoop := []any{nil}
	goLoop[0] = goLoop
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"one string":       {[]any{text, text}, list + "\x83\x03\x00\x01a\xe2\x03"},
		"equal strings":    {[]any{strings.Clone("ab"), strings.Clone("ab")}, list + "\x83\x03\x00\x01a\xe2\x01a\xe2"},
		"empty strings":    {[]any{"", ""}, list + "\x83\x03\x00\x01\x81\x01\x81"},
		"one date":         {[]any{date, date}, list + "\x83\x01\x01java.util.Dat\xe5\x00\x01\x05\x03"},
		"integers":         {[]any{int32(1), int32(1)}, list + "\x83\x02\x00\x02\x02"},
		"one list":         {[]any{shared, shared}, list + "\x83\x01\x01java.util.LinkedLis\xf4\x00\x01\x01\x03"},
		"equal lists":      {[]any{&java.List{}, &java.List{}}, list + "\x83\x01\x00\x00\x01\x01\x01\x01"},
		"one Go map":       {[]any{goMap, goMap}, list + "\x83\x01\x01java.util.HashMa\xf0\x00\x01\x01\x03"},
		"list in itself":   {loop, list + "\x82\x01\x00\x00\x02"},
		"slice in itself":  {goLoop, list + "\x82\x01\x00\x00\x01\x82\x01\x00\x00\x03"},
		"null and a map":   {map[string]any{"k": nil}, "\x01\x00java.util.HashMa\xf0\x01\x02\x03\x01\x82k\x00"},
		"enum and boolean": {[]any{java.Enum{Class: "java.time.Month", Name: "MAY"}, true}, list + "\x03\x01\x01java.time.Mont\xe8\x05\x05\x01"},
	} {
		got, err := codec.Encode(c.value)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %q, %v\nwant %q", name, got, err, c.want)
			continue
		}
		value, err := codec.Decode(got)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again, err := codec.Encode(value); err != nil || string(again) != c.want {
			t.Errorf("%s: encoded again as %q, %v", name, again, err)
		}
	}
}

func TestReferenceErrors(t *testing.T) {
	t.Parallel()
	const list = "\x01\x00java.util.ArrayLis\xf4"
	for name, c := range map[string]struct{ payload, class, reason string }{
		"null behind a class":      {"\x03\x00", "java.lang.String", "null"},
		"object that is not there": {list + "\x01\x82\x03\x00\x07", "java.lang.String", "object 5"},
		"object of another class":  {list + "\x01\x82\x03\x00\x02", "java.lang.String", "a java.util.ArrayList"},
		"at the top":               {"\x03\x02", "java.lang.String", "object 0"},
		"itself, not finished":     {"\x01\x00java.util.concurrent.atomic.AtomicReferenc\xe5\x01\x01\x01java.util.Collections$EmptyLis\xf4\x02", "java.util.Collections$EmptyList", "a java.util.concurrent"},
		"without references":       {"\x03a\xe2", "java.lang.String", "object 95"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := New(References()).Decode([]byte(c.payload))
			var e *codecs.DecodeError
			if !errors.As(err, &e) || e.Class != c.class || !strings.Contains(e.Reason, c.reason) {
				t.Errorf("%s: got %v, %v", name, v, err)
			}
		})
	}
}

// TestBindReferences goes through plain Go maps.
func TestBindReferences(t *testing.T) {
	t.Parallel()
	codec := New(References())
	maps := typedOf[map[string]any](t, codec)
	shared := map[string]any{"n": int32(1)}
	payload := codectest.Must(maps.Encode(map[string]any{"a": shared, "b": shared}))(t)
	m := codectest.Must(maps.Decode(payload))(t)
	m["a"].(map[string]any)["n"] = int32(2)
	if m["b"].(map[string]any)["n"] != int32(2) {
		t.Errorf("one map became two: %v", m)
	}
}
