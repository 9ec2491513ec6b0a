package serialization

import (
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// notSerial is class demo.NonSer { long id = 7; String note = "n"; }, and
// belowIt is class demo.Sub extends NonSer implements Serializable { long id; String name; }.
type (
	notSerial struct {
		ID   int64  `java:"id"`
		Note string `java:"note"`
	}
	belowIt struct {
		notSerial
		Own  int64  `java:"id"`
		Name string `java:"name"`
	}
	writesItself struct {
		A int32 `java:"a"`
	}
	belowCustom struct {
		writesItself
		B int32 `java:"b"`
	}
)

func (notSerial) JavaClass() string    { return "demo.NonSer serial none" }
func (belowIt) JavaClass() string      { return "demo.Sub serial 42" }
func (writesItself) JavaClass() string { return "custom demo.Wo serial 1" }
func (belowCustom) JavaClass() string  { return "demo.WoSub serial 2" }

// belowItJava is what Java writes of new Sub(5, "x").
const belowItJava = "aced00057372000864656d6f2e537562000000000000002a0200024a000269644c00046e616d657400124c6a6176612f6c616e672f537472696e673b7870000000000000000574000178"

// TestSuperclassNotSerializable leaves such a level out, as Java does, by plan
// and by way of values.
func TestSuperclassNotSerializable(t *testing.T) {
	t.Parallel()
	payload, err := hex.DecodeString(belowItJava)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Codec{New(), New(RefuseUnknownFields(), RefuseMissingFields())} {
		b, err := c.Bind(reflect.TypeFor[belowIt](), codecs.BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		values := b.(*binding)
		slow := &binding{codec: c, plan: values.plan, descs: values.descs, refusals: values.refusals}
		for way, b := range map[string]codecs.Binding{"plan": b, "values": slow} {
			got, err := b.Append(nil, belowIt{notSerial{8, "lost"}, 5, "x"})
			if err != nil || hex.EncodeToString(got) != belowItJava {
				t.Errorf("%s: %x, %v", way, got, err)
			}
			var back belowIt
			if err := b.Decode(payload, &back); err != nil || back != (belowIt{Own: 5, Name: "x"}) {
				t.Errorf("%s: %+v, %v", way, back, err)
			}
		}
	}
	_, err = codecs.For[[]notSerial](New(), codecs.BindOptions{})
	var e *codecs.BindError
	if !errors.As(err, &e) || e.Type != reflect.TypeFor[notSerial]() || !strings.Contains(err.Error(), "not Serializable in Java") {
		t.Errorf("the class itself: %v", err)
	}
}

// TestCustomClass reads a class with its own writeObject, and does not write it.
func TestCustomClass(t *testing.T) {
	t.Parallel()
	typed, err := codecs.For[[]writesItself](New(), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	below, err := codecs.For[belowCustom](New(), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = typed.Encode([]writesItself{{1}})
	_, belowErr := below.Encode(belowCustom{})
	for class, err := range map[string]error{"demo.Wo": err, "demo.WoSub": belowErr} {
		var e *codecs.EncodeError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), "class "+class+" ") || !strings.Contains(err.Error(), "writes itself in Java") {
			t.Errorf("%s: %v", class, err)
		}
	}
	// What Java wrote of it is another matter: values keep all of it.
	wrote := &java.Object{
		Class: "demo.Wo", Fields: []java.Field{{Name: "a", Value: int32(7)}},
		Serial: &java.Serial{Class: "demo.Wo", UID: 1, Flags: 3, Fields: []java.SerialField{{Name: "a", Signature: "I"}}},
		Custom: []java.Custom{{Level: "demo.Wo", Items: []any{[]byte{1, 2}}}},
	}
	list := &java.List{Class: java.ClassArrayList, Elements: []any{wrote}}
	payload, err := New().Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := typed.Decode(payload); err != nil || len(got) != 1 || got[0].A != 7 {
		t.Errorf("%+v, %v", got, err)
	}
	again, err := codecs.For[[]*java.Object](New(), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	objects, err := again.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Encode(objects); err != nil || string(got) != string(payload) {
		t.Errorf("%x, %v\nwant %x", got, err, payload)
	}
}
