package java

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

type (
	bag[T any]    []T
	index[V any]  map[string]V
	arrays[T any] struct {
		Array []T   `java:"array,T[]"`
		Grid  [][]T `java:"grid,java.util.List<T[]>"`
	}
	maybe[T any] struct {
		Value *T `java:"value,java.util.Optional<? extends T>"`
	}
	pairOf[A, B any] struct {
		Left  A `java:"left,A"`
		Right B `java:"right,B"`
		Both  map[string]pairOf[B, A]
	}
	halfBound[T any] struct {
		Known T              `java:"known,T"`
		Other map[string]any `java:"other,demo.Custom<U>"`
	}
	nest    []nest
	hasNest struct{ N nest }
)

func (bag[T]) JavaClass() string { return "demo.Bag<E> extends java.util.ArrayList<E>" }
func (index[V]) JavaClass() string {
	return "demo.Index<V> extends java.util.TreeMap<java.lang.String,V>"
}
func (arrays[T]) JavaClass() string    { return "demo.Arrays<T>" }
func (maybe[T]) JavaClass() string     { return "demo.Maybe<T>" }
func (pairOf[A, B]) JavaClass() string { return "demo.Pair<A,B>" }
func (halfBound[T]) JavaClass() string { return "demo.Half<T,U>" }
func (hasNest) JavaClass() string      { return "demo.HasNest" }

func TestDescribeGenerics(t *testing.T) {
	t.Parallel()
	for want, typ := range map[string]reflect.Type{
		"demo.Bag<java.lang.Integer>":                                       reflect.TypeFor[bag[int32]](),
		"demo.Index<java.util.List<demo.Color>>":                            reflect.TypeFor[index[[]color]](),
		"demo.Arrays<java.lang.Short>":                                      reflect.TypeFor[*arrays[int16]](),
		"demo.Maybe<java.util.UUID>":                                        reflect.TypeFor[maybe[textUUID]](),
		"demo.Pair<java.lang.String,demo.Pair<java.lang.Long,demo.Entity>>": reflect.TypeFor[pairOf[string, pairOf[int64, entity]]](),
		"demo.Half<java.lang.Boolean,?>":                                    reflect.TypeFor[halfBound[bool]](),
		"java.util.Map<java.lang.Long,java.util.List<byte[]>>":              reflect.TypeFor[map[int64][][]byte](),
		"java.util.List<java.util.Map>":                                     reflect.TypeFor[[]struct{ A int }](),
		"java.lang.Boolean":                                                 reflect.TypeFor[*bool](),
		"":                                                                  reflect.TypeFor[nest](),
	} {
		if got := DescribeType(typ, TypeExpr{}, codecs.BindOptions{}); got.String() != want {
			t.Errorf("%s: %s, want %s", typ, got, want)
		}
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[chan int](), reflect.TypeFor[**int](), reflect.TypeFor[Enum](), reflect.TypeFor[[]*Object](), reflect.TypeFor[map[string]Text](),
		reflect.TypeFor[[3]int](), reflect.TypeFor[fmt.Stringer](),
	} {
		if got := DescribeType(typ, TypeExpr{}, codecs.BindOptions{}); !got.IsZero() {
			t.Errorf("%s: %s", typ, got)
		}
	}
	tag := TypeExpr{Class: "demo.Tag"}
	if got := DescribeType(reflect.TypeFor[int](), tag, codecs.BindOptions{}); got.Class != "demo.Tag" {
		t.Errorf("with a tag: %s", got)
	}
	_, err := ClassesOf(reflect.TypeFor[hasNest](), codecs.BindOptions{})
	if err == nil || !strings.Contains(err.Error(), "contains itself") {
		t.Errorf("recursive slice: %v", err)
	}
	set, err := ClassesOf(reflect.TypeFor[index[bag[arrays[string]]]](), codecs.BindOptions{})
	if err != nil || set.Len() != 3 || show(set.Find("demo.Arrays")) != "demo.Arrays<T>: T[] array; java.util.List<T[]> grid;" {
		t.Errorf("%v", err)
	}
}

func TestGenericContainers(t *testing.T) {
	t.Parallel()
	lowers(t, index[bag[int32]]{"b": {1}, "a": nil}, `{"class":"demo.Index","value":{"a":null,"b":{"class":"demo.Bag","value":[1]}}}`)
	lowers(t, arrays[int64]{Array: []int64{1}, Grid: [][]int64{{2}}}, `{"class":"demo.Arrays","value":{`+
		`"array":{"class":"[Ljava.lang.Object;","value":[{"class":"java.lang.Long","value":1}]},`+
		`"grid":{"class":"java.util.ArrayList","value":[{"class":"[Ljava.lang.Object;","value":[{"class":"java.lang.Long","value":2}]}]}}}`)
	assigns(t, &Object{Class: "demo.Maybe", Fields: []Field{{Name: "value", Value: object("java.util.Optional", "x")}}}, maybe[string]{p("x")})
}

