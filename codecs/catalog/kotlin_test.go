package catalog_test

import (
	"encoding/hex"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestKotlinEmpties: emptyList(), emptySet() and emptyMap() of Kotlin, which a program
// in Kotlin has wherever one in Java has those of Collections. The serialVersionUIDs are
// those of kotlin-stdlib 1.9.21.
func TestKotlinEmpties(t *testing.T) {
	t.Parallel()
	name := func(class string) string { return hex.EncodeToString([]byte(class)) }
	const pkg = "kotlin.collections."
	list, set, mapping := &java.List{Class: pkg + "EmptyList"}, &java.List{Class: pkg + "EmptySet"}, &java.Map{Class: pkg + "EmptyMap"}
	for _, c := range []struct {
		codec string
		value any
		bytes string
	}{
		{"kryo5", list, "0100" + name(pkg+"EmptyLis") + "f4" + "01"},
		{"kryo5", set, "0100" + name(pkg+"EmptySe") + "f4" + "01"},
		{"kryo5", mapping, "0100" + name(pkg+"EmptyMa") + "f0" + "01"},
		{"serialization", list, "aced0005" + "7372001c" + name(pkg+"EmptyList") + "996fc7d0a7e06032" + "020000" + "7870"},
		{"serialization", set, "aced0005" + "7372001b" + name(pkg+"EmptySet") + "2f46b01576d7e2f4" + "020000" + "7870"},
		{"serialization", mapping, "aced0005" + "7372001b" + name(pkg+"EmptyMap") + "72723771cb044cd2" + "020000" + "7870"},
		{"fst", list, "0001" + "1c" + name(pkg+"EmptyList") + "4200"},
		{"fst", mapping, "0001" + "1b" + name(pkg+"EmptyMap") + "4200"},
		{"marshalling", list, ""},
		{"marshalling", mapping, ""},
	} {
		t.Run(c.codec+"/"+java.ClassOf(c.value), func(t *testing.T) {
			t.Parallel()
			codec := codectest.Must(catalog.Find(c.codec))(t)
			payload, err := codec.Encode(c.value)
			if got := hex.EncodeToString(payload); c.codec != "fst" && (err != nil || c.bytes != "" && got != c.bytes) {
				t.Fatalf("written as %s, %v; want %s", got, err, c.bytes)
			}
			if c.codec == "fst" {
				payload, _ = hex.DecodeString(c.bytes)
			}
			back, err := codec.Decode(payload)
			if err != nil || reflect.TypeOf(back) != reflect.TypeOf(c.value) || java.ClassOf(back) != java.ClassOf(c.value) {
				t.Errorf("read as %+v, %v; want %+v", back, err, c.value)
			}
			full := any(&java.List{Class: java.ClassOf(c.value), Elements: []any{"a"}})
			if _, is := c.value.(*java.Map); is {
				full = &java.Map{Class: java.ClassOf(c.value), Entries: []java.Entry{{Key: "a", Value: "b"}}}
			}
			if payload, err := codec.Encode(full); err == nil {
				t.Errorf("one with an element is written as %x, want an error", payload)
			}
		})
	}
}
