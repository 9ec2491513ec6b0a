package gotypes

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
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
		"demo.Maybe<java.util.UUID>":                                        reflect.TypeFor[maybe[uuid16]](),
		"demo.Pair<java.lang.String,demo.Pair<java.lang.Long,demo.Entity>>": reflect.TypeFor[pairOf[string, pairOf[int64, entity]]](),
		"demo.Half<java.lang.Boolean,?>":                                    reflect.TypeFor[halfBound[bool]](),
		"java.util.Map<java.lang.Long,java.util.List<byte[]>>":              reflect.TypeFor[map[int64][][]byte](),
		"java.util.List<java.util.Map>":                                     reflect.TypeFor[[]struct{ A int }](),
		"java.lang.Boolean":                                                 reflect.TypeFor[*bool](),
		"":                                                                  reflect.TypeFor[nest](),
	} {
		if got := DescribeType(typ, java.TypeExpr{}, codecs.BindOptions{}); got.String() != want {
			t.Errorf("%s: %s, want %s", typ, got, want)
		}
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[chan int](), reflect.TypeFor[**int](), reflect.TypeFor[java.Enum](), reflect.TypeFor[[]*java.Object](), reflect.TypeFor[map[string]java.Text](),
		reflect.TypeFor[[3]int](), reflect.TypeFor[fmt.Stringer](),
	} {
		if got := DescribeType(typ, java.TypeExpr{}, codecs.BindOptions{}); !got.IsZero() {
			t.Errorf("%s: %s", typ, got)
		}
	}
	tag := java.TypeExpr{Class: "demo.Tag"}
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