func TestDeclaredText(t *testing.T) {
	t.Parallel()
	type texts struct {
		A string `java:"a,java.util.UUID"`
		B string `java:"b,java.math.BigDecimal"`
		C string `java:"c,java.math.BigInteger"`
		D string `java:"d,java.lang.Class"`
		E string `java:"e,java.time.ZoneId"`
		F string `java:"f,java.time.ZoneId"`
		G string `java:"g,java.net.URI"`
		H string `java:"h,java.nio.charset.Charset"`
		I string `java:"i,java.lang.StringBuffer"`
		J string `java:"j,java.util.Currency"`
	}
	plan := mustCompile[texts](t)
	in := texts{
		A: "123e4567-e89b-12d3-a456-426614174000", B: "-1.50", C: "-7", D: "int", E: "Asia/Tokyo", F: "+09:00", G: "a:b", H: "ISO-8859-1", J: "EUR",
	}
	low, err := plan.Lower(in)
	if err != nil {
		t.Fatal(err)
	}
	var out texts
	if err := plan.Assign(low, &out); err != nil || out != in {
		t.Errorf("%+v, %v", out, err)
	}
	for name, class := range map[string]string{
		"a": "java.util.UUID", "b": "java.math.BigDecimal", "c": "java.math.BigInteger", "d": "java.lang.Class", "e": "java.time.ZoneRegion",
		"f": "java.time.ZoneOffset", "g": "java.net.URI", "h": "sun.nio.cs.ISO_8859_1", "i": "java.lang.StringBuffer", "j": "java.util.Currency",
	} {
		t.Run(name, func(t *testing.T) {
			if v, _ := low.(*Map).Get(name); ClassOf(v) != class {
				t.Errorf("%s: %s, want %s", name, ClassOf(v), class)
			}
		})
	}
	for field, v := range map[string]texts{"h": {H: "EBCDIC"}, "b": {B: "x"}, "c": {C: "1.5"}, "a": {A: "x"}} {
		cannotLower(t, v, field, "declared type")
	}
	refuses[texts](t, &Map{Entries: []Entry{{"a", int32(1)}}}, "a", "the kinds differ")
	assigns(t, &Map{Entries: []Entry{{"j", &Object{Class: "java.util.Currency", Fields: []Field{{Value: "EUR"}}}}}}, texts{J: "EUR"})
}

type (
	small uint8
	wide2 int16
)

func (small) JavaClass() string { return manyConstants(300) }
func (wide2) JavaClass() string { return manyConstants(300) }

func manyConstants(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("C%d", i)
	}
	return "enum demo.Many {" + strings.Join(names, ",") + "}"
}

func TestIntegerEnums(t *testing.T) {
	t.Parallel()
	assigns(t, Enum{Class: "demo.Many", Name: "C255", Ordinal: -1}, small(255))
	assigns(t, Enum{Class: "demo.Many", Ordinal: 299}, wide2(299))
	refuses[small](t, Enum{Class: "demo.Many", Ordinal: 256}, "", "does not fit")
	refuses[small](t, int32(1), "", "the kinds differ")
	cannotLower(t, wide2(-1), "", "ordinal -1")
	lowers(t, small(255), `{"class":"demo.Many","value":"C255"}`)
	lowers(t, struct {
		A []wide2 `java:"a,java.util.EnumSet<demo.Many>"`
		B []Enum  `java:"b,java.util.EnumSet<demo.Open>"`
	}{[]wide2{10, 9}, []Enum{{Class: "demo.Open", Ordinal: 1}, {Class: "demo.Open", Ordinal: 0}}}, `{"class":"java.util.HashMap","value":{`+
		`"a":{"class":"java.util.JumboEnumSet","value":[{"class":"demo.Many","value":"C9"},{"class":"demo.Many","value":"C10"}],"of":"demo.Many"},`+
		`"b":{"class":"java.util.RegularEnumSet","value":[{"class":"demo.Open","value":0},{"class":"demo.Open","value":1}],"of":"demo.Open"}}}`)
	cannotLower(t, struct {
		B []Enum `java:"b,java.util.EnumSet<demo.Open>"`
	}{[]Enum{{Class: "demo.Open"}, {Class: "demo.Other"}}}, "b", "no constant of the enum")
}

func TestArrayList(t *testing.T) {
	t.Parallel()
	l, ok := ArrayList([]Char{'a', 'b'})
	if !ok || l.Class != "[C" || l.Len() != 2 || l.Elements[1] != Char('b') {
		t.Errorf("%v, %v", l, ok)
	}
	for _, v := range []any{[]byte{1}, []int32(nil), []string{"a"}, nil, "x"} {
		if l, ok := ArrayList(v); ok {
			t.Errorf("%v: %v", v, l)
		}
	}
}

func TestLookupsOfClasses(t *testing.T) {
	t.Parallel()
	c, err := ParseClass("enum demo.Op {ADD{demo.Op$1}, SUB}")
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := c.Enum(0); !ok || e != (Enum{Class: "demo.Op", Name: "ADD", Ordinal: 0, Body: "demo.Op$1"}) {
		t.Errorf("%+v, %v", e, ok)
	}
	for _, ordinal := range []int{-1, 2} {
		if e, ok := c.Enum(ordinal); ok {
			t.Errorf("%d: %+v", ordinal, e)
		}
	}
	if c.Ordinal("SUB") != 1 || c.Ordinal("MUL") != -1 || (*Class)(nil).Ordinal("SUB") != -1 {
		t.Error("ordinals")
	}
	set, err := ClassesOf(reflect.TypeFor[entity](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := set.Find("demo.Entity").Field("id"); !ok || f.Type.Class != "long" {
		t.Errorf("%+v", f)
	}
	if _, ok := set.Find("demo.Entity").Field("ID"); ok {
		t.Error("a field that is not there")
	}
	bits := &BitSet{Words: []uint64{4}}
	if !bits.Get(2) || bits.Get(1) || bits.Get(64) || bits.Get(-1) || (*BitSet)(nil).Get(0) || bits.Count() != 1 {
		t.Error("bits")
	}
	if !(*Calendar)(nil).Time().IsZero() {
		t.Error("a nil calendar has a time")
	}
}
