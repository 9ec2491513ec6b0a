package kryo5

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

type line struct {
	SKU   string `java:"sku"`
	Count int    `java:"count"`
}

type order struct {
	ID      string            `java:"orderId"`
	Cents   int64             `java:"amountCents,java.lang.Long"`
	Paid    *bool             `java:"paid"`
	Lines   []line            `java:"lines"`
	Tags    []string          `java:"tags,java.util.Set<java.lang.String>"`
	Extra   map[string]string `java:",java.util.LinkedHashMap,omitempty"`
	Any     any
	Created time.Time
	_       int
	Skipped chan int `java:"-"`
}

func TestBindRoundTrip(t *testing.T) {
	t.Parallel()
	paid := true
	full := order{
		ID: "100", Cents: 12, Paid: &paid, Lines: []line{{"a1", 2}, {"b2", 1}}, Tags: []string{"new", "vip"},
		Extra: map[string]string{"x": "y"}, Any: map[string]any{"k": []any{int32(1), nil}}, Created: time.UnixMilli(1700000000123).UTC(),
	}
	checkRoundTrip(t, full)
	checkRoundTrip(t, &full)
	checkRoundTrip(t, []order{full, {Created: time.UnixMilli(0).UTC()}})
	checkRoundTrip(t, map[int64][]bool{1: {true}, -1: {}, 3: nil})
	checkRoundTrip(t, "张三")
	checkRoundTrip(t, 42)
	checkRoundTrip(t, int64(-1))
	checkRoundTrip(t, 2.5)
	checkRoundTrip(t, true)
	checkRoundTrip(t, []byte("bytes"))
	checkRoundTrip(t, map[string]any{"a": int32(1), "b": []any{"x", map[string]any{"c": nil}}})
	checkRoundTrip(t, map[string]any(nil))
	checkRoundTrip(t, (*string)(nil))
	checkRoundTrip(t, java.Date{Class: "java.sql.Timestamp", Millis: 5})
	checkRoundTrip(t, &java.List{Class: "java.util.LinkedList", Elements: []any{"a", nil}})
	checkRoundTrip[any](t, &java.Map{Class: "java.util.TreeMap", Entries: []java.Entry{{Key: int32(1), Value: "x"}}})
	checkRoundTrip[any](t, nil)
}

func checkRoundTrip[T any](t *testing.T, v T) {
	t.Helper()
	typed := typedOf[T](t, New())
	payload, err := typed.Encode(v)
	if err != nil {
		t.Fatalf("%T: %v", v, err)
	}
	got, err := typed.Decode(payload)
	if err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%T: got %+v, %v; want %+v", v, got, err, v)
	}
}

func TestBindDecodeErrors(t *testing.T) {
	t.Parallel()
	checkDecodeError[string](t, "\x02\x02", "", "java.lang.Integer", "string")
	checkDecodeError[string](t, "\x00", "", "", "null")
	checkDecodeError[string](t, "\x03\x80", "", "java.lang.String", "null")
	checkDecodeError[string](t, "\x03a\xe2\x00", "", "", "1 bytes follow")
	checkDecodeError[string](t, "", "", "", "empty")
	checkDecodeError[map[string]any](t, "\x03a\xe2", "", "java.lang.String", "map[string]any")
	checkDecodeError[map[string]any](t, hashMap+"\x02\x02\x02\x00", "", "java.util.HashMap", "java.Map")
	checkDecodeError[int32](t, "\x09\xfe\xff\xff\xff\xff\x0f", "", "java.lang.Long", "does not fit")
	checkDecodeError[int](t, "\x00", "", "", "null")
	checkDecodeError[[]int](t, arrayList+"\x05\x02\x02\x02\x02\x03a\xe2\x00", "[2]", "java.lang.String", "int")
	checkDecodeError[order](t, hashMap+"\x02\x03line\xf3"+"\x01\x01java.util.ArrayLis\xf4\x02\x01\x00\x02\x03coun\xf4\x05\x01",
		"lines[0].count", "java.lang.Boolean", "int")
	checkDecodeError[order](t, hashMap+"\x02\x02\x02\x00", "[key]", "java.lang.Integer", "String keys")
	checkDecodeError[order](t, hashMap+"\x02\x03line\xf3\x01\x01demo.Lin\xe5", "lines", "demo.Line", "not described")
}

func checkDecodeError[T any](t *testing.T, payload, path, class, reason string) {
	t.Helper()
	typed := typedOf[T](t, New())
	v, err := typed.Decode([]byte(payload))
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Path != path || e.Class != class || !strings.Contains(e.Reason, reason) {
		t.Errorf("%T from %q: got %v, %v", v, payload, v, err)
	}
}

func TestBindErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		t       reflect.Type
		classes map[reflect.Type]string
		want    []string
	}{
		"channel":  {reflect.TypeFor[chan int](), nil, []string{"chan int"}},
		"array":    {reflect.TypeFor[[3]int](), nil, []string{"slice"}},
		"by value": {reflect.TypeFor[java.Map](), nil, []string{"*java.Map"}},
		"all mistakes at once": {reflect.TypeFor[struct {
			A chan int
			B int `java:"b,java.lang.String"`
			C int `java:"c,java.util.List<"`
		}](), nil, []string{"C of"}},
		"two mistakes": {reflect.TypeFor[struct {
			A chan int
			B int `java:"b,java.lang.String"`
		}](), nil, []string{"at A", "at B", "java.lang.String"}},
		"read-only class": {reflect.TypeFor[struct {
			A []string `java:"a,java.util.ArrayList$SubList"`
		}](), nil, []string{"at A", "java.util.ArrayList$SubList"}},
		"class without an end": {reflect.TypeFor[line](), map[reflect.Type]string{reflect.TypeFor[line](): "demo.Line extends"}, []string{"demo.Line"}},
		"nil type":             {nil, nil, []string{"no type"}},
	} {
		_, err := New().Bind(c.t, codecs.BindOptions{Classes: c.classes})
		var e *codecs.BindError
		if !errors.As(err, &e) || e.Codec != "kryo5" {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", name, err, want)
			}
		}
	}
}

func TestBindWrongTarget(t *testing.T) {
	t.Parallel()
	b := codectest.Must(New().Bind(reflect.TypeFor[string](), codecs.BindOptions{}))(t)
	for _, target := range []any{nil, "x", (*string)(nil), new(int), new(map[string]any)} {
		if err := b.Decode([]byte("\x03a\xe2"), target); err == nil {
			t.Errorf("target %T was accepted", target)
		}
	}
	if _, err := b.Append(nil, 5); err == nil {
		t.Error("an int was appended to a string binding")
	}
	type small struct {
		B int `java:"b,byte"`
	}
	b = codectest.Must(New().Bind(reflect.TypeFor[small](), codecs.BindOptions{Classes: map[reflect.Type]string{reflect.TypeFor[small](): "demo.Small"}}))(t)
	if payload, err := b.Append(nil, small{128}); err == nil {
		t.Errorf("128 is a byte: %x", payload)
	}
}
