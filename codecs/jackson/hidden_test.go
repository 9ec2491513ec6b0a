package jackson_test

import (
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

type hiddenBase struct {
	Name string `java:"name"`
}

func (hiddenBase) JavaClass() string { return "demo.Base" }

type hider struct {
	hiddenBase
	Own int32 `java:"name"`
}

func (hider) JavaClass() string { return "demo.Hider extends demo.Base" }

// TestHiddenField: of two fields of one name that of the subclass is written, as
// Jackson does.
func TestHiddenField(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]codecs.Codec{
		`{"@class":"demo.Hider","name":7}`: jackson.JsonJackson(),
		`{"name":7}`:                       jackson.TypedJsonJackson(),
	} {
		typed := codectest.Typed[hider](t, c)
		out, err := typed.Encode(hider{hiddenBase{"base"}, 7})
		if err != nil || string(out) != want {
			t.Errorf("%s: %s, %v, want %s", c.Name(), out, err, want)
		}
		if back, err := typed.Decode(out); err != nil || back.Own != 7 {
			t.Errorf("%s: %+v, %v", c.Name(), back, err)
		}
	}
}

// TestHiddenFieldOfValue: the same without a Go type, where the class is described.
func TestHiddenFieldOfValue(t *testing.T) {
	t.Parallel()
	set := codectest.Must(gotypes.ClassesOf(reflect.TypeFor[hider](), codecs.BindOptions{}))(t)
	sameBytes(t, jackson.JsonJackson(jackson.Classes(set)), "described", []byte(`{"@class":"demo.Hider","name":7}`))
}

// TestNullPrimitive: where Java has a primitive there is no null, which Jackson 3
// refuses to read.
func TestNullPrimitive(t *testing.T) {
	t.Parallel()
	type counts struct {
		A *int64 `java:"a,long"`
		B *int64 `java:"b"`
	}
	for want, c := range map[string]codecs.Codec{
		`{"b":null}`: jackson.TypedJsonJackson3(), `{}`: jackson.TypedJsonJackson(),
	} {
		typed := codectest.Typed[counts](t, c)
		if out, err := typed.Encode(counts{}); err != nil || string(out) != want {
			t.Errorf("%s: %s, %v, want %s", c.Name(), out, err, want)
		}
	}
}

// TestHeldValues: what an AtomicReference holds is written as a field of its type
// would be, which is what Java insists on.
func TestHeldValues(t *testing.T) {
	t.Parallel()
	type chars struct {
		All  []java.Char `java:"all,java.lang.Character[]"`
		Long *int64      `java:"long,java.util.concurrent.atomic.AtomicReference<java.lang.Long>"`
	}
	n := int64(5)
	classes := codecs.BindOptions{Classes: map[reflect.Type]string{reflect.TypeFor[chars](): "demo.Chars"}}
	for want, c := range map[string]codecs.Codec{
		`{"@class":"demo.Chars","all":["a"],"long":["java.lang.Long",5]}`: jackson.JsonJackson(),
		`{"@class":"demo.Chars","all":["a"],"long":5}`:                    jackson.JsonJackson3(),
		`{"all":["a"],"long":5}`:                                          jackson.TypedJsonJackson3(),
	} {
		typed := codectest.Must(codecs.For[chars](c, classes))(t)
		v := chars{[]java.Char{'a'}, &n}
		out, err := typed.Encode(v)
		if err != nil || string(out) != want {
			t.Errorf("%s: %s, %v, want %s", c.Name(), out, err, want)
		}
		if back, err := typed.Decode(out); err != nil || !reflect.DeepEqual(back, v) {
			t.Errorf("%s: %+v, %v", c.Name(), back, err)
		}
	}
}
