package serial_test

import (
	"bytes"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestRules runs all tests of what users may rely on.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, rule := range []struct {
		name string
		test func(s *stream, t *testing.T)
	}{
		{"a superclass that is not Serializable", (*stream).superclassNotSerializable},
		{"a class that writes itself", (*stream).customClass},
		{"collections of a user's class", (*stream).ownCollections},
		{"an Externalizable class", (*stream).externalizable},
		{"values without size", (*stream).noSize},
		{"fields of one name at two levels", (*stream).sameNames},
		{"maps and structs", (*stream).mapsAndStructs},
		{"fields that differ", (*stream).fieldsDiffer},
		{"wrong types", (*stream).wrongTypes},
		{"mistakes in options", (*stream).optionMistakes},
		{"limits", (*stream).limits},
		{"declared classes", (*stream).declaredClasses},
		{"keys of one hash code", (*stream).collidingKeys},
		{"long lists", (*stream).longLists},
		{"paths in errors", (*stream).errorPaths},
	} {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, s *stream) { rule.test(s, t) })
		})
	}
}

// mapsAndStructs decodes maps into structs and beans into maps.
func (s *stream) mapsAndStructs(t *testing.T) {
	codec := s.New(options{})
	linked := encode(t, codec, &java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{
		{Key: "id", Value: int64(1)}, {Key: "name", Value: "value"}, {Key: "none"}, {Key: "list", Value: []any{int32(1), int32(2)}},
	}})
	got, err := codectest.Into[struct {
		ID   int64   `java:"id"`
		Name string  `java:"name"`
		List []int32 `java:"list"`
	}](t, codec, linked)
	if err != nil || got.ID != 1 || got.Name != "value" || len(got.List) != 2 {
		t.Errorf("a map in a struct: %+v, %v", got, err)
	}
	bean := itemPayload(t, codec)
	m, err := codectest.Into[map[string]any](t, codec, bean)
	if err != nil || m["sku"] != "one" || m["count"] != int32(5) {
		t.Errorf("a bean in a map: %+v, %v", m, err)
	}
	text, err := codectest.Into[string](t, codec, encode(t, codec, "fffffffff1"))
	if err != nil || text != "fffffffff1" {
		t.Errorf("a string: %q, %v", text, err)
	}
	value, err := codectest.Into[any](t, codec, bean)
	if o, ok := value.(*java.Object); err != nil || !ok || o.Class != "demo.Item" || o.Serial.UID != 2 {
		t.Errorf("any value: %+v, %v", value, err)
	}
}

func itemPayload(t *testing.T, codec codecs.Codec) []byte {
	t.Helper()
	payload := codectest.Must(codectest.Typed[Item](t, codec).Encode(Item{SKU: "one", Count: 5, Price: java.BigDecimal{Unscaled: big.NewInt(1990), Scale: 2}}))(t)
	return payload
}

// fewer has one field of the item, more has another one too.
type (
	fewer struct {
		SKU string `java:"sku"`
	}
	more struct {
		SKU   string           `java:"sku"`
		Count int32            `java:"count"`
		Price *java.BigDecimal `java:"price"`
		Extra string           `java:"extra"`
	}
)

// otherItem has one field of the item, and another one.
type otherItem struct {
	SKU   string `java:"sku"`
	Extra string `java:"extra"`
}

func (otherItem) JavaClass() string { return "demo.Item serial 2" }

func (fewer) JavaClass() string { return "demo.Item serial 2" }
func (more) JavaClass() string  { return "demo.Item serial 2" }

// fieldsDiffer decodes into structs that have other fields than the class.
func (s *stream) fieldsDiffer(t *testing.T) {
	loose := s.New(options{})
	payload := itemPayload(t, loose)
	if got, err := codectest.Into[fewer](t, loose, payload); err != nil || got.SKU != "one" {
		t.Errorf("fewer fields: %+v, %v", got, err)
	}
	if got, err := codectest.Into[more](t, loose, payload); err != nil || got.SKU != "one" || got.Count != 5 || got.Extra != "" {
		t.Errorf("more fields: %+v, %v", got, err)
	}
	unknown, missing, both := s.New(options{RefuseUnknown: true}), s.New(options{RefuseMissing: true}), s.New(options{RefuseUnknown: true, RefuseMissing: true})
	_, unknownErr := codectest.Into[fewer](t, unknown, payload)
	_, missingErr := codectest.Into[more](t, missing, payload)
	_, bothErr := codectest.Into[otherItem](t, both, payload)
	const noFields = "the Go type has no field count of demo.Item; the Go type has no field price of demo.Item"
	for want, err := range map[string]error{
		"count fields differ: " + noFields:                                                   unknownErr,
		"extra fields differ: the payload has no field extra of demo.Item":                   missingErr,
		"count fields differ: " + noFields + "; the payload has no field extra of demo.Item": bothErr,
	} {
		var e *codecs.DecodeError
		if !errors.As(err, &e) || e.Class != "demo.Item" || e.Path+" "+e.Reason != want {
			t.Errorf("%v; want an error about demo.Item: %s", err, want)
		}
	}
	if _, err := codectest.Into[fewer](t, missing, payload); err != nil {
		t.Errorf("unknown fields where only missing ones are refused: %v", err)
	}
	if _, err := codectest.Into[Item](t, both, payload); err != nil {
		t.Errorf("the same fields: %v", err)
	}
	inherited := codectest.Must(codectest.Typed[lower](t, loose).Encode(lower{upper{"above", 3}, "below"}))(t)
	if got, err := codectest.Into[onlyLower](t, missing, inherited); err != nil || got.Rank != 3 {
		t.Errorf("a superclass's field that the Go type has as its own: %+v, %v", got, err)
	}
	if _, err := codectest.Into[[]lower](t, both, inherited); err == nil {
		t.Error("an object is a list")
	}
	list, err := codectest.Typed[[]more](t, loose).Encode([]more{{}, {}})
	if err != nil {
		t.Fatal(err)
	}
	var e *codecs.DecodeError
	if _, err = codectest.Into[[]fewer](t, unknown, list); !errors.As(err, &e) || !strings.Contains(err.Error(), "[0].") {
		t.Errorf("%v; want an error at [0]", err)
	}
}

