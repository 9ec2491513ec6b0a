package kryo5

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

type unclassed struct{ Cents int64 }

type money struct{ Cents int64 }

func (money) JavaClass() string { return "final demo.Money" }

// TestTypedBindErrors refuses types whose values Java could not read.
func TestTypedBindErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ  reflect.Type
		path string
		want []string
	}{
		"a pointer to a primitive": {reflect.TypeFor[struct {
			N *int32 `java:"n,int"`
		}](), "N", []string{"int", "java.lang.Integer"}},
		"no class where a class is final": {reflect.TypeFor[struct {
			M unclassed `java:"m,demo.Money"`
			O money     `java:"o"`
		}](), "M", []string{"demo.Money"}},
		"another class": {reflect.TypeFor[struct {
			M *money `java:"m,demo.Shape"`
			S *shapeBase
		}](), "M", []string{"demo.Money", "demo.Shape"}},
		"a bean as a string": {reflect.TypeFor[struct {
			M money `java:"m,java.lang.String"`
		}](), "M", []string{"java.lang.String"}},
		"another class in a list": {reflect.TypeFor[struct {
			M []money `java:"m,java.util.List<demo.Shape>"`
			S *shapeBase
		}](), "M[]", []string{"demo.Money", "demo.Shape"}},
		"what fits": {reflect.TypeFor[struct {
			Any  any
			Obj  *money       `java:"obj,java.lang.Object"`
			Base *shapeCircle `java:"base,demo.Shape"`
			Face *money       `java:"face,demo.Payable"`
		}](), "", nil},
	} {
		_, err := New().Bind(c.typ, codecs.BindOptions{Classes: map[reflect.Type]string{c.typ: "demo.A"}})
		var e *codecs.BindError
		if c.want == nil && err != nil || c.want != nil && (!errors.As(err, &e) || e.Path != c.path) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", name, err, want)
			}
		}
	}
	var e *codecs.BindError
	lonely := reflect.TypeFor[unclassed]()
	_, err := New().Bind(lonely, codecs.BindOptions{Classes: map[reflect.Type]string{lonely: "demo.A extends demo.Unknown"}})
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "demo.Unknown") {
		t.Errorf("a superclass that is not described: %v", err)
	}
}
