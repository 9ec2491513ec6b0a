package bridge_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
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

// TestCompileOpen: interfaces give the values of registered types as beans.
func TestCompileOpen(t *testing.T) {
	t.Parallel()
	plan := codectest.Must(bridge.CompileOpen(reflect.TypeFor[zoo](), animals))(t)
	low := codectest.Must(plan.Lower(zoo{Star: &bird{2}, Any: []any{dog{"c"}}}))(t)
	star, _ := low.(*java.Object).Get("star")
	held, _ := low.(*java.Object).Get("any")
	if java.ClassOf(star) != "demo.Bird" || java.ClassOf(held.(*java.List).Elements[0]) != "demo.Dog" {
		t.Errorf("%s and %s, want demo.Bird and demo.Dog", java.ClassOf(star), java.ClassOf(held.(*java.List).Elements[0]))
	}
	if err := plan.Assign(low, &zoo{}); err == nil || !strings.Contains(err.Error(), "star") {
		t.Errorf("read from values: %v", err)
	}
}

type stranger struct{}

func (stranger) JavaClass() string { return "demo.Stranger" }

// TestOpenMistakes: interfaces without a type, and beans that nothing describes.
func TestOpenMistakes(t *testing.T) {
	t.Parallel()
	if _, err := bridge.CompileOpen(reflect.TypeFor[zoo](), codecs.BindOptions{}); err == nil || !strings.Contains(err.Error(), "no type in BindOptions.Classes implements it") {
		t.Errorf("nothing registered: %v", err)
	}
	plan := codectest.Must(bridge.CompileOpen(reflect.TypeFor[zoo](), animals))(t)
	if _, err := plan.Lower(zoo{Any: []any{stranger{}}}); err == nil || !strings.Contains(err.Error(), "demo.Stranger") {
		t.Errorf("a bean that nothing describes: %v", err)
	}
}