// wrongTypes holds errors of decoding to their places.
func (s *stream) wrongTypes(t *testing.T) {
	codec := s.New(options{})
	payload := itemPayload(t, codec)
	_, err := codectest.Into[struct {
		SKU int64 `java:"sku"`
	}](t, codec, payload)
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Path != "sku" || e.Class != "java.lang.String" {
		t.Errorf("a text in an int64: %v", err)
	}
	if _, err = codectest.Into[[]Item](t, codec, payload); !errors.As(err, &e) {
		t.Errorf("an item in a list: %v", err)
	}
	const cut = 20 // in the middle of a serialVersionUID
	if _, err = codectest.Into[Item](t, codec, payload[:cut]); !errors.As(err, &e) || e.Offset != cut {
		t.Errorf("an item cut short: %v", err)
	}
}

func (s *stream) optionMistakes(t *testing.T) {
	codec := s.New(options{Mistakes: true})
	_, decodeErr := codec.Decode(encode(t, s.New(options{}), nil))
	_, encodeErr := codec.Encode(nil)
	_, bindErr := codec.Bind(reflect.TypeFor[string](), codecs.BindOptions{})
	for _, err := range []error{decodeErr, encodeErr, bindErr} {
		for _, part := range append([]string{"option 1 is nil", "Depth"}, s.Java.Mistakes...) {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%v does not say %q", err, part)
			}
		}
	}
	var d *codecs.DecodeError
	var e *codecs.EncodeError
	var b *codecs.BindError
	if !errors.As(decodeErr, &d) || !errors.As(encodeErr, &e) || !errors.As(bindErr, &b) {
		t.Errorf("errors %T, %T, %T", decodeErr, encodeErr, bindErr)
	}
}

func (s *stream) limits(t *testing.T) {
	nested := &java.List{Elements: []any{&java.List{Elements: []any{&java.List{}}}}}
	for _, c := range []struct {
		name   string
		limits codecs.Limits
		value  any
		reason string
	}{
		{"bytes", codecs.Limits{Bytes: 20}, "a text that is longer", "Limits.Bytes"},
		{"elements", codecs.Limits{Elements: 5}, &java.List{Elements: []any{"a", "b", "c", "d", "e", "f"}}, "Limits.Elements"},
		{"fields", codecs.Limits{Elements: 1}, java.UUID{}, "Limits.Elements"},
		{"depth", codecs.Limits{Depth: 2}, nested, "nested more than 2"},
		{"text", codecs.Limits{StringBytes: 3}, "long", "Limits.StringBytes"},
		{"array", codecs.Limits{Elements: 2}, &java.List{Class: "[Ljava.lang.Object;", Elements: []any{nil, nil, nil}}, "Limits.Elements"},
	} {
		payload := encode(t, s.New(options{}), c.value)
		if _, err := s.New(options{}).Decode(payload); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var e *codecs.DecodeError
		if _, err := s.New(options{Limits: c.limits}).Decode(payload); !errors.As(err, &e) || !strings.Contains(e.Reason, c.reason) {
			t.Errorf("%s: %v, want %q", c.name, err, c.reason)
		}
	}
	// What is remembered of a class counts as it did the first time.
	payload, taken := itemPayload(t, s.New(options{})), 0
	for n := range 60 {
		codec := s.New(options{Limits: codecs.Limits{Elements: n + 1}})
		_, first := codec.Decode(payload)
		if _, second := codec.Decode(payload); (first == nil) != (second == nil) {
			t.Errorf("%d elements: %v, then %v", n+1, first, second)
		} else if first == nil {
			taken++
		}
	}
	if taken == 0 || taken == 60 {
		t.Errorf("%d of 60 limits are enough for a bean", taken)
	}
	if _, err := s.New(options{Limits: codecs.Limits{Depth: 2}}).Encode(nested); err == nil {
		t.Error("encoded deeper than the limit")
	}
}

