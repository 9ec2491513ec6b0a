package serial_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// above is class demo.NonSer { long id = 7; String note = "n"; }, and below is
// class demo.Sub extends NonSer implements Serializable { long id; String name; }.
type (
	above struct {
		ID   int64  `java:"id"`
		Note string `java:"note"`
	}
	below struct {
		above
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

func (above) JavaClass() string        { return "demo.NonSer serial none" }
func (below) JavaClass() string        { return "demo.Sub serial 42" }
func (writesItself) JavaClass() string { return "custom demo.Wo serial 1" }
func (belowCustom) JavaClass() string  { return "demo.WoSub serial 2" }

// superclassNotSerializable leaves such a level out, as Java does.
func (s *stream) superclassNotSerializable(t *testing.T) {
	for _, o := range []options{{}, {RefuseUnknown: true, RefuseMissing: true}} {
		b := bind(t, s.New(o), reflect.TypeFor[below]())
		got, err := b.Append(nil, below{above{8, "lost"}, 5, "x"})
		if err != nil || hex.EncodeToString(got) != s.Java.Below {
			t.Errorf("%x, %v", got, err)
		}
		var back below
		if err := b.Decode(codectest.FromHex(t, s.Java.Below), &back); err != nil || back != (below{Own: 5, Name: "x"}) {
			t.Errorf("%+v, %v", back, err)
		}
	}
	_, err := codecs.For[[]above](s.New(options{}), codecs.BindOptions{})
	var e *codecs.BindError
	if !errors.As(err, &e) || e.Type != reflect.TypeFor[above]() || !strings.Contains(err.Error(), "not Serializable in Java") {
		t.Errorf("the class itself: %v", err)
	}
}

// customClass reads a class with its own writeObject, and does not write it.
func (s *stream) customClass(t *testing.T) {
	codec := s.New(options{})
	typed, below := codectest.Typed[[]writesItself](t, codec), codectest.Typed[belowCustom](t, codec)
	_, err := typed.Encode([]writesItself{{1}})
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
	payload := encode(t, codec, &java.List{Class: java.ClassArrayList, Elements: []any{wrote}})
	if got, failed := typed.Decode(payload); failed != nil || len(got) != 1 || got[0].A != 7 {
		t.Errorf("%+v, %v", got, failed)
	}
	again := codectest.Typed[[]*java.Object](t, codec)
	objects := codectest.Must(again.Decode(payload))(t)
	if got, err := again.Encode(objects); err != nil || !bytes.Equal(got, payload) {
		t.Errorf("%x, %v\nwant %x", got, err, payload)
	}
}

// myList is a Java class that extends ArrayList, as a Go type.
type myList []string

func (myList) JavaClass() string {
	return "Samples2$MyList extends java.util.ArrayList serial -0x19bba2e98d0c0cca"
}

// myMap is one that extends HashMap.
type myMap map[string]string

func (myMap) JavaClass() string { return "Samples2$MyMap extends java.util.HashMap serial 1" }

// ownCollections reads and writes lists and maps of a user's class, and says why one that is not declared
// cannot be written.
func (s *stream) ownCollections(t *testing.T) {
	codec, payload := s.New(options{}), codectest.FromHex(t, s.Java.List)
	list, err := codectest.Into[myList](t, codec, payload)
	if err != nil || len(list) != 1 || list[0] != "e" {
		t.Errorf("read: %v, %v", list, err)
	}
	if plain, err := codectest.Into[[]string](t, codec, payload); err != nil || !reflect.DeepEqual(plain, []string{"e"}) {
		t.Errorf("read as []string: %v, %v", plain, err)
	}
	for _, value := range []any{list, myMap{"k": "v"}} {
		out, err := bind(t, codec, reflect.TypeOf(value)).Append(nil, value)
		got := reflect.New(reflect.TypeOf(value))
		if err == nil {
			err = bind(t, codec, reflect.TypeOf(value)).Decode(out, got.Interface())
		}
		if err != nil || !reflect.DeepEqual(got.Elem().Interface(), value) || !bytes.Contains(out, []byte("Samples2$My")) {
			t.Errorf("%T: %x, %v, %v", value, out, got.Elem(), err)
		}
	}
	var e *codecs.EncodeError
	_, err = codec.Encode(&java.Map{Class: "Samples2$MyMap"})
	if !errors.As(err, &e) || !strings.Contains(e.Reason, "a class of your own") {
		t.Errorf("one that is not declared: %v", err)
	}
}

// external is a class that writes itself, here an int, a string and an object.
type external struct {
	N int32  `java:"n"`
	S string `java:"s"`
}

func (external) JavaClass() string { return "demo.Ext serial -5926352121245029615" }

// externalizable refuses to lose what writeExternal wrote.
func (s *stream) externalizable(t *testing.T) {
	codec, payload := s.New(options{}), codectest.FromHex(t, s.Java.External)
	v, err := codectest.Into[external](t, codec, payload)
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Class != "demo.Ext" || !strings.Contains(e.Reason, "Externalizable") {
		t.Errorf("%+v, %v", v, err)
	}
	o, err := codectest.Into[*java.Object](t, codec, payload)
	if err != nil || len(o.Custom) != 1 {
		t.Fatalf("%+v, %v", o, err)
	}
	if out, err := codec.Encode(o); err != nil || !bytes.Equal(out, payload) {
		t.Errorf("written again: %x, %v", out, err)
	}
}

// ping is a class without fields: all its Go values have one address.
type ping struct{}

func (ping) JavaClass() string { return "demo.Ping serial 1" }

type pings struct {
	First, Second *ping
	Left, Right   []ping
}

func (pings) JavaClass() string { return "demo.Pings serial 2" }

// noSize writes values without size as one object each.
func (s *stream) noSize(t *testing.T) {
	value := pings{First: &ping{}, Second: &ping{}, Left: make([]ping, 2), Right: make([]ping, 2)}
	typed := codectest.Must(codectest.Typed[pings](t, s.New(options{})).Encode(value))(t)
	classes := codectest.Must(gotypes.ClassesOf(reflect.TypeFor[pings](), codecs.BindOptions{}))(t)
	plain := encode(t, s.New(options{Classes: []*java.Classes{classes}}), value)
	for way, payload := range map[string][]byte{"typed": typed, "plain": plain} {
		v := codectest.Must(s.New(options{}).Decode(payload))(t)
		objects, lists := map[*java.Object]bool{}, map[*java.List]bool{}
		for _, f := range v.(*java.Object).Fields {
			switch v := f.Value.(type) {
			case *java.Object:
				objects[v] = true
			case *java.List:
				lists[v] = true
				for _, e := range v.Elements {
					objects[e.(*java.Object)] = true
				}
			}
		}
		if len(objects) != 6 || len(lists) != 2 {
			t.Errorf("%s: %d objects and %d lists of 6 and 2: %x", way, len(objects), len(lists), payload)
		}
	}
}

// lower and upper have a field of one name each.
type upper struct {
	Name string `java:"name"`
	Rank int32  `java:"rank"`
}

func (upper) JavaClass() string { return "demo.Upper serial 1" }

type lower struct {
	upper
	Name string `java:"name"`
}

func (lower) JavaClass() string { return "demo.Lower serial 2" }

// onlyLower has one of the two.
type onlyLower struct {
	Name string `java:"name"`
	Rank int64  `java:"rank"`
}

func (onlyLower) JavaClass() string { return "demo.Lower serial 2" }

// sameNames carries fields of one name at two levels.
func (s *stream) sameNames(t *testing.T) {
	want := lower{upper: upper{Name: "above", Rank: 3}, Name: "below"}
	typed := codectest.Typed[lower](t, s.New(options{}))
	payload := codectest.Must(typed.Encode(want))(t)
	if got, err := typed.Decode(payload); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if single, err := codectest.Into[onlyLower](t, s.New(options{}), payload); err != nil || single.Name != "below" || single.Rank != 3 {
		t.Errorf("one of the two: %+v, %v", single, err)
	}
}
