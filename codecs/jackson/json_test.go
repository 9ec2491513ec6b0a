package jackson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

type taggedOrder struct {
	ID      int64            `json:"orderId"`
	Total   float64          `json:"total"`
	Note    *string          `json:"note"`
	Tags    []string         `json:"tags,omitempty"`
	Items   []taggedItem     `json:"items,omitempty"`
	Due     time.Time        `json:"due"`
	By      map[string]int32 `json:"by,omitempty"`
	Any     any              `json:"any,omitempty"`
	Ignored func()           `json:"-"`
}

type taggedItem struct {
	Sku   string `json:"sku"`
	Count int32  `json:"count"`
}

func bindJSON[T any](t testing.TB, opts ...jackson.Option) codecs.Typed[T] {
	t.Helper()
	return codectest.Typed[T](t, jackson.JSON(opts...))
}

// TestJSON: structs go by their json tags, without HTML escapes, and keep all digits.
func TestJSON(t *testing.T) {
	t.Parallel()
	typed := bindJSON[taggedOrder](t)
	v := taggedOrder{
		ID: math.MaxInt64, Total: 12.5, Tags: []string{"a<b&c", "日本"}, Items: []taggedItem{{"A", 2}},
		Due: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Any: json.Number("9007199254740993.10"),
	}
	const want = `{"orderId":9223372036854775807,"total":12.5,"note":null,"tags":["a<b&c","日本"],` +
		`"items":[{"sku":"A","count":2}],"due":"2026-01-02T03:04:05Z","any":9007199254740993.10}`
	payload, err := typed.Encode(v)
	if err != nil || string(payload) != want {
		t.Fatalf("%s, %v", payload, err)
	}
	back, err := typed.Decode([]byte(" " + want + "\n"))
	if err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("%+v, %v", back, err)
	}
}

// TestJSONRefuses: what is not one JSON value that the type takes is an error with its
// place.
func TestJSONRefuses(t *testing.T) {
	t.Parallel()
	limits := codecs.Limits{Bytes: 400, Elements: 20, Depth: 6, StringBytes: 30}
	typed := bindJSON[taggedOrder](t, jackson.Limits(limits))
	for _, c := range []struct {
		payload, want string
		offset        int
	}{
		{``, "no JSON value", 0},
		{`{"orderId":1} {}`, `2 bytes behind the value`, 14},
		{`{"orderId":1}x`, `1 bytes behind the value`, 13},
		{`{"orderId":"x"}`, `at orderId at byte 11: found string where Go type int64 is due`, 11},
		{`{"orderId":9223372036854775808}`, `at orderId at byte 11: found number where`, 11},
		{`{"orderId":1.5}`, `at orderId`, 11},
		{`{"items":[{"sku":"A"},{"count":"b"}]}`, `at items[1].count at byte 31`, 31},
		{`{"items":[{"sku":"A"},[]]}`, `at items[1] at byte 22: found array`, 22},
		{`{"items":{"sku":"A"}}`, `at items at byte 9: found object`, 9},
		{`{"tags":["` + "\xff" + `"]}`, `at tags[0] at byte 10: not UTF-8`, 10},
		{`{"tags":["\ud800"]}`, `at tags[0] at byte 9: a text with half of a surrogate pair`, 9},
		{`{"tags":["\udc00\ud83d"]}`, `half of a surrogate pair`, 9},
		{`{"orderId":01}`, `leading zero`, 11},
		{`{"orderId":1,}`, `a value after the comma`, 13},
		{`{'orderId':1}`, `a key in quotes`, 1},
		{`{"any":[[[[[[[1]]]]]]]}`, `nested deeper than 6`, 12},
		{`{"any":[` + strings.Repeat("1,", 30) + `1]}`, `more than 20 elements`, -2},
		{`{"any":"` + strings.Repeat("x", 31) + `"}`, `string of more than 30 bytes`, 7},
		{`{"any":"` + strings.Repeat("x", 400) + `"}`, `the limit is 400`, -1},
		{`{"due":"soon"}`, `at due at byte 7: the text is no date`, 7},
		{`{"due":"2024-01-02 03:04:05","orderId":"99","items":[{"count":"two"}]}`, `at items[0].count at byte 62: found string`, 62},
		{`NaN`, `a JSON value`, 0},
	} {
		_, err := typed.Decode([]byte(c.payload))
		var wrong *codecs.DecodeError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) || c.offset != -2 && wrong.Offset != c.offset {
			t.Errorf("%s: %v; want %q at byte %d", c.payload, err, c.want, c.offset)
		}
	}
}

