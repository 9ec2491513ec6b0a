package layout

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// class describes a class for the tests: a head such as
// "final demo.Sub<T> extends demo.Base<T>" and fields such as "java.lang.String id".
func class(tb testing.TB, head string, fields ...string) *java.Class {
	tb.Helper()
	c := &java.Class{}
	for prefix, kind := range map[string]java.ClassKind{"record ": java.KindRecord, "enum ": java.KindEnum} {
		if rest, ok := strings.CutPrefix(head, prefix); ok {
			head, c.Kind = rest, kind
		}
	}
	head, c.Final = strings.CutPrefix(head, "final ")
	head, super, _ := strings.Cut(head, " extends ")
	if super != "" {
		c.Super = expr(tb, super)
	}
	self := expr(tb, strings.ReplaceAll(head, ":", "."))
	c.Name = self.Class
	for _, p := range self.Args {
		name, bound, _ := strings.Cut(p.Class, "__")
		param := java.TypeParam{Name: name}
		if bound != "" {
			param.Bound = java.TypeExpr{Class: "java.lang." + bound}
		}
		c.Params = append(c.Params, param)
	}
	for _, f := range fields {
		at := strings.LastIndexByte(f, ' ')
		if c.Kind == java.KindEnum {
			name, body, _ := strings.Cut(f, "/")
			c.Constants = append(c.Constants, java.Constant{Name: name, Body: body})
			continue
		}
		c.Fields = append(c.Fields, java.ClassField{Name: f[at+1:], Type: expr(tb, f[:at])})
	}
	return c
}

var shortNames = regexp.MustCompile(`\.?\b(String|Integer|Long|Object|List|Map)\b`)

func expr(tb testing.TB, s string) java.TypeExpr {
	tb.Helper()
	s = shortNames.ReplaceAllStringFunc(s, func(short string) string {
		switch {
		case strings.HasPrefix(short, "."):
			return short
		case short == "List" || short == "Map":
			return "java.util." + short
		}
		return "java.lang." + short
	})
	e := codectest.Must(java.ParseType(s))(tb)
	return e
}

type world map[string]*java.Class

func newWorld(classes ...*java.Class) world {
	w := world{}
	for _, c := range classes {
		w[c.Name] = c
	}
	return w
}

func (w world) find(name string) *java.Class { return w[name] }

func (w world) bean(tb testing.TB, name string) *Bean {
	tb.Helper()
	b := codectest.Must(Of(w[name], w.find))(tb)
	return b
}

// show writes a layout as one line: forms by their letters, and the types.
func show(b *Bean) string {
	var parts []string
	for _, f := range b.Fields {
		parts = append(parts, fmt.Sprintf("%s %c %s", f.Name, "PTKO"[f.Form], f.Class))
	}
	return strings.Join(parts, ", ")
}

func TestFields(t *testing.T) {
	t.Parallel()
	w := newWorld(
		class(t, "demo.Order", "String orderId", "long amountCents", "Integer qty", "java.util.Date createdAt", "List<String> tags"),
		class(t, "demo.Par", "int a", "String z", "int same"),
		class(t, "demo.Child extends demo.Par", "int b", "long same", "int A1", "int _u", "int $d"),
		class(t, "demo.Names", "int \u540d", "int \uff21", "int \U00020000"),
		class(t, "demo.Types", "Object[] oa", "String[] sa", "int[] ia", "int[][] ii", "demo.Color color", "demo.Op op", "demo.Inner in",
			"demo.Final fi", "demo.Final[] fa", "java.util.Optional<String> opt", "java.math.BigDecimal bd", "java.lang.CharSequence cs"),
		class(t, "record demo.Rec", "int zed", "String name", "List<String> tags", "Integer boxed", "Object any", "demo.Color col"),
		class(t, "record demo.GenericRec<T__Number>", "T one", "T[] many"),
		class(t, "enum demo.Color", "RED", "GREEN"), class(t, "enum demo.Op", "ADD/demo.Op$1"),
		class(t, "demo.Inner"), class(t, "final demo.Final"),
	)
	for name, want := range map[string]string{
		"demo.Order": "amountCents P long, createdAt O java.util.Date, orderId T java.lang.String, qty K java.lang.Integer, tags O java.util.List",
		"demo.Child": "$d P int, A1 P int, _u P int, a P int, b P int, same P long, same P int, z T java.lang.String",
		"demo.Names": "\u540d P int, \U00020000 P int, \uff21 P int",
		"demo.Types": "bd O java.math.BigDecimal, color K demo.Color, cs O java.lang.CharSequence, fa K [Ldemo.Final;, fi K demo.Final, " +
			"ia K [I, ii K [[I, in O demo.Inner, oa O [Ljava.lang.Object;, op O demo.Op, opt K java.util.Optional, sa K [Ljava.lang.String;",
		"demo.Rec": "any O java.lang.Object, boxed K java.lang.Integer, col K demo.Color, name T java.lang.String, " +
			"tags O java.util.List, zed P int",
		"demo.GenericRec": "many O [Ljava.lang.Number;, one O java.lang.Number",
	} {
		t.Run(name, func(t *testing.T) {
			if got := show(w.bean(t, name)); got != want {
				t.Errorf("%s:\n got %s\nwant %s", name, got, want)
			}
		})
	}
	child := w.bean(t, "demo.Child")
	if child.Fields[5].Level != "demo.Child" || child.Fields[6].Level != "demo.Par" {
		t.Error("of fields with one name that of the subclass comes first")
	}
}

