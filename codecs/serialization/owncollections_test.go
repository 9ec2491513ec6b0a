package serialization

import (
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

// myList is a Java class that extends ArrayList, as a Go type.
type myList []string

func (myList) JavaClass() string {
	return "Samples2$MyList extends java.util.ArrayList serial -0x19bba2e98d0c0cca"
}

// myMap is one that extends HashMap.
type myMap map[string]string

func (myMap) JavaClass() string { return "Samples2$MyMap extends java.util.HashMap serial 1" }

// TestOwnCollections reads a list of a user's class, and says why one cannot be
// written.
func TestOwnCollections(t *testing.T) {
	t.Parallel()
	payload, err := hex.DecodeString("aced00057372000f53616d706c657332244d794c697374e6445d1672f3f3360200014900056578747261787200136a6176612e7574696c2e41727261794c6973747881d21d99c7619d03000149000473697a65787000000001770400000001740001657800000003")
	if err != nil {
		t.Fatal(err)
	}
	bound, err := New().Bind(reflect.TypeFor[myList](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var list myList
	if err = bound.Decode(payload, &list); err != nil || len(list) != 1 || list[0] != "e" {
		t.Errorf("read: %v, %v", list, err)
	}
	for _, value := range []any{list, myMap{"k": "v"}} {
		bound, err := New().Bind(reflect.TypeOf(value), codecs.BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := bound.Append(nil, value)
		var e *codecs.EncodeError
		if !errors.As(err, &e) || !strings.Contains(e.Reason, "a class of your own") || !strings.Contains(e.Reason, "Samples2$My") {
			t.Errorf("%T: %x, %v", value, out, err)
		}
	}
}
