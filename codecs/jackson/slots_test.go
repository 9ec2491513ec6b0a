package jackson_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

// palette is the class Palette of the default package, as the enum Color and the list
// Names are, whose names look like any text.
type palette struct {
	Any   any      `java:"any"`
	Names []string `java:"names,java.util.List<java.lang.String>"`
	Raw   []string `java:"raw,java.lang.String[]"`
}

func (palette) JavaClass() string { return "Palette" }

// TestSlots: where only a wrapper can stand an array of two is one, whatever the name
// of its class looks like; where an array is declared none is.
func TestSlots(t *testing.T) {
	for _, payload := range []string{
		`{"@class":"Palette","any":["Color","RED"],"names":["Names",["a"]],"raw":["java.lang.Long","x"]}`,
		`{"@class":"Palette","any":["java.util.ArrayList",[["Color","RED"],["Names",["a","b"]]]],"names":["java.util.ArrayList",["Color","RED"]],"raw":["Color","RED"]}`,
		`{"@class":"Palette","any":{"@class":"java.util.HashMap","k":["Color","RED"]}}`,
	} {
		codec := jackson.JsonJackson()
		palettes := codectest.Typed[palette](t, codec)
		p, err := palettes.Decode([]byte(payload))
		if err != nil {
			t.Errorf("%s: %v", payload, err)
			continue
		}
		for _, name := range append(p.Names, p.Raw...) {
			if name == "Names" {
				t.Errorf("%s: names %q", payload, p.Names)
			}
		}
		held := p.Any
		if m, ok := held.(map[string]any); ok {
			held = m["k"]
		}
		if list, ok := held.([]any); ok && len(list) == 2 {
			held = list[0]
		}
		if e, ok := held.(java.Enum); !ok || e.Class != "Color" || e.Name != "RED" {
			t.Errorf("%s: %#v", payload, p.Any)
		}
	}
}

// TestRootWrapper: at the root Java wraps its lists, and leaves bare the arrays of
// final classes, which it cannot read back.
func TestRootWrapper(t *testing.T) {
	codec := jackson.JsonJackson()
	for payload, class := range map[string]string{
		`["Names",["a"]]`:                              "Names",
		`["Names",[]]`:                                 "Names",
		`["java.util.ArrayList",["a"]]`:                "java.util.ArrayList",
		`["java.util.ArrayList",["java.lang.Long",5]]`: "java.util.ArrayList",
		`["a","b"]`:                                    databind.ClassNone,
		`["a",null]`:                                   databind.ClassNone,
		`["a",["java.util.ArrayList",["b"]]]`:          databind.ClassNone,
	} {
		value, err := codec.Decode([]byte(payload))
		list, ok := value.(*java.List)
		if err != nil || !ok || list.Class != class {
			t.Errorf("%s: %v, %v", payload, view.Typed(value), err)
			continue
		}
		if again, err := codec.Encode(value); err != nil || string(again) != payload {
			t.Errorf("%s became %s, %v", payload, again, err)
		}
	}
	names := codectest.Typed[[]string](t, codec)
	for payload, want := range map[string]int{`["Names",["a","b","c"]]`: 3, `["a","b"]`: 2} {
		if got, err := names.Decode([]byte(payload)); err != nil || len(got) != want {
			t.Errorf("%s: %q, %v", payload, got, err)
		}
	}
}

// TestDescribedWrapper: a class that is described is one wherever its name stands first
// of two.
func TestDescribedWrapper(t *testing.T) {
	set := codectest.Must(java.NewClasses(&java.Class{Name: "Color", Kind: java.KindEnum, Constants: []java.Constant{{Name: "RED"}}}))(t)
	for _, c := range []struct {
		codec codecs.Codec
		want  bool
	}{{jackson.JsonJackson(jackson.Classes(set)), true}, {jackson.JsonJackson(), false}} {
		payload := `{"@class":"demo.Any","v":["Color","RED"]}`
		value, err := c.codec.Decode([]byte(payload))
		o, _ := value.(*java.Object)
		if err != nil || o == nil {
			t.Fatalf("%v, %v", value, err)
		}
		v, _ := o.Get("v")
		if _, enum := v.(java.Enum); enum != c.want {
			t.Errorf("%#v, an enum: %v", v, c.want)
		}
		if again, err := c.codec.Encode(value); err != nil || string(again) != payload {
			t.Errorf("%s became %s, %v", payload, again, err)
		}
	}
}

