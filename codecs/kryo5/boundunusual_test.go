package kryo5

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
	"github.com/duequeue/duequeue/codecs/view"
)

type deepMap struct {
	M map[string][]string `java:"m,java.util.Map<java.lang.String,java.util.List<java.lang.String>>"`
}

func (deepMap) JavaClass() string { return "demo.Deep" }

type deepStruct struct {
	M struct{ K []string } `java:"m,java.util.Map<java.lang.String,java.util.List<java.lang.String>>"`
}

func (deepStruct) JavaClass() string { return "demo.Deep" }

// TestStructAsGenericMap writes a struct where a map with type arguments is declared: what
// they say of the values decides on the bytes, as it does for a Go map.
func TestStructAsGenericMap(t *testing.T) {
	t.Parallel()
	var m deepMap
	var s deepStruct
	m.M, s.M.K = map[string][]string{"k": {"a", "b"}}, []string{"a", "b"}
	maps, structs := bindingOf(t, reflect.TypeFor[deepMap]()), bindingOf(t, reflect.TypeFor[deepStruct]())
	want := codectest.Must(maps.Append(nil, m))(t)
	got, err := structs.Append(nil, s)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%x, %v, want %x", got, err, want)
	}
	var back deepStruct
	if err := structs.Decode(want, &back); err != nil || !reflect.DeepEqual(back, s) {
		t.Errorf("%+v, %v", back, err)
	}
}

type singletons struct {
	L  []string             `java:"l,java.util.List<java.lang.String>"`
	Ll [][]string           `java:"ll,java.util.List<java.util.List<java.lang.String>>"`
	M  map[string][]string  `java:"m,java.util.Map<java.lang.String,java.util.List<java.lang.String>>"`
	S  struct{ K []string } `java:"s,java.util.Map<java.lang.String,java.util.List<java.lang.String>>"`
	A  map[string]any       `java:"a,java.util.Map<java.lang.String,java.util.List<java.lang.String>>"`
}

func (singletons) JavaClass() string { return "demo.Singletons" }

// TestSingletons reads what Collections.singletonList and singletonMap hold: Java tells them nothing
// of the type arguments around them.
func TestSingletons(t *testing.T) {
	t.Parallel()
	one := func(v any) *java.List {
		return &java.List{Class: "java.util.Collections$SingletonList", Elements: []any{v}}
	}
	entry := &java.Map{Class: "java.util.Collections$SingletonMap", Entries: []java.Entry{{Key: "k", Value: []any{"ab"}}}}
	classes := codectest.Must(gotypes.ClassesOf(reflect.TypeFor[singletons](), codecs.BindOptions{}))(t)
	payload, err := New(Classes(classes)).Encode(&java.Object{Class: "demo.Singletons", Fields: []java.Field{
		{Name: "l", Value: one("ab")}, {Name: "ll", Value: one([]any{"ab"})}, {Name: "m", Value: entry}, {Name: "s", Value: entry}, {Name: "a", Value: entry},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got singletons
	err = bindingOf(t, reflect.TypeFor[singletons]()).Decode(payload, &got)
	list := []string{"ab"}
	want := singletons{list, [][]string{list}, map[string][]string{"k": list}, struct{ K []string }{list}, map[string]any{"k": []any{"ab"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

type outside struct{ N int32 }

// TestRegisteredUnderAny writes a Go type that a declaration gives a class, where an
// interface holds it: as a bean of that class.
func TestRegisteredUnderAny(t *testing.T) {
	t.Parallel()
	opts := codecs.BindOptions{Classes: map[reflect.Type]string{reflect.TypeFor[outside](): "demo.Outside"}}
	typed := typedOf[[]any](t, New(), opts)
	payload, err := typed.Encode([]any{outside{5}})
	if err != nil || !bytes.Contains(payload, []byte("demo.Outsid\xe5\x00\x0a")) {
		t.Errorf("%q, %v", payload, err)
	}
}

// TestMixedMapUnderAny reads a map with keys of two classes under any: it keeps its order, and
// its values are plain.
func TestMixedMapUnderAny(t *testing.T) {
	t.Parallel()
	inner := &java.Map{Class: java.ClassHashMap, Entries: []java.Entry{{Key: "n", Value: int32(1)}}}
	mixed := &java.Map{Class: java.ClassHashMap, Entries: []java.Entry{{Key: "a", Value: inner}, {Key: "a", Value: "b"}, {Key: int32(7), Value: inner}}}
	payload := codectest.Must(New().Encode(&java.List{Elements: []any{mixed, "end"}}))(t)
	var got []any
	if err := bindingOf(t, reflect.TypeFor[[]any]()).Decode(payload, &got); err != nil {
		t.Fatal(err)
	}
	want := java.Plain(&java.List{Elements: []any{mixed, "end"}})
	if !reflect.DeepEqual(any(got), want) {
		t.Errorf("%s, want %s", view.Of(got), view.Of(want))
	}
}

// TestGoValuesUnderAny writes Go types inside interfaces as in fields of their types.
func TestGoValuesUnderAny(t *testing.T) {
	t.Parallel()
	text := "x"
	list := []any{(*typedInner)(nil), &typedInner{V: 3}, typedColor("RED"), []typedInner{{V: 1}, {V: 2}}, map[string]typedInner{"k": {}}, &text, typedOpEnum(1)}
	bound := codectest.Must(New().Bind(reflect.TypeFor[[]any](), registeredBeans()))(t)
	payload := codectest.Must(bound.Append(nil, list))(t)
	var back []any
	if err := bound.Decode(payload, &back); err != nil {
		t.Fatal(err)
	}
	bean := func(v int32) *java.Object {
		return &java.Object{Class: "Typed$Inner", Fields: []java.Field{{Name: "v", Value: v, Level: "Typed$Inner"}}}
	}
	want := []any{
		nil, bean(3),
		java.Enum{Class: "Typed$Color", Name: "RED"},
		[]any{bean(1), bean(2)},
		map[string]any{"k": bean(0)},
		"x",
		java.Enum{Class: "Typed$Op", Name: "SUB", Ordinal: 1, Body: "Typed$Op$2"},
	}
	if !reflect.DeepEqual(back, want) {
		t.Errorf("%s, want %s", view.Of(back), view.Of(want))
	}
	if again, err := bound.Append(nil, back); err != nil || !bytes.Equal(again, payload) {
		t.Errorf("%x, %v, want %x", again, err, payload)
	}
}

func registeredBeans() codecs.BindOptions {
	return registered(typedInner{}, typedColor(""), typedOpEnum(0))
}
