package jackson_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
)

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
	typed := codectest.Typed[goldenOrder](t, jackson.JsonJackson())
	if v, err := typed.Decode([]byte(`{"@class":"demo.Types$Order","anyInt":12345678901}`)); err != nil || v.AnyInt != int64(12345678901) {
		t.Errorf("a Long without its class: %v, %v", v.AnyInt, err)
	}
	for payload, want := range map[string]string{
		`{"@class":"demo.Types$Order","uuid":"no"}`:     "at uuid (class java.util.UUID)",
		`{"@class":"demo.Types$Order","id":"x"}`:        "at id (class java.lang.Long)",
		`{"@class":"demo.Types$Order","status":"GONE"}`: "at status",
		`{"@class":"demo.Types$Order","leaf":[1]}`:      "at leaf",
	} {
		if _, err := typed.Decode([]byte(payload)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", payload, err, want)
		}
	}
}
