package java

import (
	"fmt"
	"testing"
)

// TestReferenceOf: a bean by its class, what has no class by its fields.
func TestReferenceOf(t *testing.T) {
	t.Parallel()
	want := RedissonReference{Type: "org.redisson.api.RLock", KeyName: "stock", Codec: "org.redisson.codec.Kryo5Codec"}
	fields := []Field{{Name: "codec", Value: want.Codec}, {Name: "keyName", Value: "stock"}, {Name: "type", Value: want.Type}}
	entries := []Entry{{Key: "codec", Value: want.Codec}, {Key: "keyName", Value: "stock"}, {Key: "type", Value: want.Type}, {Key: "typeName", Value: want.Type}}
	for name, v := range map[string]any{
		"bean": &Object{Class: ReferenceClass, Fields: fields}, "bean without class": &Object{Fields: fields},
		"map": &Map{Class: "java.util.LinkedHashMap", Entries: entries}, "itself": want, "pointer": &want,
		"Go map": map[string]any{"codec": want.Codec, "keyName": "stock", "type": want.Type},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := ReferenceOf(v); !ok || got != want {
				t.Errorf("%s: %v, %v", name, got, ok)
			}
		})
	}
	for name, v := range map[string]any{
		"nil": nil, "nil bean": (*Object)(nil), "nil map": (*Map)(nil), "nil pointer": (*RedissonReference)(nil), "text": "org.redisson.api.RMap",
		"another bean":   &Object{Class: "demo.Order", Fields: fields},
		"another type":   map[string]any{"codec": "a", "keyName": "b", "type": "demo.Order"},
		"a field less":   &Map{Entries: entries[1:]},
		"no field":       map[string]any{},
		"other contents": &Map{Entries: []Entry{{Key: "codec", Value: 1}, {Key: "keyName", Value: "b"}, {Key: "type", Value: want.Type}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := ReferenceOf(v); ok {
				t.Errorf("%s: %v", name, got)
			}
		})
	}
}

// What Java's queue.add(redisson.getMap("orders")) leaves in the queue.
func ExampleReferenceOf() {
	decoded := &Object{Class: "org.redisson.RedissonReference", Fields: []Field{
		{Name: "codec", Value: "org.redisson.codec.Kryo5Codec"},
		{Name: "keyName", Value: "orders"},
		{Name: "type", Value: "org.redisson.api.RMap"},
	}}
	if r, ok := ReferenceOf(decoded); ok {
		fmt.Println(r)
	}
	// Output: RMap "orders" (Kryo5Codec)
}
