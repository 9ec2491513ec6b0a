package java

import (
	"errors"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
)

func TestParseClass(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"demo.Order":           "demo.Order",
		"final demo.Money":     "final demo.Money",
		" record  demo.Point ": "record demo.Point",
		"demo.Result<T>":       "demo.Result<T>",
		"demo.Box<T extends java.lang.Number & java.lang.Comparable<T>>":             "demo.Box<T extends java.lang.Number>",
		"demo.Sub< T > extends demo.Base<T, java.lang.String>":                       "demo.Sub<T> extends demo.Base<T,java.lang.String>",
		"demo.A extends java.lang.Object":                                            "demo.A",
		"demo.A extends demo.B implements demo.C, demo.D<java.lang.String> serial 1": "demo.A extends demo.B implements demo.C,demo.D serial 1",
		"enum demo.Color {RED,GREEN , BLUE}":                                         "enum demo.Color {RED, GREEN, BLUE}",
		"enum demo.Op {ADD{demo.Op$1}, SUB { demo.Op$2 },}":                          "enum demo.Op {ADD{demo.Op$1}, SUB{demo.Op$2}}",
		"enum demo.None {}":       "enum demo.None {}",
		"enum demo.Open":          "enum demo.Open",
		"demo.Order serial -0x1f": "demo.Order serial -31",
		"demo.Order serial 42L":   "demo.Order serial 42",
		"final":                   "final",
		"demo.订单<值>":              "demo.订单<值>",
		"T<T extends java.util.List<? extends T[]>>": "T<T extends java.util.List<? extends T[]>>",
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
		"enum demo.A {X{}}":                 "class name",
		"enum demo.A {1}":                   "constant",
		"enum demo.A {X{a.b":                "expected }",
		"demo.A serial":                     "unexpected",
		"demo.A serial x":                   "serialVersionUID",
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
	for text, want := range map[string][2]string{
		"int":                  {"int", "I"},
		"int[]":                {"[I", "[I"},
		"java.lang.String[][]": {"[[Ljava.lang.String;", "[[Ljava/lang/String;"},
		"java.util.List<T>":    {"java.util.List", "Ljava/util/List;"},
		"T":                    {"java.lang.Object", "Ljava/lang/Object;"},
		"N[]":                  {"[Ljava.lang.Number;", "[Ljava/lang/Number;"},
		"M":                    {"java.lang.Number", "Ljava/lang/Number;"},
		"A":                    {"java.lang.Object", "Ljava/lang/Object;"},
		"T<java.lang.String>":  {"T", "LT;"},
	} {
		typ, err := ParseType(text)
		if err != nil || typ.Erasure(c) != want[0] || typ.Signature(c) != want[1] {
			t.Errorf("%s: %s %s, %v", text, typ.Erasure(c), typ.Signature(c), err)
		}
	}
	for name, want := range map[string]string{
		"[I": "int[]", "[[Ljava.lang.String;": "java.lang.String[][]", "demo.C": "demo.C", "I": "I", "[Lx/Y;": "x.Y[]", "Lx/Y;": "x.Y", "[X": "X[]",
	} {
		if got := TypeOf(name); got.String() != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	for sig, want := range map[string]string{"I": "int", "[[J": "long[][]", "Ljava/lang/String;": "java.lang.String", "X": "", "L;": "", "": "", "La;b;": "", "[": ""} {
		got, err := ParseSignature(sig)
		if got.String() != want || (err == nil) != (want != "") {
			t.Errorf("%q: %s, %v", sig, got, err)
		}
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

// The demo classes of these tests.
type (
	color  string
	level  int8
	entity struct {
		ID int64 `java:"id"`
	}
	auditing struct {
		By string `java:"by"`
	}
	order struct {
		entity
		auditing
		ID    string     `java:"id"`
		Items []item     `java:"items"`
		Color color      `java:"color"`
		Level *level     `java:"level"`
		At    time.Time  `java:"at"`
		Key   uuid16     `java:"key"`
		Bytes []byte     `java:"bytes"`
		Page  page[item] `java:"page"`
		Any   any        `java:"any"`
		Count *int       `java:"count"`
		Tree  *tree[string]
	}
	item struct {
		Price BigDecimal `java:"price"`
		Attrs map[string]int32
		Total *big.Int
	}
	uuid16      [16]byte
	page[T any] struct {
		Rows []T `java:"rows,java.util.List<? extends E>"`
		Next *page[T]
	}
	tree[T any] struct {
		Left  *tree[T]
		Value T `java:"v,T"`
	}
)

func (color) JavaClass() string   { return "enum demo.Color {RED, GREEN}" }
func (level) JavaClass() string   { return "enum demo.Level {LOW{demo.Level$1}, HIGH}" }
func (entity) JavaClass() string  { return "demo.Entity serial 7" }
func (order) JavaClass() string   { return "demo.Order" }
func (*item) JavaClass() string   { return "final demo.Order$Item" }
func (page[T]) JavaClass() string { return "demo.Page<E>" }
func (tree[T]) JavaClass() string { return "demo.Tree<T>" }

func show(c *Class) string {
	var b strings.Builder
	b.WriteString(c.String() + ":")
	for _, f := range c.Fields {
		b.WriteString(" " + f.Type.String() + " " + f.Name + ";")
	}
	return b.String()
}

func TestClassesOf(t *testing.T) {
	t.Parallel()
	type oldOrder struct {
		entity
		Total float64 `java:"total"`
	}
	set, err := ClassesOf(reflect.TypeFor[map[string][]*order](), codecs.BindOptions{
		Classes: map[reflect.Type]string{reflect.TypeFor[oldOrder](): "demo.Order"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for c := range set.All() {
		got = append(got, show(c))
	}
	want := []string{
		"demo.Order extends demo.Entity: java.lang.String by; java.lang.String id; java.util.List<demo.Order$Item> items; demo.Color color; " +
			"demo.Level level; java.util.Date at; java.util.UUID key; byte[] bytes; demo.Page<demo.Order$Item> page; java.lang.Object any; " +
			"java.lang.Integer count; demo.Tree<java.lang.String> tree;",
		"demo.Entity serial 7: long id;",
		"final demo.Order$Item: java.math.BigDecimal price; java.util.Map<java.lang.String,java.lang.Integer> attrs; java.math.BigInteger total;",
		"enum demo.Color {RED, GREEN}:",
		"enum demo.Level {LOW{demo.Level$1}, HIGH}:",
		"demo.Page<E>: java.util.List<? extends E> rows; demo.Page<E> next;",
		"demo.Tree<T>: demo.Tree<T> left; T v;",
		"demo.Order extends demo.Entity: double total;",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFieldLevels(t *testing.T) {
	t.Parallel()
	fields, err := FieldsOf(reflect.TypeFor[order]())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range fields[:3] {
		got = append(got, f.Level+"."+f.Name+" "+f.GoName+" "+f.Declared.String())
	}
	want := []string{"demo.Entity.id entity.ID long", "demo.Order.by auditing.By java.lang.String", "demo.Order.id ID java.lang.String"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

type (
	subOf[A any] struct {
		superOf[A, string]
		Own A `java:"own,X"`
	}
	superOf[A, B any] struct {
		First  A            `java:"first,F"`
		Second map[string]B `java:"second,java.util.Map<java.lang.String,S>"`
	}
	subRaw[A any] struct {
		superOf[A, string]
		Own A `java:"own,X"`
	}
	promoted  struct{ entity }
	phantom   struct{ A int }
	twoSupers struct {
		entity
		first
	}
	first     struct{ A int }
	vague     struct{ E Enum }
	notEnum   string
	nameless  int
	stringSet []string
)

func (subOf[A]) JavaClass() string      { return "demo.Sub<X> extends demo.Super<X,java.lang.String>" }
func (subRaw[A]) JavaClass() string     { return "demo.Raw<X>" }
func (superOf[A, B]) JavaClass() string { return "demo.Super<F,S>" }
func (phantom) JavaClass() string       { return "demo.Phantom<T>" }
func (twoSupers) JavaClass() string     { return "demo.Two" }
func (first) JavaClass() string         { return "demo.First" }
func (vague) JavaClass() string         { return "demo.Vague" }
func (notEnum) JavaClass() string       { return "demo.NotEnum" }
func (nameless) JavaClass() string      { return "enum demo.Broken {" }
func (stringSet) JavaClass() string {
	return "demo.Strings extends java.util.HashSet<java.lang.String>"
}

func TestInferredArguments(t *testing.T) {
	t.Parallel()
	type holder struct {
		A subOf[*int64]
		B []map[int32]page[uuid16]
		C stringSet
		D superOf[[]float32, any]
	}
	fields, err := FieldsOf(reflect.TypeFor[holder]())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"demo.Sub<java.lang.Long>",
		"java.util.List<java.util.Map<java.lang.Integer,demo.Page<java.util.UUID>>>",
		"demo.Strings",
		"demo.Super<java.util.List<java.lang.Float>,java.lang.Object>",
	} {
		if got := fields[i].Declared.String(); got != want {
			t.Errorf("%s: %s, want %s", fields[i].Name, got, want)
		}
	}
	set, err := ClassesOf(reflect.TypeFor[subOf[int64]](), codecs.BindOptions{})
	if err != nil || set.Find("demo.Sub").String() != "demo.Sub<X> extends demo.Super<X,java.lang.String>" {
		t.Errorf("%v, %v", set.Find("demo.Sub"), err)
	}
}

func TestClassesOfMistakes(t *testing.T) {
	t.Parallel()
	type wrong struct {
		A promoted
		B phantom
		C twoSupers
		D vague
		E notEnum
		F nameless
		G subRaw[int]
	}
	_ = twoSupers{}.first
	_, err := ClassesOf(reflect.TypeFor[wrong](), codecs.BindOptions{})
	for _, want := range []string{
		"A: ", "takes the Java class demo.Entity from the embedded java.entity", "type parameter T", "both stand for its superclass",
		"D.E: ", "give the declared type in a tag", "declare it as enum demo.NotEnum", "demo.Raw<X> extends demo.Super<…>", "F: ", "expected the name of a constant",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
	opts := codecs.BindOptions{Classes: map[reflect.Type]string{reflect.TypeFor[promoted](): "demo.Entity serial 7"}}
	set, err := ClassesOf(reflect.TypeFor[promoted](), opts)
	if err != nil || set.Len() != 1 || show(set.Find("demo.Entity")) != "demo.Entity serial 7: long id;" {
		t.Errorf("%v, %v", set, err)
	}
	if _, err := ClassesOf(nil, opts); err == nil {
		t.Error("no type has classes")
	}
}
