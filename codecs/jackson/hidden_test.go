package jackson_test

import (
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/ion"
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
	set, err := gotypes.ClassesOf(reflect.TypeFor[hider](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
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
		typed, err := codecs.For[chars](c, classes)
		if err != nil {
			t.Fatal(err)
		}
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

type held struct {
	ID   java.UUID `java:"id,java.util.Optional<java.util.UUID>"`
	Last java.UUID `java:"last,java.util.concurrent.atomic.AtomicReference<java.util.UUID>"`
}

// TestRoundTrips: values that come back as they went.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	day := java.LocalDate{Year: 2024, Month: 1, Day: 2}
	for _, v := range []any{
		day, java.UUIDOf(1, 2),
		[16]byte{1, 2},
		java.Instant{Seconds: 5, Nanos: 1000},
		java.LocalDateTime{Date: day, Time: java.LocalTime{Hour: 3}},
		java.Duration{Seconds: 7, Nanos: 5},
		held{java.UUIDOf(1, 2), java.UUIDOf(3, 4)},
	} {
		for _, c := range []codecs.Codec{
			jackson.JsonJackson(jackson.JavaTime()), jackson.JsonJackson(jackson.DatesAsText()), jackson.JsonJackson3(),
			jackson.TypedJsonJackson3(), cbor.Jackson3(), ion.Jackson3(), cbor.Jackson(jackson.JavaTime()),
		} {
			if _, optional := v.(held); optional && (c.Name() == "jsonjackson" || c.Name() == "cborjackson") {
				continue // Redisson's mapper has no Jdk8Module
			}
			b, err := c.Bind(reflect.TypeOf(v), codecs.BindOptions{})
			if err != nil {
				t.Fatal(err)
			}
			out, err := b.Append(nil, v)
			back := reflect.New(reflect.TypeOf(v))
			if err == nil {
				err = b.Decode(out, back.Interface())
			}
			if err != nil || !reflect.DeepEqual(back.Elem().Interface(), v) {
				t.Errorf("%s: %+v is %s and comes back as %+v, %v", c.Name(), v, out, back.Elem(), err)
			}
		}
	}
}
