package jackson_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// shape is what a field of an abstract Java class is in Go.
type shape interface{ Area() float64 }

type circle struct {
	R  float64 `java:"r"`
	ID *int64  `java:"id"`
}

func (circle) Area() float64 { return 3 }

type square struct {
	Side  float64 `java:"side"`
	Inner shape   `java:"inner"`
}

func (*square) Area() float64 { return 1 }

type drawing struct {
	Main   shape            `java:"main"`
	Any    any              `java:"any"`
	Shapes []shape          `java:"shapes,java.util.List<demo.Shape>"`
	Named  map[string]shape `java:"named,java.util.Map<java.lang.String,demo.Shape>"`
}

func (drawing) JavaClass() string { return "demo.Drawing" }

var shapes = codecs.BindOptions{Classes: map[reflect.Type]string{
	reflect.TypeFor[circle]():    "demo.Circle extends demo.Shape",
	reflect.TypeFor[*square]():   "demo.Square extends demo.Shape",
	reflect.TypeFor[plainEnum](): "enum demo.Kinds$Plain {A, B}",
}}

// TestPolymorphicFields: a field of an interface holds the Go struct that is registered
// for the class in the payload, and writes it with its class.
func TestPolymorphicFields(t *testing.T) {
	t.Parallel()
	typed := codectest.Must(codecs.For[drawing](jackson.JsonJackson(), shapes))(t)
	id := int64(7)
	v := drawing{
		Main:   &square{Side: 2, Inner: circle{R: 1, ID: &id}},
		Any:    []any{circle{R: 1.5}, "x", int64(1), map[string]any{"s": &square{Side: 1}}, plainEnum("B")},
		Shapes: []shape{circle{R: 2}, &square{Side: 3}},
		Named:  map[string]shape{"c": circle{R: 4}},
	}
	const want = `{"@class":"demo.Drawing",` +
		`"any":["java.util.ArrayList",[{"@class":"demo.Circle","r":1.5},"x",["java.lang.Long",1],{"@class":"java.util.HashMap","s":{"@class":"demo.Square","side":1.0}},["demo.Kinds$Plain","B"]]],` +
		`"main":{"@class":"demo.Square","inner":{"@class":"demo.Circle","id":["java.lang.Long",7],"r":1.0},"side":2.0},` +
		`"named":{"@class":"java.util.HashMap","c":{"@class":"demo.Circle","r":4.0}},` +
		`"shapes":["java.util.ArrayList",[{"@class":"demo.Circle","r":2.0},{"@class":"demo.Square","side":3.0}]]}`
	payload, err := typed.Encode(v)
	if err != nil || string(payload) != want {
		t.Fatalf("%v\ngot  %s\nwant %s", err, payload, want)
	}
	back, err := typed.Decode(payload)
	if err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, back, v)
	}
}

// TestPolymorphicRoot: the same for a payload that may be of several classes.
func TestPolymorphicRoot(t *testing.T) {
	t.Parallel()
	typed := codectest.Must(codecs.For[shape](jackson.JsonJackson(), shapes))(t)
	for _, v := range []shape{circle{R: 1}, &square{Side: 2}} {
		payload := codectest.Must(typed.Encode(v))(t)
		if back, err := typed.Decode(payload); err != nil || !reflect.DeepEqual(back, v) {
			t.Errorf("%s: %+v, %v", payload, back, err)
		}
	}
	whatever := codectest.Must(codecs.For[any](jackson.JsonJackson(), shapes))(t)
	if v, err := whatever.Decode([]byte(`{"@class":"demo.Circle","r":1}`)); err != nil || !reflect.DeepEqual(v, circle{R: 1}) {
		t.Errorf("any: %#v, %v", v, err)
	}
}

// TestPolymorphicMistakes: what nothing describes is refused, when the type is bound
// or else with the field's name.
func TestPolymorphicMistakes(t *testing.T) {
	t.Parallel()
	if _, err := codecs.For[drawing](jackson.JsonJackson(), codecs.BindOptions{}); err == nil || !strings.Contains(err.Error(), "BindOptions.Classes") {
		t.Errorf("nothing registered: %v", err)
	}
	typed := codectest.Must(codecs.For[drawing](jackson.JsonJackson(), shapes))(t)
	if _, err := typed.Encode(drawing{Any: goldenItem{}}); err == nil || !strings.Contains(err.Error(), "demo.Types$Item") || !strings.Contains(err.Error(), "at any") {
		t.Errorf("a bean that is not described: %v", err)
	}
	if _, err := typed.Decode([]byte(`{"@class":"demo.Drawing","main":{"@class":"demo.Line","r":1}}`)); err == nil || !strings.Contains(err.Error(), "demo.Line") {
		t.Errorf("a class that is not registered: %v", err)
	}
}

