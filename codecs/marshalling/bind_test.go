package marshalling

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// decodeInto decodes payload into a new T.
func decodeInto[T any](t *testing.T, codec *Codec, payload []byte) (T, error) {
	t.Helper()
	typed, err := codecs.For[T](codec, codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return typed.Decode(payload)
}

// TestFields decodes into structs that have other fields than the class.
func TestFields(t *testing.T) {
	t.Parallel()
	payload := sample(t, "item")
	less, err := decodeInto[struct {
		SKU string `java:"sku"`
	}](t, New(), payload)
	if err != nil || less.SKU != "one" {
		t.Errorf("fewer fields: %+v, %v", less, err)
	}
	got, err := decodeInto[moreItem](t, New(), payload)
	if err != nil || got.SKU != "one" || got.Count != 5 || got.Extra != "" {
		t.Errorf("more fields: %+v, %v", got, err)
	}
	order, err := decodeInto[fewFields](t, New(), sample(t, "order"))
	if err != nil || !order.Paid || order.Created != time.UnixMilli(1700000000123).UTC() {
		t.Errorf("order: %+v, %v", order, err)
	}
	flat, err := decodeInto[flatOrder](t, New(), sample(t, "order"))
	if err != nil || flat.ID != 42 || !flat.Paid {
		t.Errorf("a field of the superclass in a struct without one: %+v, %v", flat, err)
	}
}

// flatOrder has a field of the superclass as its own.
type flatOrder struct {
	ID   int64 `java:"id"`
	Paid bool  `java:"paid"`
}

func (flatOrder) JavaClass() string { return "River$Order" }

// moreItem has a field that the class does not have.
type moreItem struct {
	SKU   string           `java:"sku"`
	Count int32            `java:"count"`
	Price *java.BigDecimal `java:"price"`
	Extra string           `java:"extra"`
}

func (moreItem) JavaClass() string { return "River$Item" }

func TestRefusedFields(t *testing.T) {
	t.Parallel()
	check := func(label string, err error, class, path string) {
		t.Helper()
		var e *codecs.DecodeError
		if !errors.As(err, &e) || e.Class != class || e.Path != path {
			t.Errorf("%s: %v; want an error about %s of %s", label, err, path, class)
		}
	}
	_, err := decodeInto[fewFields](t, New(RefuseUnknownFields()), sample(t, "order"))
	check("unknown", err, "River$Order", "id")
	_, err = decodeInto[moreItem](t, New(RefuseMissingFields()), sample(t, "item"))
	check("missing", err, "River$Item", "extra")
	if _, err = decodeInto[[]item](t, New(RefuseUnknownFields(), RefuseMissingFields()), sample(t, "list of items")); err != nil {
		t.Errorf("the same fields: %v", err)
	}
}

// TestMapsAndStructs decodes maps into structs and beans into maps.
func TestMapsAndStructs(t *testing.T) {
	t.Parallel()
	got, err := decodeInto[struct {
		ID   int64   `java:"id"`
		Name string  `java:"name"`
		List []int32 `java:"list"`
	}](t, New(), sample(t, "linked map"))
	if err != nil || got.ID != 1 || got.Name != "value" || len(got.List) != 2 {
		t.Errorf("a map in a struct: %+v, %v", got, err)
	}
	m, err := decodeInto[map[string]any](t, New(), sample(t, "item"))
	if err != nil || m["sku"] != "one" || m["count"] != int32(5) {
		t.Errorf("a bean in a map: %+v, %v", m, err)
	}
	text, err := decodeInto[string](t, New(), []byte("\x04\x3e\x0afffffffff1"))
	if err != nil || text != "fffffffff1" {
		t.Errorf("a string: %q, %v", text, err)
	}
	value, err := decodeInto[any](t, New(), sample(t, "item"))
	if o, ok := value.(*java.Object); err != nil || !ok || o.Class != "River$Item" || o.Serial.UID != 11 {
		t.Errorf("any value: %+v, %v", value, err)
	}
	tags, err := decodeInto[[]string](t, New(), sample(t, "tags"))
	if err != nil || !reflect.DeepEqual(tags, []string{"one", "two"}) {
		t.Errorf("a class that extends ArrayList: %v, %v", tags, err)
	}
}

// TestWrongTypes holds errors of decoding to their places.
func TestWrongTypes(t *testing.T) {
	t.Parallel()
	_, err := decodeInto[struct {
		SKU int64 `java:"sku"`
	}](t, New(), sample(t, "item"))
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Path != "sku" || e.Class != "java.lang.String" {
		t.Errorf("a text in an int64: %v", err)
	}
	_, err = decodeInto[[]item](t, New(), sample(t, "order"))
	if !errors.As(err, &e) {
		t.Errorf("an order in a list: %v", err)
	}
	_, err = decodeInto[item](t, New(), sample(t, "item")[:60])
	if !errors.As(err, &e) || e.Offset != 60 {
		t.Errorf("half an item: %v", err)
	}
}

// external is a class that writes itself, here an int, a string and an object.
type external struct {
	N int32  `java:"n"`
	S string `java:"s"`
}

func (external) JavaClass() string { return "demo.Ext" }

// TestExternalizable refuses to lose what writeExternal wrote.
func TestExternalizable(t *testing.T) {
	t.Parallel()
	payload, err := hex.DecodeString("04040a0000000864656d6f2e457874adc15e25174eab113208af67a47e000000000132010335")
	if err != nil {
		t.Fatal(err)
	}
	v, err := decodeInto[external](t, New(), payload)
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Class != "demo.Ext" || !strings.Contains(e.Reason, "Externalizable") {
		t.Errorf("%+v, %v", v, err)
	}
	o, err := decodeInto[*java.Object](t, New(), payload)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := New().Encode(o); err != nil || !bytes.Equal(out, payload) {
		t.Errorf("written again: %x, %v", out, err)
	}
}

// TestDerivedMapInside writes a map of a class of its own, with keys that are no
// texts, as it was read.
func TestDerivedMapInside(t *testing.T) {
	t.Parallel()
	payload, err := hex.DecodeString("0404093e0a64656d6f2e4d794d6170d791780006959632000000013e0178230038" +
		"3e116a6176612e7574696c2e486173684d61700507dac1c31660d1000000023e0a6c6f6164466163746f7226003e097468726573686f6c6423001" +
		"63f4000000000000c320800000010000000014b000000053e016135bd6448cc")
	if err != nil {
		t.Fatal(err)
	}
	typed, err := codecs.For[any](New(), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := typed.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := typed.Encode(v); err != nil || !bytes.Equal(out, payload) {
		t.Errorf("%x, %v", out, err)
	}
}

// record is a class that River cannot carry.
type record struct {
	X int32 `java:"x"`
}

func (record) JavaClass() string { return "record demo.Point" }

// tagList extends a class of the JDK that writes data of its own.
type tagList struct {
	Weight int32 `java:"weight"`
}

func (tagList) JavaClass() string { return "demo.Tags extends java.util.ArrayList" }

func TestBindMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ    reflect.Type
		reason string
	}{
		{reflect.TypeFor[record](), "record"},
		{reflect.TypeFor[tagList](), "java.util.ArrayList"},
		{reflect.TypeFor[chan int](), "no Java value"},
		{reflect.TypeFor[struct {
			R record `java:"r"`
			C func() `java:"c"`
		}](), "no Java value"},
	} {
		_, err := New().Bind(c.typ, codecs.BindOptions{})
		var e *codecs.BindError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v; want an error about %q", c.typ, err, c.reason)
		}
	}
}

