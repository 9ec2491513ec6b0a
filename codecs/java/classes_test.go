package java

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseClass(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"demo.Order":           "demo.Order",
		"final demo.Money":     "final demo.Money",
		" record  demo.Point ": "record demo.Point",
		"demo.Result<T>":       "demo.Result<T>",
		"custom":               "custom",
		"custom  demo.W":       "custom demo.W",
		"custom final demo.W":  "custom final demo.W",
		"custom record demo.W": "custom record demo.W",
		"demo.A serial  none":  "demo.A serial none",
		"demo.Box<T extends java.lang.Number & java.lang.Comparable<T>>":             "demo.Box<T extends java.lang.Number>",
		"demo.Sub< T > extends demo.Base<T, java.lang.String>":                       "demo.Sub<T> extends demo.Base<T,java.lang.String>",
		"demo.A extends java.lang.Object":                                            "demo.A",
		"demo.A extends demo.B implements demo.C, demo.D<java.lang.String> serial 1": "demo.A extends demo.B implements demo.C,demo.D serial 1",
		"enum demo.Color {RED,GREEN , BLUE}":                                         "enum demo.Color {RED, GREEN, BLUE}",
		"enum demo.Op {ADD{demo.Op$1}, SUB { demo.Op$2 },}":                          "enum demo.Op {ADD{demo.Op$1}, SUB{demo.Op$2}}",
		`enum demo.Status {OPEN = 10, PAID{demo.Status$1}="p, {}", NEW=-1}`:          `enum demo.Status {OPEN=10, PAID{demo.Status$1}="p, {}", NEW=-1}`,
		"demo.Card extends demo.Payment serial 1 json  type=my card":                 "demo.Card extends demo.Payment serial 1 json type=my card",
		"demo.A serial 1 order  b,a json [x]":                                        "demo.A serial 1 order b,a json [x]",
		"demo.A json existing kind=a":                                                "demo.A json existing kind=a",
		"demo.A json {a}":                                                            "demo.A json {a}",
		"demo.A json [demo.A]":                                                       "demo.A json [demo.A]",
		"demo.A json @type=":                                                         "demo.A json @type=",
		"enum demo.None {}":                                                          "enum demo.None {}",
		"enum demo.Open":                                                             "enum demo.Open",
		"demo.Order serial -0x1f":                                                    "demo.Order serial -31",
		"demo.Order serial 42L":                                                      "demo.Order serial 42",
		"final":                                                                      "final",
		"demo.订单<值>":                                                                 "demo.订单<值>",
		"T<T extends java.util.List<? extends T[]>>":                                 "T<T extends java.util.List<? extends T[]>>",
	} {
		c, err := ParseClass(text)
		if err != nil || c.String() != want {
			t.Errorf("%q: got %q, %v; want %q", text, c, err, want)
			continue
		}
		if again, err := ParseClass(c.String()); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%q does not read back: %+v, %v", c, again, err)
		}
	}
	for text, final := range map[string]bool{
		"demo.A": false, "final demo.A": true, "record demo.A": true, "enum demo.A {X}": true, "enum demo.A {X{demo.A$1}}": false,
	} {
		if c, err := ParseClass(text); err != nil || c.Final != final {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

func TestParseClassErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "class name",
		"final record demo.A":               "final is for",
		"demo.A<":                           "type parameter",
		"demo.A<T":                          "expected , or >",
		"demo.A<T, T>":                      "twice",
		"demo.A<T extends int>":             "no class",
		"demo.A extends int[]":              "no class",
		"demo.A extends demo.A":             "extends itself",
		"record demo.A extends demo.B":      "extend no class",
		"enum demo.A extends demo.B":        "extend no class",
		"demo.A {X}":                        "only enums",
		"enum demo.A {X X}":                 "expected , or }",
		"enum demo.A {X, X}":                "X is there twice",
		"enum demo.A {X=1, Y=1}":            "two constants are 1",
		"enum demo.A {X=1.5}":               "expected , or }",
		"enum demo.A {X='a'}":               "whole number or a text",
		"demo.A json type":                  "expected type=NAME",
		"enum demo.A {X{}}":                 "class name",
		"enum demo.A {1}":                   "constant",
		"enum demo.A {X{a.b":                "expected }",
		"demo.A serial":                     "unexpected",
		"demo.A serial x":                   "serialVersionUID",
		"enum demo.A {X} serial none":       "always Serializable",
		"custom enum demo.A {X}":            "never writes itself",
		"demo.A order a,,b":                 "order needs the names",
		"demo.A serial none 1":              "unexpected",
		"demo.A serial 1 2":                 "unexpected",
		"demo.A serial 0x1ffffffffffff0000": "64 bits",
		"demo.A implements":                 "unexpected",
		"demo.A implements ,":               "class name",
		"demo.A<T extends " + strings.Repeat("A<", 70): "deeply",
	} {
		c, err := ParseClass(text)
		var e *ClassError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v; want %q", text, c, err, want)
		}
	}
}

