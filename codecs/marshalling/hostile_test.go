package marshalling

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// hostilePayload is one that a program would not write. Reason is part of the
// error; empty where the payload is a value after all.
type hostilePayload struct {
	label   string
	payload []byte
	reason  string
}

func hostile() []hostilePayload {
	text := func(parts ...string) []byte { return []byte("\x04" + strings.Join(parts, "")) }
	repeat := func(s string, n int) string { return strings.Repeat(s, n) }
	hashMap := "\x04\x38\x3e\x11java.util.HashMap\x05\x07\xda\xc1\xc3\x16\x60\xd1\x00\x00\x00\x02\x3e\x0aloadFactor\x26\x00\x3e\x09threshold\x23\x00\x16"
	return []hostilePayload{
		{"string of 2^31", text("\x40\x7f\xff\xff\xff", "abc"), "cannot stand in"},
		{"string of -1", text("\x40\xff\xff\xff\xff", "abc"), "positive"},
		{"string of 65536 in 3 bytes", text("\x3f\x00\x00", "abc"), "cannot stand in"},
		{"array of 2^31 bytes", text("\x44\x7f\xff\xff\xff\x21", "abc"), "cannot stand in"},
		{"array of 2^31 longs", text("\x44\x7f\xff\xff\xff\x24", "abc"), "cannot stand in"},
		{"array of 2^31 booleans", text("\x44\x7f\xff\xff\xff\x20", "abc"), "cannot stand in"},
		{"array of 2^31 objects", text("\x44\x7f\xff\xff\xff\x16", "\x01"), "cannot stand in"},
		{"list of 2^31", text("\x55\x7f\xff\xff\xff\x5a", "\x01"), "cannot stand in"},
		{"2^31 copies", text("\x55\x7f\xff\xff\xff\x7b", "\x01"), "raise Limits.Elements"},
		{"copies of copies", text(repeat("\x53\xff\x7b", 20), "\x01"), "raise Limits.Elements"},
		{"map of 2^31", text(hashMap, "\x3f\x40\x00\x00\x00\x00\x00\x0c\x32\x08\x00\x00\x00\x10\x7f\xff\xff\xff\x35"), "contradicts"},
		{"map with fewer entries", text(hashMap, "\x3f\x40\x00\x00\x00\x00\x00\x0c\x32\x08\x00\x00\x00\x10\x00\x00\x00\x02\x50\x50\x35"), "contradicts"},
		{"class of 2^31 fields", text("\x04\x09\x3e\x01A\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff\xff\xff"), "cannot stand in"},
		{"class with a name of 2^31", text("\x04\x0c\x7f\xff\xff\xffA"), "1 to 1024"},
		{"class that is its superclass", text("\x04\x09\x3e\x01A\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x3b\xff"), "its own superclass"},
		{"enum as a superclass", text("\x04\x09\x3e\x01A\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0c\x00\x00\x00\x01B"), "cannot be the superclass"},
		{"reference to nothing", text("\x39\xff"), "object -1 of 0"},
		{"reference ahead", text("\x02\x00\x00\x00\x05"), "object 5 of 0"},
		{"reference to a negative index", text("\x53\x01\x5a\x02\xff\xff\xff\xff"), "object -1 of"},
		{"class reference to nothing", text("\x04\x3b\xff"), "class -1 of 0"},
		{"reference to what is not whole", text("\x7d\x39\xff"), "not whole yet"},
		{"deep lists", text(repeat("\x53\x01\x5a", 10_000)), "levels deep"},
		{"deep arrays", text(repeat("\x42\x01\x16", 10_000)), "levels deep"},
		{"deep array classes", text("\x41", repeat("\x0d", 10_000)), "levels deep"},
		{"deep superclasses", text("\x04", repeat("\x09\x3e\x01A\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 10_000)), "levels deep"},
		{"deep wrappers", text(repeat("\x7c", 10_000)), "levels deep"},
		{"deep custom data", text(repeat("\x04\x0a\x00\x00\x00\x01A\x00\x00\x00\x00\x00\x00\x00\x00", 10_000)), "levels deep"},
		{"dynamic proxy", text("\x04\x08\x00\x00\x00\x01\x00\x00\x00\x01A\x01"), "proxy"},
		{"object of a table", text("\x03\x01"), "table"},
		{"block as an object", text("\x32\x01a"), "block"},
		{"cleared table inside", text("\x53\x01\x5a\x36\x01"), "cleared table"},
		{"class without a form", text("\x04\x07\x00\x00\x00\x01A"), "no serialized form"},
		{"array of void", text("\x41\x28"), "no arrays"},
		{"bytes after the value", text("\x01\x01"), "follow the value"},
		{"protocol 5", []byte("\x05\x01"), "protocol"},
		{"protocol 1", []byte("\x01\x01"), "protocol"},
		{"nothing", nil, "empty"},
		{"version only", text(), "ends in the middle"},
		{"text that is no text", text("\x3e\x01\x80"), "modified UTF-8"},
		{"text of four bytes", text("\x3e\x01\xf0\x9f\x98\x80"), "modified UTF-8"},
		{"keys that Go cannot compare", text(hashMap, "\x3f\x40\x00\x00\x00\x00\x00\x0c\x32\x08\x00\x00\x00\x10\x00\x00\x00\x02\x41\x21\x50\x52\x5a\x50\x35"), ""},
		{"one key twice", text(hashMap, "\x3f\x40\x00\x00\x00\x00\x00\x0c\x32\x08\x00\x00\x00\x10\x00\x00\x00\x02\x50\x50\x50\x51\x35"), ""},
		{"list of itself", text("\x53\x01\x5a\x39\xff"), ""},
		{"billion laughs", laughs(), ""},
		{"year 2^31", text("\x04\x0a\x00\x00\x00\x0djava.time.Ser\x95\x5d\x84\xba\x1b\x22\x48\xb2\x32\x07\x03\x7f\xff\xff\xff\x01\x01\x35"), "java.time.Ser"},
		{"month 13", text("\x04\x0a\x00\x00\x00\x0djava.time.Ser\x95\x5d\x84\xba\x1b\x22\x48\xb2\x32\x07\x03\x00\x00\x07\xe8\x0d\x01\x35"), "java.time.Ser"},
	}
}

// laughs is a list of ten references to a list of ten references, thirty deep.
func laughs() []byte {
	out := []byte{4}
	for range 30 {
		out = append(out, 0x53, 10, idArrayList)
	}
	out = append(out, bytes.Repeat([]byte{idNull}, 10)...)
	for level := 29; level > 0; level-- {
		for range 9 {
			out = append(out, idObjectFar, 0, 0, 0, byte(level))
		}
	}
	return out
}

func TestHostile(t *testing.T) {
	codec := New(Limits(codecs.Limits{Elements: budget, Depth: 64}))
	for _, h := range hostile() {
		var v any
		var err error
		if used := allocated(func() { v, err = codec.Decode(h.payload) }); used > bound(h.payload) {
			t.Errorf("%s: allocated %d bytes", h.label, used)
		}
		var e *codecs.DecodeError
		switch {
		case h.reason == "" && err != nil:
			t.Errorf("%s: %v", h.label, err)
		case h.reason != "" && (!errors.As(err, &e) || !strings.Contains(err.Error(), h.reason)):
			t.Errorf("%s: decoded %T, error %v; want one about %q", h.label, v, err, h.reason)
		}
	}
}

// TestLaughs holds what may be done with shared values to their number.
func TestLaughs(t *testing.T) {
	v, err := New().Decode(laughs())
	if err != nil {
		t.Fatal(err)
	}
	out, err := New().Encode(v)
	if err != nil || len(out) > 2*len(laughs()) {
		t.Errorf("%d bytes became %d, %v", len(laughs()), len(out), err)
	}
	if view := java.View(v); len(view) > 32<<20 {
		t.Errorf("its view has %d bytes", len(view))
	}
	var plain any
	b, err := New().Bind(reflect.TypeFor[any](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err = b.Decode(laughs(), &plain); err != nil {
		t.Error(err)
	}
	for _, check := range structChecks(t) {
		check(t, laughs())
	}
}

// TestPrefixes reads every prefix and many single changed bytes of what Java
// wrote: none may panic, and no prefix is a value.
func TestPrefixes(t *testing.T) {
	codec := New(Limits(codecs.Limits{Elements: budget, Depth: 64}))
	for _, v := range append(vectors(t, "legacy.tsv"), vectors(t, "samples.tsv")...) {
		if len(v.payload) > 300 {
			continue
		}
		for n := range v.payload {
			if value, err := codec.Decode(v.payload[:n]); err == nil {
				t.Errorf("%s: the first %d of %d bytes are %v", v.label, n, len(v.payload), value)
			}
			changed := bytes.Clone(v.payload)
			for _, mask := range []byte{0x01, 0x40, 0xff} {
				changed[n] = v.payload[n] ^ mask
				codectest.Stable(t, codec, changed)
			}
		}
	}
}