// TestStatic checks type variables that a subclass names (spec 4.3).
func TestStatic(t *testing.T) {
	t.Parallel()
	w := newWorld(
		class(t, "Base<I>", "I id"), class(t, "Ent extends Base<Long>", "String n"),
		class(t, "Sup<A>", "A a", "List<A> la", "A[] arr"), class(t, "Sub<B> extends Sup<B>", "B b", "Map<String,B> m"),
		class(t, "Leaf extends Sub<demo.Money>"), class(t, "final demo.Money"),
		class(t, "Lists extends Sup<List<String>>"),
		class(t, "Same<A> extends Sup<String>", "A own"),
		class(t, "Bound<T__String>", "T s"),
	)
	for name, want := range map[string]string{
		"Ent":  "id K java.lang.Long, n T java.lang.String",
		"Sub":  "a O java.lang.Object, arr O [Ljava.lang.Object;, b O java.lang.Object, la O java.util.List, m O java.util.Map",
		"Leaf": "a K demo.Money, arr K [Ldemo.Money;, b K demo.Money, la O java.util.List, m O java.util.Map",
		// Type arguments of an argument are lost.
		"Lists": "a O java.util.List, arr O [Ljava.util.List;, la O java.util.List",
		// Kryo matches variables by name: the A of Same is taken for that of Sup.
		"Same":  "a T java.lang.String, arr K [Ljava.lang.String;, la O java.util.List, own T java.lang.String",
		"Bound": "s T java.lang.String",
	} {
		t.Run(name, func(t *testing.T) {
			if got := show(w.bean(t, name)); got != want {
				t.Errorf("%s:\n got %s\nwant %s", name, got, want)
			}
		})
	}
	leaf := w.bean(t, "Leaf")
	var scope Scope
	scope.Reset(w.find)
	if known, _ := scope.Element(leaf.Fields[3].Type); known != "demo.Money" {
		t.Errorf("elements of la are %q", known)
	}
	if e, ok := scope.Entry(leaf.Fields[4].Type); !ok || e.Key != "java.lang.String" || e.Value != "demo.Money" {
		t.Errorf("entries of m are %+v", e)
	}
}

func field(tb testing.TB, b *Bean, name string) *Field {
	tb.Helper()
	for i := range b.Fields {
		if b.Fields[i].Name == name {
			return &b.Fields[i]
		}
	}
	tb.Fatalf("%s has no field %s", b.Class.Name, name)
	return nil
}