func TestOptionMistakes(t *testing.T) {
	t.Parallel()
	codec := New(nil, Limits(codecs.Limits{Depth: -1}), ShareStrings(7))
	_, err := codec.Decode([]byte{4, 1})
	var e *codecs.DecodeError
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want a DecodeError", err)
	}
	for _, want := range []string{"option 1 is nil", "Depth", "ShareStrings(7)"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %q", err, want)
		}
	}
	var b *codecs.BindError
	if _, err = codec.Bind(reflect.TypeFor[string](), codecs.BindOptions{}); !errors.As(err, &b) {
		t.Errorf("Bind: %v", err)
	}
	var w *codecs.EncodeError
	if _, err = codec.Encode("x"); !errors.As(err, &w) {
		t.Errorf("Encode: %v", err)
	}
}

// TestDeclaredClasses writes objects of classes that only an option describes.
func TestDeclaredClasses(t *testing.T) {
	t.Parallel()
	class, err := java.ParseClass("River$Item serial 11")
	if err != nil {
		t.Fatal(err)
	}
	class.Fields = []java.ClassField{
		{Name: "sku", Type: java.TypeExpr{Class: "java.lang.String"}},
		{Name: "count", Type: java.TypeExpr{Class: "int"}},
		{Name: "price", Type: java.TypeExpr{Class: "java.math.BigDecimal"}},
	}
	set, err := java.NewClasses(class)
	if err != nil {
		t.Fatal(err)
	}
	o := &java.Object{Class: "River$Item", Fields: []java.Field{
		{Name: "price", Value: *decimal(1990, 2)}, {Name: "sku", Value: "one"}, {Name: "count", Value: int32(5)},
	}}
	out, err := New(Classes(nil), Classes(set)).Encode(o)
	if want := sample(t, "item"); err != nil || string(out) != string(want) {
		t.Errorf("encoded %x, %v\nwant %x", out, err, want)
	}
	var e *codecs.EncodeError
	if _, err = New().Encode(o); !errors.As(err, &e) || !strings.Contains(err.Error(), "River$Item") {
		t.Errorf("a class that is not declared: %v", err)
	}
}

// lower and upper have a field of one name each.
type upper struct {
	Name string `java:"name"`
	Rank int32  `java:"rank"`
}

func (upper) JavaClass() string { return "demo.Upper" }

type lower struct {
	upper
	Name string `java:"name"`
}

func (lower) JavaClass() string { return "demo.Lower" }

// onlyLower has one of the two.
type onlyLower struct {
	Name string `java:"name"`
	Rank int64  `java:"rank"`
}

func (onlyLower) JavaClass() string { return "demo.Lower" }

// TestSameNames carries fields of one name at two levels.
func TestSameNames(t *testing.T) {
	t.Parallel()
	want := lower{upper: upper{Name: "above", Rank: 3}, Name: "below"}
	bound, err := New().Bind(reflect.TypeFor[lower](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	typed := bound.(*binding)
	payload, err := typed.Append(nil, want)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := typed.appendTyped(nil, want); !ok {
		t.Error("the typed plan does not write it")
	}
	for _, way := range []string{"typed", "values"} {
		var got lower
		if err = typed.Decode(payload, &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v", way, got, err)
		}
		out, err := typed.Append(nil, want)
		if err != nil || string(out) != string(payload) {
			t.Errorf("%s: encoded %x, %v; want %x", way, out, err, payload)
		}
		typed.root = nil
	}
	bound, err = New().Bind(reflect.TypeFor[onlyLower](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	typed = bound.(*binding)
	for _, way := range []string{"typed", "values"} {
		var one onlyLower
		if err = typed.Decode(payload, &one); err != nil || one.Name != "below" || one.Rank != 3 {
			t.Errorf("one of the two, %s: %+v, %v", way, one, err)
		}
		typed.root = nil
	}
}