func FuzzParseClass(f *testing.F) {
	for _, s := range []string{
		"demo.Order", "final demo.Money serial 42", "record demo.Point", "demo.Sub<T extends java.lang.Number> extends demo.Base<T,?>",
		"enum demo.Op {ADD{demo.Op$1}, SUB}", "demo.A implements a.B,c.D serial -0x1f", "enum A {", "a<b<c", "demo.A<T extends",
		"demo.Base serial none", "custom final demo.W serial 42",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseClass(text)
		if err != nil {
			return
		}
		again, err := ParseClass(c.String())
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%q gave %q, which reads as %+v, %v", text, c, again, err)
		}
	})
}

func classes(t *testing.T, decls ...string) (*Classes, error) {
	t.Helper()
	list := make([]*Class, 0, len(decls))
	for _, d := range decls {
		c, err := ParseClass(d)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return NewClasses(list...)
}

func TestClasses(t *testing.T) {
	t.Parallel()
	s, err := classes(t, "demo.A extends demo.Unknown", "demo.B extends demo.A", "demo.A", "demo.A", "enum demo.Op {ADD{demo.Op$1}}")
	if err != nil {
		t.Fatal(err)
	}
	if v := s.Variants("demo.A"); len(v) != 2 || s.Find("demo.A") != v[0] || v[0].Super.Class != "demo.Unknown" {
		t.Errorf("variants %v", v)
	}
	if s.Find("demo.Op$1") != s.Find("demo.Op") || len(s.Variants("demo.Op$1")) != 1 || s.Find("demo.Op$2") != nil {
		t.Error("constant bodies are not found")
	}
	if got := len(slices.Collect(s.All())); got != 4 || s.Len() != 4 {
		t.Errorf("%d classes", got)
	}
	var none *Classes
	if none.Find("x") != nil || none.Variants("x") != nil || none.Len() != 0 || len(slices.Collect(none.All())) != 0 {
		t.Error("the nil set is not empty")
	}
	joined, err := none.Join(s, s)
	if err != nil || joined.Len() != 4 {
		t.Errorf("joined: %v", err)
	}
	for want, decls := range map[string][]string{
		"demo.A extends demo.B extends demo.A": {"demo.A extends demo.B", "demo.B extends demo.A"},
		"which is final":                       {"demo.A extends demo.B", "final demo.B"},
	} {
		if _, err := classes(t, decls...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", decls, err)
		}
	}
	field := ClassField{Name: "a", Type: TypeExpr{Class: "int"}}
	_, err = NewClasses(nil, &Class{}, &Class{Name: "x", Fields: []ClassField{field, field, {Name: "b"}}})
	for _, want := range []string{"class 0 of the list is nil", "no name", "field a is there twice", `field "b" needs`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

func TestTypeNames(t *testing.T) {
	t.Parallel()
	c, err := ParseClass("demo.C<T,N extends java.lang.Number,M extends N,A extends B,B extends A>")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"int":                  "int",
		"int[]":                "[I",
		"java.lang.String[][]": "[[Ljava.lang.String;",
		"java.util.List<T>":    "java.util.List",
		"T":                    "java.lang.Object",
		"N[]":                  "[Ljava.lang.Number;",
		"M":                    "java.lang.Number",
		"A":                    "java.lang.Object",
		"T<java.lang.String>":  "T",
	} {
		typ, err := ParseType(text)
		if err != nil || typ.Erasure(c) != want {
			t.Errorf("%s: got %s, %v; want %s", text, typ.Erasure(c), err, want)
		}
	}
	for name, want := range map[string]string{
		"[I": "int[]", "[[Ljava.lang.String;": "java.lang.String[][]", "demo.C": "demo.C", "I": "I", "[Lx/Y;": "x.Y[]", "Lx/Y;": "x.Y", "[X": "X[]",
	} {
		t.Run(name, func(t *testing.T) {
			if got := TypeOf(name); got.String() != want {
				t.Errorf("%s: %s", name, got)
			}
		})
	}
	parse := func(s string) TypeExpr {
		typ, err := ParseType(s)
		if err != nil {
			t.Fatal(err)
		}
		return typ
	}
	if got := parse("java.util.Map<? extends T,N[]>").Substitute(c, []TypeExpr{parse("a.B"), parse("c.D")}); got.String() != "java.util.Map<? extends a.B,c.D[]>" {
		t.Error(got)
	}
	if got := parse("int").Boxed(); got.Class != "java.lang.Integer" || got.Unboxed().Class != "int" || parse("int[]").Boxed().String() != "int[]" {
		t.Error(got)
	}
	if !parse("java.util.List<? super T>").Mentions(c) || parse("java.util.List<X>").Mentions(c) {
		t.Error("Mentions")
	}
}

func TestParseType(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"long":             "long",
		"byte[]":           "byte[]",
		"java.lang.String": "java.lang.String",
		" java.util.Map < java.lang.String , java.util.List<?> > [] [ ] ": "java.util.Map<java.lang.String,java.util.List<?>>[][]",
		"java.util.List<? extends java.lang.Number>":                      "java.util.List<? extends java.lang.Number>",
		"a.B$C<? super X[], T>":                                           "a.B$C<? super X[],T>",
		"demo.订单_$1":                                                      "demo.订单_$1",
		"java.util.List<int[]>":                                           "java.util.List<int[]>",
	} {
		got, err := ParseType(text)
		if err != nil || got.String() != want {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
			continue
		}
		if again, err := ParseType(got.String()); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%q does not read back: %v, %v", got, again, err)
		}
	}
}

func TestParseTypeErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "class name",
		"?":                      "class name",
		"a..b":                   "class name",
		"a.":                     "class name",
		"1a":                     "class name",
		"List<":                  "class name",
		"List<>":                 "class name",
		"List<a":                 "expected , or >",
		"List<a,>":               "class name",
		"List<a>>":               "unexpected",
		"List<a> b":              "unexpected",
		"long<a>":                "primitive",
		"List<int>":              "wrapper",
		"a[":                     "expected ]",
		"List<? extends ?>":      "wildcard",
		strings.Repeat("a<", 99): "deeply",
	} {
		if got, err := ParseType(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
}

func FuzzParseType(f *testing.F) {
	for _, s := range []string{
		"long", "byte[][]", "java.util.Map<java.lang.String,? extends java.util.List<T[]>>[]", "a<? super b<?>>", "?", "a<", "demo.订单$1", "int<a>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		typ, err := ParseType(text)
		if err != nil {
			return
		}
		again, err := ParseType(typ.String())
		if err != nil || !reflect.DeepEqual(again, typ) {
			t.Fatalf("%q gave %q, which reads as %v, %v", text, typ, again, err)
		}
	})
}