// TestJSONText: text that is no UTF-8 is refused in both directions, or replaced as
// Java's StringCodec does.
func TestJSONText(t *testing.T) {
	t.Parallel()
	loose := bindJSON[map[string]string](t, jackson.ReplaceInvalidUTF8())
	got, err := loose.Decode([]byte("{\"a\":\"x\xffy\",\"b\":\"\\ud800\"}"))
	if want := map[string]string{"a": "x\uFFFDy", "b": "\uFFFD"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	strict := bindJSON[map[string]any](t)
	for _, c := range []struct {
		value map[string]any
		want  string
	}{
		{map[string]any{"a": []any{1, "x\xff"}}, "at a[1]"},
		{map[string]any{"a\xff": 1}, "at [key]"},
		{map[string]any{"a": struct{ B *string }{new("\xc3")}}, "at a.B"},
	} {
		if _, err := strict.Encode(c.value); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "not UTF-8") {
			t.Errorf("%q: %v; want %s", c.value, err, c.want)
		}
	}
	raw := map[string]any{"a": json.RawMessage(`"\ufffd"`), "b": "\uFFFD \\ufffd"}
	if payload, err := strict.Encode(raw); err != nil || string(payload) != "{\"a\":\"\\ufffd\",\"b\":\"\uFFFD \\\\ufffd\"}" {
		t.Errorf("%s, %v", payload, err)
	}
}

// TestJSONValues: without a Go type numbers and nulls are kept and written the same.
func TestJSONValues(t *testing.T) {
	t.Parallel()
	c := jackson.JSON()
	const text = `{"b":1,"a":[9007199254740993,123456789012345678901234567890,1.5,1.10,-0.0,null,true,"x"],"m":{},"n":null}`
	v := codectest.Must(c.Decode([]byte(text)))(t)
	m, ok := v.(*java.Map)
	if !ok || len(m.Entries) != 4 {
		t.Fatalf("%#v", v)
	}
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	want := []any{int64(9007199254740993), huge, 1.5, java.BigDecimal{Unscaled: big.NewInt(110), Scale: 2}, math.Copysign(0, -1), nil, true, "x"}
	if got := m.Entries[1].Value.(*java.List).Elements; !reflect.DeepEqual(got, want) {
		t.Errorf("%#v", got)
	}
	if back, err := c.Encode(v); err != nil || string(back) != text {
		t.Errorf("%s, %v", back, err)
	}
	open, err := bindJSON[any](t).Decode([]byte(text))
	if list, ok := open.(map[string]any)["a"].([]any); err != nil || !ok || list[1] != json.Number("123456789012345678901234567890") {
		t.Errorf("%#v, %v", open, err)
	}
	values, err := bindJSON[*java.Map](t).Decode([]byte(text))
	if err != nil || !reflect.DeepEqual(values, m) {
		t.Errorf("%#v, %v", values, err)
	}
	if c.Name() != jackson.NameJSON || c.WritesEmpty() {
		t.Error("name or empty")
	}
}

// TestJSONBind: what encoding/json cannot carry is found at Bind, all together, and so
// are options that mean nothing here.
func TestJSONBind(t *testing.T) {
	t.Parallel()
	type wrong struct {
		C  chan int               `json:"c"`
		F  func()                 `json:"f"`
		M  map[bool]int           `json:"m"`
		In struct{ Z complex128 } `json:"in"`
	}
	_, err := codecs.For[wrong](jackson.JSON(), codecs.BindOptions{})
	for _, want := range []string{"at c ", "at f ", "at m ", "at in.Z "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	_, err = codecs.For[int](jackson.JSON(jackson.Since("4.7.0"), jackson.Mapper{Naming: jackson.SnakeCase}, nil, jackson.Limits(codecs.Limits{Depth: -1})), codecs.BindOptions{})
	for _, want := range []string{"Since", "Mapper", "option 3 is nil", "Depth"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if _, err := jackson.JsonJackson(jackson.ReplaceInvalidUTF8()).Encode("x"); err == nil {
		t.Error("JsonJackson takes ReplaceInvalidUTF8")
	}
}

func ExampleJSON() {
	type order struct {
		ID   int64  `json:"id"`
		Note string `json:"note,omitempty"`
	}
	typed, err := codecs.For[order](jackson.JSON(), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, _ := typed.Encode(order{ID: 9007199254740993, Note: "a < b"})
	fmt.Printf("%s\n", payload)
	_, err = typed.Decode([]byte(`{"id":"seven"}`))
	fmt.Println(err)
	// Output:
	// {"id":9007199254740993,"note":"a < b"}
	// decode json at id at byte 6: found string where Go type int64 is due
}
