package jackson_test

import (
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// javaOrder is the Go twin of the class behind the captured "POJO Order": its fields
// are declared in every way that changes what Jackson writes.
type javaOrder struct {
	Amount     java.BigDecimal `java:"amount"`
	AnyBd      any             `java:"anyBd"`
	AnyBytes   any             `java:"anyBytes"`
	AnyDate    any             `java:"anyDate"`
	AnyEnum    any             `java:"anyEnum"`
	AnyInt     any             `java:"anyInt"`
	AnyLong    any             `java:"anyLong"`
	AnyStr     any             `java:"anyStr"`
	Attrs      *java.Map       `java:"attrs"`
	Big        *big.Int        `java:"big"`
	Bla        []int64         `java:"bla,java.lang.Long[]"`
	Blob       []byte          `java:"blob"`
	BoxedID    *int64          `java:"boxedId"`
	BoxedPrice *float64        `java:"boxedPrice"`
	BoxedQty   *int32          `java:"boxedQty"`
	Ch         java.Char       `java:"ch"`
	Created    time.Time       `java:"created"`
	F          float32         `java:"f"`
	Fin        finalPojo       `java:"fin"`
	ID         int64           `java:"id"`
	Item       *goldenItem     `java:"item"`
	Items      []goldenItem    `java:"items"`
	La         []int64         `java:"la,long[]"`
	Longs      []int64         `java:"longs"`
	Name       string          `java:"name"`
	Num        any             `java:"num,java.lang.Number"`
	Oa         []any           `java:"oa,java.lang.Object[]"`
	Ok         bool            `java:"ok"`
	Price      float64         `java:"price"`
	Qty        int32           `java:"qty"`
	S          int16           `java:"s"`
	Sa         []string        `java:"sa,java.lang.String[]"`
	Status     goldenStatus    `java:"status"`
	Tags       []string        `java:"tags"`
	UUID       java.UUID       `java:"uuid"`
	Nothing    *string         `java:"nothing"`
}

func (javaOrder) JavaClass() string { return "demo.Types$Order" }

type finalPojo struct {
	V string `java:"v"`
}

func (finalPojo) JavaClass() string { return "final demo.Types$FinalPojo" }

// TestBean: a struct takes the bean that Java wrote and gives the same bytes, by
// its declared types alone.
func TestBean(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"3.8.1", "3.16.0", "4.7.0"} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			text := captured(t, "json-root-"+release+".txt", "POJO Order")
			typed := codectest.Typed[javaOrder](t, jackson.JsonJackson(jackson.Since(release)))
			got, err := typed.Decode([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if got.ID != 1 || *got.BoxedID != 2 || got.Status != "NEW" || got.Fin.V != "fv" || got.Ch != 'x' || got.F != 0.5 ||
				got.UUID.String() != "00000000-0000-0001-0000-000000000002" || string(got.Blob) != "\x01\x02\x03" ||
				!reflect.DeepEqual(got.Items, []goldenItem{{"A", 1}}) || !got.Created.Equal(time.UnixMilli(1700000000123)) {
				t.Errorf("decoded %+v", got)
			}
			payload, err := typed.Encode(got)
			if err != nil {
				t.Fatal(err)
			}
			if string(payload) != text {
				t.Errorf("encoded\n%s\nJava writes\n%s", payload, text)
			}
		})
	}
}

type base struct {
	ID int64 `java:"id,java.lang.Long"`
}

func (base) JavaClass() string { return "demo.Base" }

type derived struct {
	base
	Alpha string    `java:"alpha"`
	Next  *derived  `java:"next"`
	Point point     `java:"point"`
	Kinds []float32 `java:"kinds"`
}

func (derived) JavaClass() string { return "demo.Derived extends demo.Base" }

type point struct {
	Y int32 `java:"y"`
	X int32 `java:"x"`
}

func (point) JavaClass() string { return "record demo.Point" }

// TestBeanForms: superclass fields are sorted in, as the components of records are;
// final classes, such as records, do not name themselves where they are declared; null
// fields vanish.
func TestBeanForms(t *testing.T) {
	t.Parallel()
	typed := codectest.Typed[derived](t, jackson.JsonJackson())
	v := derived{base: base{7}, Alpha: "a", Next: &derived{}, Point: point{Y: 2, X: 1}, Kinds: []float32{0.1}}
	const want = `{"@class":"demo.Derived","alpha":"a","id":["java.lang.Long",7],"kinds":["java.util.ArrayList",[0.1]],` +
		`"next":{"@class":"demo.Derived","alpha":"","id":["java.lang.Long",0],"point":{"x":0,"y":0}},"point":{"x":1,"y":2}}`
	payload, err := typed.Encode(v)
	if err != nil || string(payload) != want {
		t.Fatalf("encoded %s, %v; want %s", payload, err, want)
	}
	back, err := typed.Decode(payload)
	if err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("decoded %+v, %v; want %+v", back, err, v)
	}
}

// TestBeanMistakes: a value that its declaration cannot hold names the field.
func TestBeanMistakes(t *testing.T) {
	t.Parallel()
	typed := codectest.Typed[javaOrder](t, jackson.JsonJackson())
	if v, err := typed.Decode([]byte(`{"@class":"demo.Types$Order","anyInt":12345678901}`)); err != nil || v.AnyInt != int64(12345678901) {
		t.Errorf("a Long without its class: %v, %v", v.AnyInt, err)
	}
	for payload, want := range map[string]string{
		`{"@class":"demo.Types$Order","uuid":"no"}`:     "at uuid (class java.util.UUID)",
		`{"@class":"demo.Types$Order","id":"x"}`:        "at id (class java.lang.Long)",
		`{"@class":"demo.Types$Order","status":"GONE"}`: "at status",
		`{"@class":"demo.Types$Order","fin":[1]}`:       "at fin",
	} {
		if _, err := typed.Decode([]byte(payload)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", payload, err, want)
		}
	}
}