// declaredClasses writes objects and enums of classes that only an option describes.
func (s *stream) declaredClasses(t *testing.T) {
	bean := codectest.Must(java.ParseClass("demo.Base serial 1"))(t)
	bean.Fields = []java.ClassField{{Name: "name", Type: java.TypeExpr{Class: "java.lang.String"}}, {Name: "id", Type: java.TypeExpr{Class: "long"}}}
	enum := codectest.Must(java.ParseClass("enum demo.Color {RED, GREEN, BLUE}"))(t)
	set, err := java.NewClasses(bean, enum)
	if err != nil {
		t.Fatal(err)
	}
	object := &java.Object{Class: "demo.Base", Fields: []java.Field{{Name: "name", Value: "n"}, {Name: "id", Value: int64(5)}}}
	value := &java.List{Elements: []any{object, java.Enum{Class: "demo.Color", Ordinal: 2}}}
	var e *codecs.EncodeError
	if _, err = s.New(options{}).Encode(value); !errors.As(err, &e) || !strings.Contains(err.Error(), "demo.Base") {
		t.Errorf("a class that is not declared: %v", err)
	}
	codec := s.New(options{Classes: []*java.Classes{set, nil}})
	back := codectest.Must(codec.Decode(encode(t, codec, value)))(t)
	got := back.(*java.List).Elements
	if id, _ := got[0].(*java.Object).Get("id"); id != int64(5) || got[1] != any(java.Enum{Class: "demo.Color", Name: "BLUE", Ordinal: -1}) {
		t.Errorf("got %+v, %+v", got[0], got[1])
	}
	want, err := codectest.Typed[Base](t, codec).Encode(Base{ID: 5, Name: "n"})
	if out := encode(t, codec, object); err != nil || !bytes.Equal(out, want) {
		t.Errorf("encoded %x, %v\nas a struct %x", out, err, want)
	}
}

// collidingKeys reads 4,096 keys of one hash code, and writes them again.
func (s *stream) collidingKeys(t *testing.T) {
	codec, keys := s.New(options{}), []string{""}
	for range 12 {
		var next []string
		for _, k := range keys {
			next = append(next, k+"Aa", k+"BB")
		}
		keys = next
	}
	m := &java.Map{Class: java.ClassHashMap}
	for i, k := range keys {
		m.Entries = append(m.Entries, java.Entry{Key: k, Value: int32(i)})
	}
	payload := encode(t, codec, m)
	got, err := codectest.Into[map[string]int32](t, codec, payload)
	if err != nil || len(got) != len(keys) || got[keys[77]] != 77 {
		t.Errorf("%d entries, %v", len(got), err)
	}
	v := codectest.Must(codec.Decode(payload))(t)
	if out := encode(t, codec, v); !bytes.Equal(out, payload) {
		t.Errorf("written again: %d bytes of %d", len(out), len(payload))
	}
}

// longLists decodes a list whose variables are made bit by bit.
func (s *stream) longLists(t *testing.T) {
	want := make([]Item, 5000)
	for i := range want {
		want[i] = Item{SKU: "s", Count: int32(i), Price: java.BigDecimal{Unscaled: big.NewInt(int64(i) + 1), Scale: 2}}
	}
	typed := codectest.Typed[[]Item](t, s.New(options{}))
	payload := codectest.Must(typed.Encode(want))(t)
	if got, err := typed.Decode(payload); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d items, %v", len(got), err)
	}
}

// errorPaths holds errors to the place in the value.
func (s *stream) errorPaths(t *testing.T) {
	codec := s.New(options{})
	payload, err := codectest.Typed[[]fewer](t, codec).Encode([]fewer{{SKU: "a"}, {SKU: "b"}, {SKU: "cd"}})
	if err != nil {
		t.Fatal(err)
	}
	payload = payload[:bytes.LastIndexByte(payload, 'd')]
	if _, err = codec.Decode(payload); err == nil || !strings.Contains(err.Error(), "at [2].sku ") {
		t.Errorf("error %v, want one at [2].sku", err)
	}
	_, err = codec.Encode([]any{map[string]any{"a": make(chan int)}})
	if err == nil || !strings.Contains(err.Error(), "[0].a") {
		t.Errorf("error %v, want one at [0].a", err)
	}
	_, err = codec.Encode(&java.List{Elements: []any{&java.Object{Class: "demo.Unknown"}}})
	if err == nil || !strings.Contains(err.Error(), "at [0]") || !strings.Contains(err.Error(), "demo.Unknown") {
		t.Errorf("error %v, want one at [0] about demo.Unknown", err)
	}
}