// TestContexts checks what each declaration of B$Gen and others in
// kryo5-beans.txt says about the values inside.
func TestContexts(t *testing.T) {
	t.Parallel()
	w := newWorld(
		class(t, "Gen", "List<String> ls", "List raw", "List<?> wild", "List<? extends java.lang.Number> wnum", "List<? extends String> wstr",
			"List<? super Integer> low", "Map<String,Integer> msi", "Map<String,Object> mso", "Map<String,List<Long>> msl", "List<List<String>> lls",
			"List<demo.Final> lfi", "List<String[]> lsa", "List<String>[] la", "java.util.Properties props", "java.util.EnumMap<demo.Color,Integer> em",
			"List<? extends List<String>> wl", "demo.One<Integer> one"),
		class(t, "final demo.Final"), class(t, "enum demo.Color", "RED"),
	)
	gen := w.bean(t, "Gen")
	var scope Scope
	scope.Reset(w.find)
	for name, want := range map[string]string{
		"ls": "java.lang.String", "raw": "", "wild": "", "wnum": "", "wstr": "java.lang.String", "low": "java.lang.Integer",
		"lls": "", "lfi": "demo.Final", "lsa": "[Ljava.lang.String;", "wl": "",
	} {
		t.Run(name, func(t *testing.T) {
			if known, _ := scope.Element(field(t, gen, name).Type); known != want {
				t.Errorf("elements of %s are %q, want %q", name, known, want)
			}
		})
	}
	_, inner := scope.Element(field(t, gen, "lls").Type)
	if known, _ := scope.Element(inner); known != "java.lang.String" {
		t.Errorf("the inner elements of lls are %q", known)
	}
	_, inner = scope.Element(field(t, gen, "wl").Type)
	if known, _ := scope.Element(inner); known != "" {
		t.Errorf("the arguments of a bound are not lost: %q", known)
	}
	for name, want := range map[string][2]string{
		"msi": {"java.lang.String", "java.lang.Integer"}, "mso": {"java.lang.String", ""}, "msl": {"java.lang.String", ""},
		"props": {"", ""}, "em": {"demo.Color", "java.lang.Integer"},
	} {
		t.Run(name, func(t *testing.T) {
			e, ok := scope.Entry(field(t, gen, name).Type)
			if !ok || e.Key != want[0] || e.Value != want[1] {
				t.Errorf("entries of %s are %+v, want %q", name, e, want)
			}
		})
	}
	if _, ok := scope.Entry(field(t, gen, "one").Type); ok {
		t.Error("a map of one type argument, which Java cannot write, was accepted")
	}
	e, _ := scope.Entry(field(t, gen, "msl").Type)
	if known, _ := scope.Element(e.ValueCtx); known != "java.lang.Long" {
		t.Errorf("the elements of msl's values are %q", known)
	}
}

// TestScope checks bindings at run time, with both of Kryo's quirks.
func TestScope(t *testing.T) {
	t.Parallel()
	w := newWorld(
		class(t, "Box<T>", "T value", "List<T> list", "Object any", "T[] arr"),
		class(t, "Pair<A,B>", "A a", "B b"),
		class(t, "Outer<X>", "Pair<X,String> p"),
		class(t, "Sup<A>", "A a"), class(t, "Sub<B> extends Sup<B>", "B b", "Map<String,B> m"),
		class(t, "Use", "Box<String> bs", "Box<Object> bo", "Box raw", "Sub<Long> s", "Box<String,Long,Long> many", "Outer<Integer> out"),
	)
	use, box := w.bean(t, "Use"), w.bean(t, "Box")
	var scope Scope
	scope.Reset(w.find)

	mark := scope.Enter(box, field(t, use, "bs").Type)
	check := func(b *Bean, name, want string) {
		t.Helper()
		if got := scope.Field(field(t, b, name)); got != want {
			t.Errorf("%s.%s is %q, want %q", b.Class.Name, name, got, want)
		}
	}
	check(box, "value", "java.lang.String")
	check(box, "arr", "[Ljava.lang.String;")
	check(box, "any", "")
	if known, _ := scope.Element(field(t, box, "list").Type); known != "java.lang.String" {
		t.Errorf("elements are %q", known)
	}
	inner := scope.Enter(box, field(t, use, "raw").Type)
	check(box, "value", "java.lang.String") // quirk a: a raw Box inside a Box<String>
	scope.Leave(inner)
	inner = scope.Enter(box, field(t, use, "bo").Type)
	check(box, "value", "") // Object is known, and not final
	scope.Leave(inner)
	inner = scope.Enter(box, field(t, use, "many").Type)
	check(box, "value", "java.lang.String") // too many arguments bind nothing
	scope.Leave(inner)
	scope.Leave(mark)
	check(box, "value", "")
	check(box, "arr", "")

	sub := w.bean(t, "Sub")
	mark = scope.Enter(sub, field(t, use, "s").Type)
	check(sub, "a", "java.lang.Long")
	check(sub, "b", "java.lang.Long")
	scope.Leave(mark)

	outer, pair := w.bean(t, "Outer"), w.bean(t, "Pair")
	p := field(t, outer, "p").Type
	mark = scope.Enter(pair, p) // quirk b: X is unknown, so String goes to A
	check(pair, "a", "java.lang.String")
	check(pair, "b", "")
	scope.Leave(mark)
	mark = scope.Enter(outer, field(t, use, "out").Type)
	inner = scope.Enter(pair, p)
	check(pair, "a", "java.lang.Integer")
	check(pair, "b", "java.lang.String")
	scope.Leave(inner)
	scope.Leave(mark)
}

func TestSuperclassErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(class(t, "A extends Missing"), class(t, "Self extends Self"), class(t, "Plain extends Object", "int x"))
	for name, want := range map[string]string{"A": "the superclass Missing of A is not described", "Self": "or is its own"} {
		if _, err := Of(w[name], w.find); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b := w.bean(t, "Plain"); len(b.Fields) != 1 {
		t.Errorf("fields %+v", b.Fields)
	}
}
