package jackson_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// wrapping is the mapper of RuoYi-Vue-Plus and of those that copied it.
var wrapping = jackson.Mapper{Typing: jackson.NonFinal}

type closing struct {
	OrderNo string            `java:"orderNo"`
	UserID  *int64            `java:"userId"`
	Cents   int64             `java:"cents"`
	Amount  java.BigDecimal   `java:"amount"`
	Lines   []closingLine     `java:"lines,java.util.List<demo.Line>"`
	Extra   map[string]any    `java:"extra"`
	Tags    map[string]string `java:"tags"`
}

func (closing) JavaClass() string { return "demo.CloseEvent" }

type closingLine struct {
	SKU string `java:"sku"`
}

func (closingLine) JavaClass() string { return "demo.Line" }

// A mapper with default typing names classes in arrays, also those of objects, or in a
// property of another name. Values without a Go type come back to the byte.
func TestMapperNamesClasses(t *testing.T) {
	t.Parallel()
	user := int64(9007199254740993)
	amount := codectest.Must(java.ParseBigDecimal("100.50"))(t)
	order := closing{
		OrderNo: "NO-1", UserID: &user, Cents: 5, Amount: amount, Lines: []closingLine{{"a"}},
		Extra: map[string]any{"n": int64(7)}, Tags: map[string]string{"k": "v"},
	}
	for name, of := range map[string]struct {
		mapper jackson.Mapper
		value  any
		want   string
	}{
		"bean": {wrapping, order, `["demo.CloseEvent",{"amount":["java.math.BigDecimal",100.50],"cents":5,"extra":["java.util.HashMap",{"n":["java.lang.Long",7]}],` +
			`"lines":["java.util.ArrayList",[["demo.Line",{"sku":"a"}]]],"orderNo":"NO-1","tags":["java.util.HashMap",{"k":"v"}],"userId":9007199254740993}]`},
		"bean, by a property": {jackson.Mapper{Typing: jackson.NonFinal, As: jackson.Property, Property: "@type"}, order, `{"@type":"demo.CloseEvent","amount":["java.math.BigDecimal",100.50],` +
			`"cents":5,"extra":{"@type":"java.util.HashMap","n":["java.lang.Long",7]},"lines":["java.util.ArrayList",[{"@type":"demo.Line","sku":"a"}]],` +
			`"orderNo":"NO-1","tags":{"@type":"java.util.HashMap","k":"v"},"userId":9007199254740993}`},
		"map":    {wrapping, map[string]any{"a": "b"}, `["java.util.HashMap",{"a":"b"}]`},
		"long":   {wrapping, int64(5), `5`},
		"longs":  {wrapping, []any{int64(5), int32(6)}, `["java.util.ArrayList",[["java.lang.Long",5],6]]`},
		"text":   {wrapping, "订单", `"订单"`},
		"nested": {wrapping, []any{map[string]any{}, []any{}}, `["java.util.ArrayList",[["java.util.HashMap",{}],["java.util.ArrayList",[]]]]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := jackson.TypedJsonJackson(of.mapper)
			b := codectest.Must(c.Bind(reflect.TypeOf(of.value), codecs.BindOptions{}))(t)
			got, err := b.Append(nil, of.value)
			if err != nil || string(got) != of.want {
				t.Fatalf("%s %v\nwant %s", got, err, of.want)
			}
			back := reflect.New(reflect.TypeOf(of.value))
			if err := b.Decode(got, back.Interface()); err != nil {
				t.Error(err)
			}
			again, err := b.Append(nil, back.Elem().Interface())
			if err != nil || string(again) != of.want {
				t.Errorf("again: %s %v", again, err)
			}
			v := codectest.Must(c.Decode(got))(t)
			if plain, err := c.Encode(v); err != nil || string(plain) != of.want {
				t.Errorf("without a Go type: %s %v", plain, err)
			}
		})
	}
}

// With Jdk8Module an Optional is what it holds; without it, it cannot be written.
func TestMapperOptionals(t *testing.T) {
	t.Parallel()
	type maybe struct {
		Some *string `java:"some,java.util.Optional<java.lang.String>"`
	}
	text := "x"
	with := codectest.Typed[maybe](t, jackson.TypedJsonJackson(jackson.Mapper{Optionals: true}))
	got, err := with.Encode(maybe{&text})
	if back, failed := with.Decode(got); err != nil || string(got) != `{"some":"x"}` || failed != nil || *back.Some != "x" {
		t.Errorf("%s %v %v", got, err, failed)
	}
	without := codectest.Typed[maybe](t, jackson.TypedJsonJackson())
	if got, err := without.Encode(maybe{&text}); err == nil || !strings.Contains(err.Error(), "Optionals: true") {
		t.Errorf("%s %v", got, err)
	}
}

// The text of a mapper is read back, and mistakes are told.
func TestMapperText(t *testing.T) {
	t.Parallel()
	for _, m := range []jackson.Mapper{{}, wrapping, {Typing: jackson.NonFinal, As: jackson.Property}, {Typing: jackson.NonFinal, As: jackson.Property, Property: "@type"}} {
		text := m.Text()
		if text == "" {
			text = "typing=NONE"
		}
		if back, err := jackson.ParseMapper(text); err != nil || back != m {
			t.Errorf("%s: %+v %v", text, back, err)
		}
	}
	for text, want := range map[string]string{
		"typing=SOME":            "NONE or NON_FINAL",
		"as=PROPERTY":            "there is no Typing",
		"colour=red":             "no setting",
		"typing=NON_FINAL+as=up": "WRAPPER_ARRAY or PROPERTY",
	} {
		if _, err := jackson.ParseMapper(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if got := jackson.TypedJsonJackson(wrapping).Name(); got != "typedjsonjackson+typing=NON_FINAL" {
		t.Error(got)
	}
	for _, c := range []codecs.Codec{jackson.JsonJackson(wrapping), jackson.JsonJackson3(wrapping), jackson.JSON(wrapping), jackson.TypedJsonJackson(jackson.Mapper{Property: "x"})} {
		if _, err := c.Decode([]byte("5")); err == nil {
			t.Errorf("%s takes it", c.Name())
		}
	}
}
