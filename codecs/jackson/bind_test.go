package jackson_test

import (
	"errors"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

type item struct {
	SKU string `java:"sku"`
	N   int    `java:"n"`
}

type order struct {
	ID      int64 `java:"id"`
	Qty     int
	Price   float64
	Name    string
	OK      bool `java:"ok"`
	Tags    []string
	Attrs   map[string]any
	Item    *item
	Items   []item
	Created java.Date
	UUID    string `java:"uuid"`
}

func carry[T any](t *testing.T, v T, want string) {
	t.Helper()
	typed := codectest.Typed[T](t, jackson.JsonJackson())
	got, err := typed.Encode(v)
	if err != nil || string(got) != want {
		t.Errorf("%T: %v\ngot  %s\nwant %s", v, err, got, want)
	}
	back, err := typed.Decode([]byte(want))
	if err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("%T %s: back as %v, %v", v, want, back, err)
	}
}

// TestTypes: the root is bare where Java's class of it is final, and nothing
// is lost on the way.
func TestTypes(t *testing.T) {
	t.Parallel()
	carry(t, "a\"b\\c/\n\t\u0001é中😀<&>'\u2028\x7f", "\"a\\\"b\\\\c/\\n\\t\\u0001é中\\uD83D\\uDE00<&>'\u2028\x7f\"")
	carry(t, true, "true")
	carry(t, 42, "42")
	carry(t, int8(-1), "-1")
	carry(t, int16(2), "2")
	carry(t, int64(math.MaxInt64), `["java.lang.Long",9223372036854775807]`)
	carry(t, float32(1.1), "1.1")
	carry(t, 1e21, "1.0E21")
	carry(t, math.Inf(-1), `"-Infinity"`)
	carry(t, java.Char('c'), `"c"`)
	carry(t, []byte{1, 2, 3}, `"AQID"`)
	carry(t, big.NewInt(5), `["java.math.BigInteger",5]`)
	carry(t, java.BigDecimal{Unscaled: big.NewInt(1230), Scale: 2}, `["java.math.BigDecimal",12.30]`)
	carry(t, java.Date{Class: java.ClassDate, Millis: 5}, `["java.util.Date",5]`)
	carry[*string](t, nil, "null")
	carry(t, []string{"a", "b"}, `["java.util.ArrayList",["a","b"]]`)
	carry(t, []int64{1}, `["java.util.ArrayList",[["java.lang.Long",1]]]`)
	carry(t, map[string]any{"s": "x", "i": int32(1), "l": int64(2), "list": []any{int64(1)}, "map": map[string]any{"q": 1.5}},
		`{"@class":"java.util.HashMap","s":"x","i":1,"l":["java.lang.Long",2],"list":["java.util.ArrayList",[["java.lang.Long",1]]],"map":{"@class":"java.util.HashMap","q":1.5}}`)
	carry(t, map[string]int64{"orderId": 100}, `{"@class":"java.util.HashMap","orderId":["java.lang.Long",100]}`)
	carry[any](t, "x", `"x"`)
	carry(t, item{SKU: "A", N: 1}, `{"@class":"java.util.HashMap","sku":"A","n":1}`)
}

// TestNullsAreDropped: Redisson's mapper leaves null entries out of maps, keeps
// nulls in lists.
func TestNullsAreDropped(t *testing.T) {
	t.Parallel()
	got, err := jackson.JsonJackson().Encode(map[string]any{"a": nil, "l": []any{nil}})
	if want := `{"@class":"java.util.HashMap","l":["java.util.ArrayList",[null]]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// TestBeanIntoStruct reads the bean that Java wrote into a struct by tag.
func TestBeanIntoStruct(t *testing.T) {
	t.Parallel()
	got := codectest.Must(codectest.Into[order](t, jackson.JsonJackson(), []byte(captured(t, "json-root-4.7.0.txt", "POJO Order"))))(t)
	want := order{
		ID: 1, Qty: 3, Price: 1.5, Name: "n", OK: true, Tags: []string{"a", "b"},
		Attrs: map[string]any{"k": int32(1), "l": int64(2)}, Item: &item{"A", 1}, Items: []item{{"A", 1}},
		Created: java.Date{Class: java.ClassDate, Millis: 1700000000123}, UUID: "00000000-0000-0001-0000-000000000002",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestJavaFormsWithoutClass: roots that Java writes and cannot read itself are
// read where the Go type says what they are.
func TestJavaFormsWithoutClass(t *testing.T) {
	t.Parallel()
	if v := into[[]string](t, `["a","b"]`); len(v) != 2 || v[1] != "b" {
		t.Errorf("List.of: %v", v)
	}
	if v := into[[]int](t, `[1,2]`); len(v) != 2 || v[1] != 2 {
		t.Errorf("int[]: %v", v)
	}
	if v := into[map[string]int](t, `{"a":1}`); v["a"] != 1 {
		t.Errorf("Map.of: %v", v)
	}
	if v := into[map[string]string](t, `{"@class":"java.util.HashMap","u":["java.util.UUID","00-1"]}`); v["u"] != "00-1" {
		t.Errorf("UUID: %v", v)
	}
	if v := into[int64](t, "5"); v != 5 {
		t.Errorf("bare Long: %v", v)
	}
}

func into[T any](t *testing.T, payload string) T {
	t.Helper()
	typed := codectest.Typed[T](t, jackson.JsonJackson())
	v, err := typed.Decode([]byte(payload))
	if err != nil {
		t.Errorf("%s: %v", payload, err)
	}
	return v
}

func TestRefusedTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		wants []string
	}{
		{struct {
			C chan int
			F func()
		}{}, []string{"chan int", "func()"}},
		{struct {
			A int `java:"a,<"`
		}{}, []string{"tag"}},
	} {
		_, err := jackson.JsonJackson().Bind(reflect.TypeOf(c.value), codecs.BindOptions{})
		var e *codecs.BindError
		if !errors.As(err, &e) || e.Codec != "jsonjackson" {
			t.Errorf("%T: %v", c.value, err)
			continue
		}
		for _, want := range c.wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%T: %v; want %q", c.value, err, want)
			}
		}
	}
	if _, err := jackson.JsonJackson().Bind(nil, codecs.BindOptions{}); err == nil {
		t.Error("nil type bound")
	}
}

func TestEncodeErrors(t *testing.T) {
	t.Parallel()
	loop := &java.Map{}
	loop.Set("self", loop)
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"not UTF-8":     {map[string]any{"a b": []any{"\xff"}}, `at [text of length 3][0]`},
		"cycle":         {loop, "contains itself"},
		"null key":      {&java.Map{Entries: []java.Entry{{Value: 1}}}, "null key"},
		"huge scale":    {java.BigDecimal{Unscaled: big.NewInt(1), Scale: -1 << 30}, "scale"},
		"channel":       {make(chan int), "no Java value"},
		"int too large": {map[string]any{"n": 1 << 40}, "use int64"},
		"nested bad":    {map[string]any{"a": []any{func() {}}}, "a[0]"},
		"java.time":     {java.Instant{}, "java.time"},
		"nameless enum": {java.Enum{Class: "a.B", Ordinal: 1}, "constant"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := jackson.JsonJackson().Encode(c.value)
			var e *codecs.EncodeError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %q, %v; want %q", name, b, err, c.want)
			}
		})
	}
	typed := codectest.Typed[map[string]int](t, jackson.JsonJackson())
	_, err := typed.Encode(map[string]int{"n": 1 << 40})
	var e *codecs.EncodeError
	if !errors.As(err, &e) || e.Path != "n" {
		t.Errorf("typed: %v", err)
	}
}
