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

// The Go twins of demo.Holders in integration/java/src/vectors/jackson.

type heldMaybe struct {
	Any      any         `java:"any"`
	Bean     *goldenItem `java:"bean,java.util.Optional<demo.Types$Item>"`
	Fraction *float64    `java:"fraction,java.util.OptionalDouble"`
	Integer  *int32      `java:"integer,java.util.OptionalInt"`
	Leaf     *goldenLeaf `java:"leaf,java.util.Optional<demo.Types$Leaf>"`
	List     *[]int64    `java:"list,java.util.Optional<java.util.List<java.lang.Long>>"`
	Number   *int64      `java:"number,java.util.Optional<java.lang.Long>"`
	Object   any         `java:"object,java.util.Optional<java.lang.Object>"`
	Ref      *int64      `java:"ref,java.util.concurrent.atomic.AtomicReference<java.lang.Long>"`
	Text     *string     `java:"text,java.util.Optional<java.lang.String>"`
	UUID     *java.UUID  `java:"uuid,java.util.Optional<java.util.UUID>"`
	Whole    *int64      `java:"whole,java.util.OptionalLong"`
}

func (heldMaybe) JavaClass() string { return "demo.Holders$Maybe" }

type heldFaults struct {
	All   []any          `java:"all,java.util.List<java.lang.Throwable>"`
	Any   any            `java:"any"`
	Cause any            `java:"cause,java.lang.Throwable"`
	Code  *string        `java:"code"`
	Own   *heldOwnFields `java:"own"`
}

func (heldFaults) JavaClass() string { return "demo.Holders$Faults" }

// heldOwnFields has what the class itself declares: what a description from a .class file
// has, without that of the JDK's superclass.
type heldOwnFields struct {
	Code int32 `java:"code"`
}

func (heldOwnFields) JavaClass() string { return "demo.Types$Failure" }

type heldRefused struct {
	Advice *string `java:"advice,java.util.Optional<java.lang.String>"`
	Wait   *int64  `java:"wait"`
	Zone   any     `java:"zone"`
}

func (heldRefused) JavaClass() string { return "demo.Holders$Refused" }

type heldLeaves struct {
	Array []*goldenLeaf   `java:"array,demo.Types$Leaf[]"`
	Any   any             `java:"any"`
	Grid  [][]*goldenLeaf `java:"grid,demo.Types$Leaf[][]"`
}

func (heldLeaves) JavaClass() string { return "demo.Holders$Leaves" }

type heldRefs struct {
	Empty *string `java:"empty,java.util.concurrent.atomic.AtomicReference<java.lang.String>"`
	Full  *int64  `java:"full,java.util.concurrent.atomic.AtomicReference<java.lang.Long>"`
}

func (heldRefs) JavaClass() string { return "demo.Holders$Refs" }

type heldGetters struct {
	ID int32 `java:"id"`
}

func (heldGetters) JavaClass() string { return "demo.Types$Getters" }

// heldClasses describes all of them.
func heldClasses(t *testing.T) *java.Classes {
	t.Helper()
	set := codectest.Must(java.NewClasses())(t)
	for _, typ := range []reflect.Type{
		reflect.TypeFor[heldMaybe](), reflect.TypeFor[heldFaults](), reflect.TypeFor[heldRefused](), reflect.TypeFor[heldLeaves](),
		reflect.TypeFor[heldRefs](), reflect.TypeFor[heldGetters](),
	} {
		more, err := gotypes.ClassesOf(typ, codecs.BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if set, err = set.Join(more); err != nil {
			t.Fatal(err)
		}
	}
	return set
}

// TestHeld: beans that hold an Optional, a reference, a Throwable or an array of a final
// class are written again as they came, with their classes described and without. Fields
// that a description does not have keep their place.
func TestHeld(t *testing.T) {
	t.Parallel()
	described := jackson.Classes(heldClasses(t))
	for _, row := range rows(t, "held-4.7.0.tsv", 50) {
		makers := map[string]func(...jackson.Option) codecs.Codec{
			"JsonJacksonCodec": jackson.JsonJackson, "JsonJackson3Codec": jackson.JsonJackson3, "TypedJsonJackson3Codec": jackson.TypedJsonJackson3,
		}
		makeCodec := makers[row[0]]
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			t.Parallel()
			sameBytes(t, makeCodec(jackson.Since("4.7.0"), described), "described", []byte(row[2]))
			if row[0] == "JsonJacksonCodec" && (row[1] == "refs" || row[1] == "list of refs") {
				return // nothing says that the null is a reference
			}
			sameBytes(t, makeCodec(jackson.Since("4.7.0")), "not described", []byte(row[2]))
		})
	}
}

// TestEmptyOptional: the null of a property that Java does not leave out is an empty
// Optional, and for a Go type a nil pointer.
func TestEmptyOptional(t *testing.T) {
	t.Parallel()
	payload := []byte(`{"@class":"demo.Holders$Refused","advice":null,"wait":5}`)
	c := jackson.JsonJackson3(jackson.Classes(heldClasses(t)))
	v := codectest.Must(c.Decode(payload))(t)
	advice, _ := v.(*java.Object).Get("advice")
	if want := (&java.Object{Class: "java.util.Optional"}); !reflect.DeepEqual(advice, want) {
		t.Errorf("advice is %#v, want %#v", advice, want)
	}
	got, err := twinOf[heldRefused](c, payload)
	if err != nil || string(got) != string(payload) {
		t.Errorf("%v\nJava %s\nGo   %s", err, payload, got)
	}
}
