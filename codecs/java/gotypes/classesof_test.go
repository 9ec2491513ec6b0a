package gotypes

import (
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

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
		Price java.BigDecimal `java:"price"`
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

func show(c *java.Class) string {
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
	fields, err := FieldsOf(reflect.TypeFor[order](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range fields[:3] {
		got = append(got, f.Level+"."+f.Name+" "+f.GoName+" "+f.Declared.String())
	}
	want := []string{"demo.Entity.id entity.ID long", "demo.Order.by auditing.By java.lang.String", "demo.Order.id ID java.lang.String"}
	if !slices.Equal(got, want) {
		t.Errorf("fields %q, want %q", got, want)
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
	promoted    struct{ entity }
	phantom     struct{ A int }
	idle[A any] struct {
		Page int32 `java:"page,int"`
		Data A     `java:"data,D"`
	}
	twoSupers struct {
		entity
		first
	}
	first     struct{ A int }
	vague     struct{ E java.Enum }
	notEnum   string
	nameless  int
	stringSet []string
)

func (subOf[A]) JavaClass() string      { return "demo.Sub<X> extends demo.Super<X,java.lang.String>" }
func (subRaw[A]) JavaClass() string     { return "demo.Raw<X>" }
func (superOf[A, B]) JavaClass() string { return "demo.Super<F,S>" }
func (phantom) JavaClass() string       { return "demo.Phantom<T>" }
func (idle[A]) JavaClass() string       { return "demo.Idle<D,Nowhere>" }
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
	fields, err := FieldsOf(reflect.TypeFor[holder](), codecs.BindOptions{})
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

// TestUnusedParameters takes a type parameter that no field names where all fields
// say what they are: Java has such classes too.
func TestUnusedParameters(t *testing.T) {
	t.Parallel()
	type holder struct {
		A idle[string]
		B idle[string] `java:"b,demo.Idle<java.lang.String,java.lang.Long>"`
	}
	fields, err := FieldsOf(reflect.TypeFor[holder](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"demo.Idle<java.lang.String,?>", "demo.Idle<java.lang.String,java.lang.Long>"} {
		if got := fields[i].Declared.String(); got != want {
			t.Errorf("%s: %s, want %s", fields[i].Name, got, want)
		}
	}
	set, err := ClassesOf(reflect.TypeFor[holder](), codecs.BindOptions{})
	if err != nil || show(set.Find("demo.Idle")) != "demo.Idle<D,Nowhere>: int page; D data;" {
		t.Errorf("%s, %v", show(set.Find("demo.Idle")), err)
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
		"A: ", "takes the Java class demo.Entity from the embedded gotypes.entity", "type parameter T", "both represent its superclass",
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
