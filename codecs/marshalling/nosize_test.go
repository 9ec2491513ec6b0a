package marshalling

import (
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// ping is a class without fields: all its Go values have one address.
type ping struct{}

func (ping) JavaClass() string { return "demo.Ping serial 1" }

type pings struct {
	First, Second *ping
	Left, Right   []ping
}

func (pings) JavaClass() string { return "demo.Pings serial 2" }

// TestNoSize writes values without size as one object each.
func TestNoSize(t *testing.T) {
	t.Parallel()
	value := pings{First: &ping{}, Second: &ping{}, Left: make([]ping, 2), Right: make([]ping, 2)}
	bound, err := New().Bind(reflect.TypeFor[pings](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	typed, ok := bound.(*binding).appendTyped(nil, value)
	if !ok {
		t.Fatal("the plan does not write it")
	}
	classes, err := java.ClassesOf(reflect.TypeFor[pings](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := New(Classes(classes)).Encode(value)
	if err != nil {
		t.Fatal(err)
	}
	for way, payload := range map[string][]byte{"by plan": typed, "by values": plain} {
		v, err := New().Decode(payload)
		if err != nil {
			t.Fatal(err)
		}
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
