package kryo5

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

// TestMistakesTogether gives many wrong options at once; all are reported, by all
// ways into the codec.
func TestMistakesTogether(t *testing.T) {
	t.Parallel()
	codec := New(
		nil, Limits(codecs.Limits{Depth: -1}), Since("3.18.9"), Since("four"), Since("3.20"), References(),
		AllowedClasses("a b"), AllowedClasses("demo.A"), AllowedClassesInOrder("demo.B"),
		Container("", "java.util.HashMap"), Container("demo.C", "java.util.UUID"), Container("demo.D", "demo.E"),
		Classes(describe(t, "final demo.F"), describe(t, "demo.G extends demo.F")),
	)
	_, decodeErr := codec.Decode([]byte{0})
	_, encodeErr := codec.Encode(nil)
	_, bindErr := codecs.For[string](codec, codecs.BindOptions{})
	for _, err := range []error{decodeErr, encodeErr, bindErr} {
		if err == nil {
			t.Fatal("wrong options were accepted")
		}
		for _, want := range []string{
			"option 1 is nil", "Depth", "3.18.9 of Redisson has no Kryo5Codec, which came with 3.19.0", "four", "useReferences, which came with 3.36.0", `"a b"`, "given before",
			"allowedClasses, which came with 3.36.0", "has no name", "java.util.UUID is no container", "demo.E is no container", "which is final",
			"option kryo5.Container(, java.util.HashMap): the class has no name", "option kryo5.Classes(2 classes): Java class",
		} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q lacks %q", err, want)
			}
		}
	}
}

// TestAllowedClasses numbers classes by name and in the caller's order; names in
// payloads stay readable, other classes are not written.
func TestAllowedClasses(t *testing.T) {
	t.Parallel()
	byName := New(AllowedClasses("java.util.HashMap", "java.util.ArrayList", "java.lang.String", "java.util.Date", "java.util.ArrayList"))
	inOrder := New(AllowedClassesInOrder("java.util.HashMap", "java.util.ArrayList", "int", "java.util.Date"))
	value := &java.Map{Class: "java.util.HashMap", Entries: []java.Entry{{Key: "ab", Value: java.Date{Millis: 5}}}}
	for name, c := range map[string]struct {
		codec *Codec
		want  string
	}{
		"by name":  {byName, "\x0d\x02\x03a\xe2\x0c\x05"},
		"in order": {inOrder, "\x0b\x02\x03a\xe2\x0d\x05"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.codec.Encode(value)
			if err != nil || string(got) != c.want {
				t.Errorf("%s: %x, %v", name, got, err)
			}
		})
	}
	if _, err := byName.Decode([]byte(arrayList + "\x01")); err != nil {
		t.Errorf("a class name is not read: %v", err)
	}
	if _, err := byName.Encode(&java.List{Class: "java.util.LinkedList"}); err == nil || !strings.Contains(err.Error(), "allowed") {
		t.Errorf("a class that is not allowed: %v", err)
	}
	if _, err := byName.Decode([]byte("\x0e\x00")); err == nil {
		t.Error("an id that no class has was read")
	}
	if v, err := New(AllowedClasses("demo.Unknown")).Decode([]byte("\x0b\x00")); err == nil || !strings.Contains(err.Error(), "demo.Unknown") {
		t.Errorf("%v, %v", v, err)
	}
}

// TestContainers reads and writes classes of the user that are lists or maps.
func TestContainers(t *testing.T) {
	t.Parallel()
	described := describe(t, `demo.Names extends java.util.ArrayList<java.lang.String>
	int lost
demo.Rows<V> extends java.util.TreeMap<java.lang.String,V>
demo.Table<V> extends demo.Rows<V>
demo.View implements java.util.Set
demo.Lookup implements java.util.Map`)
	codec := New(Classes(described), Container("com.shop.Cart", "java.util.ArrayList"), Container("com.shop.Queue", "java.util.PriorityQueue"))
	for payload, want := range map[string]any{
		"\x01\x00demo.Name\xf3\x82\x03\x00a\xe2":            &java.List{Class: "demo.Names", Elements: []any{"ab"}},
		"\x01\x00demo.Tabl\xe5\x01\x00":                     &java.Map{Class: "demo.Table", Entries: []java.Entry{}},
		"\x01\x00demo.Vie\xf7\x01":                          &java.List{Class: "demo.View", Elements: []any{}},
		"\x01\x00demo.Looku\xf0\x01":                        &java.Map{Class: "demo.Lookup", Entries: []java.Entry{}},
		"\x01\x00com.shop.Car\xf4\x01":                      &java.List{Class: "com.shop.Cart", Elements: []any{}},
		"\x01\x00com.shop.Queu\xe5\x82\x00\x02\x00\x02":     &java.List{Class: "com.shop.Queue", Elements: []any{int32(1)}},
		"\x01\x00com.alibaba.fastjson.JSONObjec\xf4\x01":    &java.Map{Class: "com.alibaba.fastjson.JSONObject", Entries: []java.Entry{}},
		"\x01\x00com.alibaba.fastjson.JSONArra\xf9\x82\x00": &java.List{Class: "com.alibaba.fastjson.JSONArray", Elements: []any{nil}},
	} {
		v, err := codec.Decode([]byte(payload))
		if err != nil || string(view.Of(v)) != string(view.Of(want)) {
			t.Errorf("%q: %s, %v", payload, view.Of(v), err)
			continue
		}
		if got, err := codec.Encode(v); err != nil || string(got) != payload {
			t.Errorf("%q: encoded as %q, %v", payload, got, err)
		}
	}
}
