package kryo5

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

type shapeBase struct {
	ID   int32
	Name string
}

func (shapeBase) JavaClass() string { return "demo.Shape" }

type shapeCircle struct {
	shapeBase
	Radius float64
}

func (shapeCircle) JavaClass() string { return "demo.Circle extends demo.Shape" }

type shapeHolder struct {
	Any   any
	Shape *shapeBase
	List  []*shapeBase
}

func (shapeHolder) JavaClass() string { return "demo.Holder" }

type shapeCircles struct {
	Any   any
	Shape *shapeCircle   `java:"shape,demo.Shape"`
	List  []*shapeCircle `java:"list,java.util.List<demo.Shape>"`
}

func (shapeCircles) JavaClass() string { return "demo.Holder" }

// registered names types that a bound type does not mention.
func registered(types ...interface{ JavaClass() string }) codecs.BindOptions {
	opts := codecs.BindOptions{Classes: map[reflect.Type]string{}}
	for _, t := range types {
		opts.Classes[reflect.TypeOf(t)] = t.JavaClass()
	}
	return opts
}

// TestTypedPolymorphism reads objects of a subclass: where Go has a field of the
// base class they fill it by field name, and only if somebody described them.
func TestTypedPolymorphism(t *testing.T) {
	t.Parallel()
	circles := typedOf[shapeCircles](t, New())
	c := &shapeCircle{shapeBase{7, "c"}, 1.5}
	payload := codectest.Must(circles.Encode(shapeCircles{Any: map[string]any{"k": int32(1)}, Shape: c, List: []*shapeCircle{c, nil}}))(t)
	back, err := circles.Decode(payload)
	if err != nil || *back.Shape != *c || len(back.List) != 2 || *back.List[0] != *c {
		t.Fatalf("%+v, %v", back, err)
	}

	holders := typedOf[shapeHolder](t, New(), registered(shapeCircle{}))
	h, err := holders.Decode(payload)
	if err != nil || *h.Shape != c.shapeBase || *h.List[0] != c.shapeBase || h.List[1] != nil {
		t.Errorf("%+v, %v", h, err)
	}

	holders = typedOf[shapeHolder](t, New())
	_, err = holders.Decode(payload)
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Class != "demo.Circle" || e.Path != "list[0]" || e.Offset < 0 || !strings.Contains(e.Reason, "not described") {
		t.Errorf("an unknown subclass: %v", err)
	}
}

type orderNow struct {
	ID    string `java:"orderId"`
	Cents int64  `java:"amountCents"`
	Note  string `java:"note"`
}

func (orderNow) JavaClass() string { return "demo.Order" }

type orderBefore struct {
	ID    string `java:"orderId"`
	Cents int64  `java:"amountCents"`
}

func (orderBefore) JavaClass() string { return "demo.Order" }

// TestTypedVariants reads what the old and the new version of a Java service
// write into one Go type.
func TestTypedVariants(t *testing.T) {
	t.Parallel()
	now := typedOf[[]orderNow](t, New(), registered(orderBefore{}))
	before := typedOf[[]orderBefore](t, New())
	old := codectest.Must(before.Encode([]orderBefore{{"A1", 5}, {"A2", 6}}))(t)
	got, err := now.Decode(old)
	if want := []orderNow{{"A1", 5, ""}, {"A2", 6, ""}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("old bytes: %+v, %v", got, err)
	}
	payload, err := now.Encode([]orderNow{{"A1", 5, "new"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err = now.Decode(payload)
	if err != nil || !reflect.DeepEqual(got, []orderNow{{"A1", 5, "new"}}) {
		t.Errorf("new bytes: %+v, %v", got, err)
	}
}

// TestTypedAllowed writes the ids of allowed classes, and refuses others.
func TestTypedAllowed(t *testing.T) {
	t.Parallel()
	codec := New(AllowedClasses("demo.Order", "java.util.ArrayList", "java.util.Date"))
	orders := typedOf[[]orderNow](t, codec)
	payload, err := orders.Encode([]orderNow{{"A1", 5, "n"}})
	if err != nil || strings.Contains(string(payload), "Order") {
		t.Errorf("%q, %v", payload, err)
	}
	if back, err := orders.Decode(payload); err != nil || len(back) != 1 || back[0] != (orderNow{"A1", 5, "n"}) {
		t.Errorf("%+v, %v", back, err)
	}
	// Constants with bodies are of two classes for Java, also where both have the number of their enum.
	ops := bindingOf(t, reflect.TypeFor[[]typedOpEnum](), AllowedClasses("Typed$Op", "java.util.ArrayList"))
	if payload, err := ops.Append(nil, []typedOpEnum{0, 1}); err != nil || string(payload) != "\x0c\x03\x0b\x01\x0b\x02" {
		t.Errorf("%q, %v", payload, err)
	}
	others, err := codecs.For[[]shapeBase](codec, codecs.BindOptions{})
	if err != nil {
		return // it may as well be found here
	}
	var e *codecs.EncodeError
	if payload, err := others.Encode([]shapeBase{{1, "x"}}); !errors.As(err, &e) {
		t.Errorf("a class that is not allowed: %x, %v", payload, err)
	}
}

type shapeChain struct {
	ID   int32
	Next *shapeChain
}

func (shapeChain) JavaClass() string { return "demo.Chain" }

type shapeLink struct {
	shapeChain
	Radius float64
}

func (shapeLink) JavaClass() string { return "demo.Link extends demo.Chain" }

// TestFormsAreShared reads objects of a subclass inside one another: what was compiled for the
// whole payload and for the first field serves all.
func TestFormsAreShared(t *testing.T) {
	t.Parallel()
	classes := codectest.Must(gotypes.ClassesOf(reflect.TypeFor[shapeLink](), codecs.BindOptions{}))(t)
	var object *java.Object
	for i := range 50 {
		var next any
		if object != nil {
			next = object
		}
		object = &java.Object{Class: "demo.Link", Fields: []java.Field{{Name: "id", Value: int32(i)}, {Name: "next", Value: next}}}
	}
	payload := codectest.Must(New(Classes(classes)).Encode(object))(t)
	bound := bindingOf(t, reflect.TypeFor[*shapeChain](), Classes(classes))
	var got *shapeChain
	if err := bound.Decode(payload, &got); err != nil {
		t.Fatal(err)
	}
	forms := 0
	bound.(*binding).plan.first.forms.Range(func(any, any) bool { forms++; return true })
	if forms > 2 || got.Next.Next.ID != 47 {
		t.Errorf("%d forms, %+v", forms, got)
	}
}