// TestEncodeBean: without a Go type, beans are described by their own.
func TestEncodeBean(t *testing.T) {
	t.Parallel()
	got, err := jackson.JsonJackson().Encode(map[string]any{"o": derived{base: base{1}}, "i": &goldenItem{"A", 1}})
	const want = `{"@class":"java.util.HashMap","i":{"@class":"demo.Types$Item","n":1,"sku":"A"},` +
		`"o":{"@class":"demo.Derived","alpha":"","id":["java.lang.Long",1],"point":{"x":0,"y":0}}}`
	if err != nil || string(got) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
}

// TestKeys: keys are texts on the wire; a Go map gets back what it had.
func TestKeys(t *testing.T) {
	t.Parallel()
	carry(t, map[int64]string{5: "x"}, `{"@class":"java.util.HashMap","5":"x"}`)
	carry(t, map[uint8]bool{5: true}, `{"@class":"java.util.HashMap","5":true}`)
	carry(t, map[bool]string{true: "x"}, `{"@class":"java.util.HashMap","true":"x"}`)
	carry(t, map[float64]string{1.5: "x"}, `{"@class":"java.util.HashMap","1.5":"x"}`)
	carry(t, map[java.Char]string{'c': "x"}, `{"@class":"java.util.HashMap","c":"x"}`)
	carry(t, map[java.UUID]string{{15: 1}: "x"}, `{"@class":"java.util.HashMap","00000000-0000-0000-0000-000000000001":"x"}`)
	carry(t, map[time.Time]string{time.UnixMilli(5).UTC(): "x"}, `{"@class":"java.util.HashMap","1970-01-01T00:00:00.005+00:00":"x"}`)
	typed := codectest.Typed[map[int8]string](t, jackson.JsonJackson())
	for _, key := range []string{"x", "300", ""} {
		if _, err := typed.Decode([]byte(`{"@class":"java.util.HashMap","` + key + `":"x"}`)); err == nil {
			t.Errorf("key %q as int8", key)
		}
	}
	old := codectest.Typed[map[time.Time]string](t, jackson.JsonJackson(jackson.Since("3.12.5")))
	payload, err := old.Encode(map[time.Time]string{time.UnixMilli(5): "x"})
	if err != nil || string(payload) != `{"@class":"java.util.HashMap","1970-01-01T00:00:00.005+0000":"x"}` {
		t.Errorf("%s, %v", payload, err)
	}
}

// javaOrder has the fields of the bean of that name that Java was asked about.
type javaOrder struct {
	Amount     java.BigDecimal `java:"amount"`
	AnyLong    any             `java:"anyLong"`
	Attrs      *java.Map       `java:"attrs"`
	Bla        []int64         `java:"bla,java.lang.Long[]"`
	Blob       []byte          `java:"blob"`
	BoxedID    *int64          `java:"boxedId"`
	BoxedPrice *float64        `java:"boxedPrice"`
	BoxedQty   *int32          `java:"boxedQty"`
	Created    time.Time       `java:"created"`
	Fin        finalPojo       `java:"fin"`
	ID         int64           `java:"id"`
	Item       *goldenItem     `java:"item"`
	La         []int64         `java:"la,long[]"`
	Longs      []int64         `java:"longs"`
	Name       string          `java:"name"`
	Num        any             `java:"num,java.lang.Number"`
	Ok         bool            `java:"ok"`
	Sa         []string        `java:"sa,java.lang.String[]"`
	Status     goldenStatus    `java:"status"`
	Tags       []string        `java:"tags"`
	UUID       java.UUID       `java:"uuid"`
}

type finalPojo struct {
	V string `java:"v"`
}

func (finalPojo) JavaClass() string { return "final demo.Types$FinalPojo" }

func (javaOrder) JavaClass() string { return "demo.Types$Order" }

// TestReadsFieldsAsJava: what Java takes for a field of a bean, the Go struct takes too.
// Two things it does not: 5.7 is no long, and what Java only ignores.
func TestReadsFieldsAsJava(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"3.16.0", "4.7.0"} {
		typed, file, n := codectest.Typed[javaOrder](t, jackson.JsonJackson(jackson.Since(release))), "json-java-accepts-"+release+".txt", 0
		for _, row := range rows(t, file, 80) {
			if !strings.Contains(row[0], "demo.Types$Order") || !strings.HasPrefix(row[1], "OK") {
				continue
			}
			n++
			if _, err := typed.Decode([]byte(row[0])); err != nil != strings.Contains(row[0], "5.7") {
				t.Errorf("%s: %v\n%s\nJava: %s", file, err, row[0], row[1])
			}
		}
		if n < 30 {
			t.Errorf("%s: only %d rows", file, n)
		}
	}
}