// TestSizedArrays: in CBOR a wrapper ends with a break and an array of strings has its
// length, so that the two differ where nothing is declared.
func TestSizedArrays(t *testing.T) {
	codec := cbor.Jackson()
	object := func(v any) *java.Object {
		return &java.Object{Class: "demo.Any", Fields: []java.Field{{Name: "v", Value: v}}}
	}
	for name, v := range map[string]any{
		"array": &java.List{Class: databind.ClassNone, Elements: []any{"java.lang.Long", "x"}},
		"long":  int64(5),
	} {
		t.Run(name, func(t *testing.T) {
			payload := codectest.Must(codec.Encode(object(v)))(t)
			value, err := codec.Decode(payload)
			if err != nil || !bytes.Equal(view.Typed(value), view.Typed(object(v))) {
				t.Errorf("%s: %x is %s, %v, want %s", name, payload, view.Typed(value), err, view.Typed(object(v)))
			}
		})
	}
	// Others may write a wrapper with its length: Java reads it.
	payload := []byte("\xbf\x66@class\x68demo.Any\x61v\x82\x6ejava.lang.Long\x05\xff")
	if value, err := codec.Decode(payload); err != nil || !bytes.Equal(view.Typed(value), view.Typed(object(int64(5)))) {
		t.Errorf("%x is %s, %v", payload, view.Typed(value), err)
	}
	palettes := codectest.Typed[palette](t, codec)
	payload = codectest.Must(palettes.Encode(palette{Raw: []string{"java.lang.Long", "x"}, Names: []string{"java.lang.Long", "y"}, Any: int64(7)}))(t)
	p, err := palettes.Decode(payload)
	if err != nil || len(p.Raw) != 2 || len(p.Names) != 2 || p.Any != int64(7) {
		t.Errorf("%x: %+v, %v", payload, p, err)
	}
}

// replied is a generic class; seen has a date.
type (
	replied[T any] struct {
		Data T `java:"data,T"`
	}
	seen struct {
		At  time.Time       `java:"at,java.time.Instant"`
		Day *java.LocalDate `java:"day"`
	}
)

func (replied[T]) JavaClass() string { return "demo.Reply<T>" }
func (seen) JavaClass() string       { return "demo.Seen" }

// TestDatesInTypeArguments: all forms of java.time are read below a type argument too, whatever the
// mapper writes.
func TestDatesInTypeArguments(t *testing.T) {
	t.Parallel()
	for _, mapper := range []jackson.Mapper{{}, {Dates: jackson.Timestamps}, {Dates: jackson.DateTexts}} {
		typed := codectest.Typed[replied[*seen]](t, jackson.JsonJackson(mapper))
		for _, at := range []string{`1700000000`, `1700000000.0`, `1700000000.000000000`, `"2023-11-14T22:13:20Z"`} {
			for _, day := range []string{`[2024,2,29]`, `"2024-02-29"`} {
				got, err := typed.Decode([]byte(`{"@class":"demo.Reply","data":{"@class":"demo.Seen","at":` + at + `,"day":` + day + `}}`))
				if err != nil || got.Data.At.Unix() != 1700000000 || *got.Data.Day != (java.LocalDate{Year: 2024, Month: 2, Day: 29}) {
					t.Errorf("%s: %s %s: %+v, %v", mapper, at, day, got.Data, err)
				}
			}
		}
	}
}
