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

type checkPointer struct {
	N *int32 `java:"n,int"`
}

func (checkPointer) JavaClass() string { return "demo.A" }

type checkFinal struct {
	M unclassed `java:"m,demo.Money"`
	O money     `java:"o"`
}

func (checkFinal) JavaClass() string { return "demo.A" }

type checkOther struct {
	M *money `java:"m,demo.Shape"`
	S *shapeBase
}

func (checkOther) JavaClass() string { return "demo.A" }

type checkText struct {
	M money `java:"m,java.lang.String"`
}

func (checkText) JavaClass() string { return "demo.A" }

type checkElements struct {
	M []money `java:"m,java.util.List<demo.Shape>"`
	S *shapeBase
}

func (checkElements) JavaClass() string { return "demo.A" }

type checkSuper struct{ N int32 }

func (checkSuper) JavaClass() string { return "demo.A extends demo.Unknown" }

type checkFits struct {
	Any  any
	Obj  *money       `java:"obj,java.lang.Object"`
	Base *shapeCircle `java:"base,demo.Shape"`
	Face *money       `java:"face,demo.Payable"`
}

func (checkFits) JavaClass() string { return "demo.A" }

// TestTypedBindErrors refuses types whose values Java could not read.
func TestTypedBindErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ  reflect.Type
		path string
		want []string
	}{
		"a pointer to a primitive":           {reflect.TypeFor[checkPointer](), "N", []string{"int", "java.lang.Integer"}},
		"no class where a class is final":    {reflect.TypeFor[[]checkFinal](), "[].M", []string{"demo.Money"}},
		"another class":                      {reflect.TypeFor[checkOther](), "M", []string{"demo.Money", "demo.Shape"}},
		"a bean as a string":                 {reflect.TypeFor[checkText](), "M", []string{"java.lang.String"}},
		"another class in a list":            {reflect.TypeFor[checkElements](), "M[]", []string{"demo.Money", "demo.Shape"}},
		"a superclass that is not described": {reflect.TypeFor[checkSuper](), "", []string{"demo.Unknown"}},
	} {
		_, err := New().Bind(c.typ, codecs.BindOptions{})
		var e *codecs.BindError
		if !errors.As(err, &e) || e.Path != c.path {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", name, err, want)
			}
		}
	}
	if _, err := New().Bind(reflect.TypeFor[checkFits](), codecs.BindOptions{}); err != nil {
		t.Error(err)
	}
}
