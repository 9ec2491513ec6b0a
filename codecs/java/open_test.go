package java

import (
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

type animal interface{ Legs() int }

type dog struct {
	Name string `java:"name"`
}

func (dog) Legs() int { return 4 }

type bird struct {
	Wings int32 `java:"wings"`
}

func (*bird) Legs() int { return 2 }

type zoo struct {
	Star animal            `java:"star"`
	All  []animal          `java:"all,java.util.List<demo.Animal>"`
	By   map[string]animal `java:"by,java.util.Map<java.lang.String,demo.Animal>"`
	Any  any               `java:"any"`
}

func (zoo) JavaClass() string { return "demo.Zoo" }

var animals = codecs.BindOptions{Classes: map[reflect.Type]string{
	reflect.TypeFor[dog]():  "demo.Dog",
	reflect.TypeFor[bird](): "demo.Bird",
}}

// TestCompileOpen: interfaces take the Go types of registered classes, and give them
// back as beans.
func TestCompileOpen(t *testing.T) {
	t.Parallel()
	plan, err := CompileOpen(reflect.TypeFor[zoo](), animals)
	if err != nil {
		t.Fatal(err)
	}
	want := zoo{
		Star: &bird{2}, All: []animal{dog{"a"}, nil}, By: map[string]animal{"b": dog{"b"}},
		Any: []any{dog{"c"}, map[string]any{"x": bird{1}}, "text"},
	}
	low, err := plan.Lower(want)
	if err != nil {
		t.Fatal(err)
	}
	var got zoo
	if err := plan.Assign(low, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for name, v := range map[string]any{
		"star: demo.Cat": &Object{Class: "demo.Zoo", Fields: []Field{{Name: "star", Value: &Object{Class: "demo.Cat"}}}},
		"star: text":     &Object{Class: "demo.Zoo", Fields: []Field{{Name: "star", Value: "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := plan.Assign(v, &got); err == nil || !strings.Contains(err.Error(), "does not implement") || !strings.Contains(err.Error(), "star") {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

type stranger struct{}

func (stranger) JavaClass() string { return "demo.Stranger" }

// TestOpenMistakes: interfaces without a type, and beans that nothing describes.
func TestOpenMistakes(t *testing.T) {
	t.Parallel()
	if _, err := CompileOpen(reflect.TypeFor[zoo](), codecs.BindOptions{}); err == nil || !strings.Contains(err.Error(), "no type in BindOptions.Classes implements it") {
		t.Errorf("nothing registered: %v", err)
	}
	plan, err := CompileOpen(reflect.TypeFor[zoo](), animals)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Lower(zoo{Any: []any{stranger{}}}); err == nil || !strings.Contains(err.Error(), "demo.Stranger") {
		t.Errorf("a bean that nothing describes: %v", err)
	}
}

// TestAssignKeys: a reader of keys makes what a text stands for, where the text itself
// does not go in.
func TestAssignKeys(t *testing.T) {
	t.Parallel()
	plan, err := Compile(reflect.TypeFor[map[int64]string](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	read := func(key string, _ reflect.Type) (any, bool) { return int64(len(key)), key != "" }
	var got map[int64]string
	m := &Map{Entries: []Entry{{"abc", "x"}, {int64(5), "y"}}}
	if err := plan.AssignKeys(m, &got, read); err != nil || !reflect.DeepEqual(got, map[int64]string{3: "x", 5: "y"}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, m := range []*Map{{Entries: []Entry{{"", "x"}}}, {Entries: []Entry{{true, "x"}}}} {
		if err := plan.AssignKeys(m, &got, read); err == nil {
			t.Errorf("key %v went in", m.Entries[0].Key)
		}
	}
	if err := plan.Assign(m, &got); err == nil {
		t.Error("a text went into an integer without a reader")
	}
}
