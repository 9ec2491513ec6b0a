package bridge_test

import (
	"errors"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

func mustCompile[T any](t *testing.T) *bridge.Plan {
	t.Helper()
	p := codectest.Must(bridge.Compile(reflect.TypeFor[T](), codecs.BindOptions{}))(t)
	return p
}

// assigns checks that v goes into a T as want.
func assigns[T any](t *testing.T, v any, want T) {
	t.Helper()
	var got T
	if err := mustCompile[T](t).Assign(v, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%T(%v) into %T: got %v, %v; want %v", v, v, want, got, err, want)
	}
}

func refuses[T any](t *testing.T, v any, path, reason string) {
	t.Helper()
	var got T
	err := mustCompile[T](t).Assign(v, &got)
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Path != path || !strings.Contains(err.Error(), reason) {
		t.Errorf("%T(%v) into %T: got %v, error %v", v, v, got, got, err)
	}
}

func TestAssignNumbers(t *testing.T) {
	t.Parallel()
	assigns(t, int32(-5), int64(-5))
	assigns(t, int64(127), int8(127))
	assigns(t, int8(5), uint8(5))
	assigns(t, int16(5), 5)
	assigns(t, big.NewInt(5), int32(5))
	assigns(t, new(big.Int).SetUint64(math.MaxUint64), uint64(math.MaxUint64))
	assigns(t, int64(1<<53), float64(1<<53))
	assigns(t, int32(3), float32(3))
	assigns(t, float32(0.5), 0.5)
	assigns(t, 0.5, float32(0.5))
	refuses[int8](t, int64(128), "", "the number does not fit")
	refuses[uint8](t, int32(-1), "", "the number does not fit")
	refuses[int64](t, new(big.Int).Lsh(big.NewInt(1), 70), "", "does not fit")
	refuses[int64](t, new(big.Int).Lsh(big.NewInt(1), 1<<20), "", "the number does not fit")
	refuses[int64](t, 1.0, "", "java.lang.Double")
	refuses[int64](t, "1", "", "java.lang.String")
	refuses[uint64](t, true, "", "kinds differ")
	refuses[float64](t, int64(1<<53+1), "", "not exact")
	refuses[float32](t, 0.1, "", "not exact")
	refuses[float64](t, "1", "", "kinds differ")
	refuses[bool](t, int32(1), "", "kinds differ")
	refuses[string](t, java.Char('A'), "", "kinds differ")
}

func TestAssignContainers(t *testing.T) {
	t.Parallel()
	type named string
	type item struct {
		Name  named
		Price *int64
		Next  *item
	}
	one := int64(1)
	items := &java.List{Class: "java.util.LinkedList", Elements: []any{
		&java.Map{Entries: []java.Entry{{Key: "name", Value: "a"}, {Key: "price", Value: int32(1)}, {Key: "unknown", Value: true}, {Key: "next", Value: &java.Map{Entries: []java.Entry{{Key: "name", Value: nil}}}}}},
		&java.Object{Class: "demo.Item", Fields: []java.Field{{Name: "name", Value: "b"}, {Name: "price", Value: nil}}},
	}}
	assigns(t, items, []item{{Name: "a", Price: &one, Next: &item{}}, {Name: "b"}})
	assigns(t, items, []*item{{Name: "a", Price: &one, Next: &item{}}, {Name: "b"}})
	assigns[[]int](t, nil, nil)
	assigns[map[string]int](t, nil, nil)
	assigns[*item](t, nil, nil)
	assigns(t, &java.Map{Entries: []java.Entry{{Key: int32(1), Value: "x"}, {Key: int32(1), Value: "y"}}}, map[int64]string{1: "y"})
	assigns(t, &java.Map{Entries: []java.Entry{{Key: "k", Value: &java.List{Elements: []any{&java.Map{}}}}}}, map[string]any{"k": []any{map[string]any{}}})
	assigns[any](t, items, items)
	assigns(t, items, items)
	assigns(t, []byte("x"), []byte("x"))
	assigns(t, java.Date{Millis: 1500}, time.UnixMilli(1500).UTC())
	assigns(t, java.Instant{Seconds: 1, Nanos: 5}, time.Unix(1, 5).UTC())
	assigns(t, java.Enum{Class: "demo.Color", Name: "RED"}, java.Enum{Class: "demo.Color", Name: "RED"})

	refuses[[]item](t, &java.List{Elements: []any{&java.Map{Entries: []java.Entry{{Key: "price", Value: "x"}}}}}, "[0].price", "int64")
	refuses[[]int](t, &java.List{Elements: []any{int32(1), nil}}, "[1]", "null")
	refuses[item](t, nil, "", "null")
	refuses[item](t, &java.Map{Entries: []java.Entry{{Key: int32(1), Value: nil}}}, "[key]", "String keys")
	refuses[map[int]string](t, &java.Map{Entries: []java.Entry{{Key: "a", Value: "b"}}}, "[key]", "int")
	refuses[map[string]int](t, &java.Map{Entries: []java.Entry{{Key: "two words", Value: "b"}}}, `[text of length 9]`, "int")
	refuses[map[any]int](t, &java.Map{Entries: []java.Entry{{Key: &java.List{}, Value: int32(1)}}}, "[key]", "cannot compare")
	refuses[*java.List](t, &java.Map{}, "", "*java.List")
	refuses[java.LocalTime](t, nil, "", "null")
	assigns(t, nil, java.LocalDate{})
	refuses[time.Time](t, java.LocalDate{}, "", "java.time.LocalDate")
	refuses[[]byte](t, &java.List{}, "", "[]uint8")
	refuses[bool](t, struct{}{}, "", "no Java value")
}

// lowers checks the JSON view of what v becomes.
func lowers[T any](t *testing.T, v T, want string) {
	t.Helper()
	got, err := mustCompile[T](t).Lower(v)
	if err != nil || string(view.Of(got)) != want {
		t.Errorf("%T: got %s, %v; want %s", v, view.Of(got), err, want)
	}
}

func cannotLower[T any](t *testing.T, v T, path, reason string) {
	t.Helper()
	got, err := mustCompile[T](t).Lower(v)
	var e *codecs.EncodeError
	if !errors.As(err, &e) || e.Path != path || !strings.Contains(err.Error(), reason) {
		t.Errorf("%T: got %v, error %v", v, got, err)
	}
}

func TestLowerDeclaredTypes(t *testing.T) {
	t.Parallel()
	lowers(t, struct {
		A int            `java:"a,long"`
		B int64          `java:"b,java.lang.Integer"`
		C []string       `java:"c,java.util.Set<java.lang.String>"`
		D []int          `java:"d,java.util.TreeSet<java.lang.Short>"`
		E map[string]int `java:"e,java.util.TreeMap<java.lang.String,java.lang.Long>"`
		F time.Time      `java:"f,java.time.Instant"`
		G []string       `java:"g,java.lang.String[]"`
		H *float64       `java:"h,java.lang.Float"`
		I string         `java:"i,java.lang.Object,omitempty"`
	}{
		A: 1, B: 2, C: []string{"b", "a"}, D: []int{3, 1}, E: map[string]int{"y": 1, "x": 2},
		F: time.Unix(0, 0), G: []string{"s"},
	}, `{"class":"java.util.HashMap","value":{`+
		`"a":{"class":"java.lang.Long","value":1},`+
		`"b":2,`+
		`"c":{"class":"java.util.HashSet","value":["a","b"]},`+
		`"d":{"class":"java.util.TreeSet","value":[{"class":"java.lang.Short","value":1},{"class":"java.lang.Short","value":3}]},`+
		`"e":{"class":"java.util.TreeMap","value":{"x":{"class":"java.lang.Long","value":2},"y":{"class":"java.lang.Long","value":1}}},`+
		`"f":{"class":"java.time.Instant","value":"1970-01-01T00:00:00Z"},`+
		`"g":{"class":"[Ljava.lang.String;","value":["s"]},`+
		`"h":null}}`)
	cannotLower(t, struct {
		N int64 `java:"n,int"`
	}{1 << 40}, "n", "declared type int")
	cannotLower(t, struct {
		S []string `java:"s,java.util.Set"`
	}{[]string{"a", "a"}}, "s", "one in Java")
	cannotLower(t, struct {
		S []any `java:"s,java.util.TreeSet"`
	}{[]any{"a", 1}}, "s", "compare")
	cannotLower(t, struct {
		F float64 `java:"f,java.lang.Float"`
	}{0.1}, "f", "fit")
}

func TestLowerMaps(t *testing.T) {
	t.Parallel()
	lowers(t, map[int]string{17: "a", 1: "b", 16: "c"}, `{"class":"java.util.HashMap","value":[[16,"c"],[1,"b"],[17,"a"]]}`)
	lowers(t, map[bool]int{true: 1}, `{"class":"java.util.HashMap","value":[[true,1]]}`)
	lowers(t, map[any]any{"a": nil, 1: []int{}}, `{"class":"java.util.HashMap","value":[[1,{"class":"java.util.ArrayList","value":[]}],["a",null]]}`)
	lowers[map[string]int](t, nil, `null`)
	lowers[any](t, nil, `null`)
	lowers[any](t, []string{"x"}, `{"class":"java.util.ArrayList","value":["x"]}`)
}

func TestLowerErrors(t *testing.T) {
	t.Parallel()
	type node struct{ Next *node }
	loop := &node{}
	loop.Next = loop
	cannotLower(t, loop, strings.Repeat("next.", 100)+"next", "cycle")
	cannotLower(t, map[any]int{java.Enum{}: 1}, "[key]", "hash code")
	cannotLower(t, map[any]int{int32(1): 1, 1: 2}, "[key]", "one in Java")
	cannotLower(t, map[float64]int{math.NaN(): 1, math.Float64frombits(0x7ff8000000000002): 2}, "[key]", "one in Java")
	cannotLower(t, []any{1, func() {}}, "[1]", "func()")
	cannotLower[any](t, 1<<40, "", "int64")
	if _, err := mustCompile[int](t).Lower("x"); err == nil {
		t.Error("a string was lowered as int")
	}
}

type beanType struct {
	B int `java:"b"`
	A int `java:"a"`
}

func (beanType) JavaClass() string { return "demo.Bean" }

func TestBeans(t *testing.T) {
	t.Parallel()
	p := mustCompile[map[string][]beanType](t)
	if got := p.Beans(); len(got) != 1 || got[0].Class != "demo.Bean" || got[0].Path != "[][]" {
		t.Errorf("beans %+v", got)
	}
	lowers(t, beanType{B: 1, A: 2}, `{"class":"demo.Bean","value":{"b":1,"a":2}}`)
	assigns(t, &java.Object{Class: "demo.Bean", Fields: []java.Field{{Name: "a", Value: int32(2)}}}, beanType{A: 2})
}

// TestRecursiveDeclarations: types that lead back to themselves through tags.
func TestRecursiveDeclarations(t *testing.T) {
	t.Parallel()
	type linked struct {
		Next *linked   `java:"next,java.util.LinkedHashMap<java.lang.String,?>"`
		Kids []*linked `java:"kids,java.util.LinkedList<java.util.Map>"`
	}
	lowers(t, linked{Next: &linked{}, Kids: []*linked{{}}}, `{"class":"java.util.HashMap","value":{`+
		`"next":{"class":"java.util.LinkedHashMap","value":{"next":null,"kids":null}},`+
		`"kids":{"class":"java.util.LinkedList","value":[{"class":"java.util.HashMap","value":{"next":null,"kids":null}}]}}}`)
	p := mustCompile[chained](t)
	low, err := p.Lower(chained{Next: &chained{}, Other: &chained{}})
	if err != nil || len(p.Beans()) != 1 {
		t.Errorf("%s, %v", view.Of(low), err)
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[struct {
			A chained `java:"a,demo.Chained[]"`
		}](),
		reflect.TypeFor[struct {
			A *chained `java:"a,java.lang.Integer"`
		}](),
		reflect.TypeFor[struct {
			A *chained `java:"a,java.lang.String"`
		}](),
	} {
		if _, err := bridge.Compile(typ, codecs.BindOptions{}); err == nil || !strings.Contains(err.Error(), "declared type") {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

type chained struct {
	Next  *chained `java:"next,demo.HasNext"`
	Other *chained `java:"other,java.util.Optional<demo.Chained>"`
}

func (chained) JavaClass() string { return "demo.Chained" }

func TestDeclaredClasses(t *testing.T) {
	t.Parallel()
	p := mustCompile[[]struct {
		A []string `java:"a,java.util.Queue"`
		B []string `java:"b,java.lang.String[]"`
		C []string
	}](t)
	if got := p.Classes(); len(got) != 3 || got[0].Class != "java.util.LinkedList" || got[0].Path != "[].A" ||
		got[1].Class != "[Ljava.lang.String;" || got[2].Class != "java.lang.String" {
		t.Errorf("classes %+v", got)
	}
}

func TestCompileErrors(t *testing.T) {
	t.Parallel()
	type inner struct {
		C complex64
		D []error
	}
	type pointers *pointers
	for name, c := range map[string]struct {
		t    reflect.Type
		want []string
	}{
		"nil":               {nil, []string{"no type"}},
		"nested":            {reflect.TypeFor[map[string][]inner](), []string{"[][].C", "complex64", "[][].D[]", "empty interface"}},
		"own by value":      {reflect.TypeFor[big.Int](), []string{"*big.Int"}},
		"recursive pointer": {reflect.TypeFor[pointers](), []string{"pointer to a pointer"}},
		"declared": {reflect.TypeFor[struct {
			A string            `java:"a,long"`
			B []byte            `java:"b,java.util.List"`
			C map[string]string `java:"c,java.util.List"`
			D []string          `java:"d,int[]"`
			E time.Time         `java:"e,java.lang.String"`
			F []int             `java:"f,java.util.Map"`
			G java.LocalDate    `java:"g,java.lang.Long"`
			H *big.Int          `java:"h,int"`
			I *java.Map         `java:"i,java.lang.String[]"`
			J *java.List        `java:"j,java.lang.String[]"`
			K java.Char         `java:"k,int"`
		}](), []string{"A: ", "B: ", "C: ", "D[]: ", "E: ", "F: ", "G: ", "H: ", "I: ", "java.util.Map"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bridge.Compile(c.t, codecs.BindOptions{})
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v lacks %q", name, err, want)
				}
			}
		})
	}
}

// TestArrayOfPrimitives: what an array of primitives cannot hold is refused, by Bind
// where the type tells and otherwise with the value.
func TestArrayOfPrimitives(t *testing.T) {
	t.Parallel()
	for _, typ := range []reflect.Type{
		reflect.TypeFor[struct {
			A []java.LocalDate `java:"a,int[]"`
		}](),
		reflect.TypeFor[struct {
			A []java.Text `java:"a,byte[]"`
		}](),
		reflect.TypeFor[struct {
			A []*big.Int `java:"a,long[]"`
		}](),
	} {
		if _, err := bridge.Compile(typ, codecs.BindOptions{}); err == nil || !strings.Contains(err.Error(), "declared type") {
			t.Errorf("%s: %v", typ, err)
		}
	}
	type holder struct {
		A []any `java:"a,int[]"`
	}
	plan := codectest.Must(bridge.Compile(reflect.TypeFor[holder](), codecs.BindOptions{}))(t)
	for _, bad := range []any{"text", int64(1) << 40, 1.5, java.LocalDate{Year: 2024, Month: 1, Day: 2}, nil, []any{}} {
		if v, err := plan.Lower(holder{[]any{int32(1), bad}}); err == nil || !strings.Contains(err.Error(), "[1]") {
			t.Errorf("%v: %v, %v", bad, v, err)
		}
	}
	if v, err := plan.Lower(holder{[]any{int32(1), int32(2)}}); err != nil || !reflect.DeepEqual(v.(*java.Map).Entries[0].Value, []int32{1, 2}) {
		t.Errorf("%v, %v", v, err)
	}
}

// TestWholeNumbersOfFractions: an integer that is declared as a class with fractions
// takes what it is written as.
func TestWholeNumbersOfFractions(t *testing.T) {
	t.Parallel()
	type numbers struct {
		A int64  `java:"a,java.lang.Double"`
		B uint32 `java:"b,java.math.BigDecimal"`
		C int8   `java:"c,float"`
	}
	plan := codectest.Must(bridge.Compile(reflect.TypeFor[numbers](), codecs.BindOptions{}))(t)
	want := numbers{-7, 1 << 31, 3}
	low, err := plan.Lower(want)
	var got numbers
	if err == nil {
		err = plan.Assign(low, &got)
	}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, ok := range []java.BigDecimal{{Unscaled: big.NewInt(1200), Scale: 2}, {Unscaled: big.NewInt(12), Scale: 0}} {
		if err := plan.Assign(&java.Map{Entries: []java.Entry{{Key: "b", Value: ok}}}, &got); err != nil || got.B != 12 {
			t.Errorf("%v: %+v, %v", ok, got, err)
		}
	}
	if err := plan.Assign(&java.Map{Entries: []java.Entry{{Key: "b", Value: java.BigDecimal{}}}}, &got); err != nil || got.B != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []java.Entry{
		{Key: "a", Value: 1.5},
		{Key: "a", Value: math.NaN()},
		{Key: "a", Value: 1e300},
		{Key: "b", Value: java.BigDecimal{Unscaled: big.NewInt(15), Scale: 1}},
		{Key: "b", Value: java.BigDecimal{Unscaled: big.NewInt(1), Scale: -1000}},
		{Key: "b", Value: java.BigDecimal{Unscaled: big.NewInt(1), Scale: math.MinInt32}},
		{Key: "c", Value: float32(1000)},
		{Key: "a", Value: "5"},
	} {
		if err := plan.Assign(&java.Map{Entries: []java.Entry{bad}}, &got); err == nil {
			t.Errorf("%v: %+v", bad, got)
		}
	}
}

// TestReferenceIntoOthers: no struct takes a reference by accident, whatever its
// fields are called; the reason names what is referred to.
func TestReferenceIntoOthers(t *testing.T) {
	t.Parallel()
	v := &java.Object{Class: java.ReferenceClass, Fields: []java.Field{{Name: "keyName", Value: "stock"}, {Name: "type", Value: "org.redisson.api.RMap"}}}
	refuses[struct{ KeyName string }](t, v, "", `RMap "stock" (); let Java offer its contents, or declare the queue with java.RedissonReference`)
	refuses[string](t, v, "", `RMap "stock"`)
	refuses[int64](t, v, "", `RMap "stock"`)
	refuses[[]struct{ Name string }](t, &java.List{Class: "java.util.ArrayList", Elements: []any{v}}, "[0]", `RMap "stock"`)
	var got *java.RedissonReference
	if err := mustCompile[*java.RedissonReference](t).Assign(v, &got); err != nil || got.KeyName != "stock" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestArrayList(t *testing.T) {
	t.Parallel()
	l, ok := bridge.ArrayList([]java.Char{'a', 'b'})
	if !ok || l.Class != "[C" || l.Len() != 2 || l.Elements[1] != java.Char('b') {
		t.Errorf("%v, %v", l, ok)
	}
	for _, v := range []any{[]byte{1}, []int32(nil), []string{"a"}, nil, "x"} {
		if l, ok := bridge.ArrayList(v); ok {
			t.Errorf("%v: %v", v, l)
		}
	}
}
