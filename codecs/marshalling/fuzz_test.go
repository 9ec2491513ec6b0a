package marshalling

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// few are limits for payloads that anybody may have written.
var few = codecs.Limits{Elements: 4096, Depth: 64}

// TestHostile is not parallel: it measures what the process allocates.
func TestHostile(t *testing.T) {
	codec, small := New(Limits(few)), New(Limits(codecs.Limits{Elements: few.Elements}))
	for _, h := range hostile() {
		t.Run(h.name, func(t *testing.T) {
			codectest.Hostile[*order](t, codec, small, h.payload, h.reason)
		})
	}
}

// FuzzDecode looks for panics, hangs, memory out of proportion, and values that do not
// come back.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{"legacy.tsv", "samples.tsv"} {
		for _, v := range vectors(f, file) {
			f.Add(v.payload)
		}
	}
	for _, u := range unsharedVectors(f) {
		f.Add(u.payload)
	}
	for _, h := range hostile() {
		f.Add(h.payload)
	}
	codec := New(Limits(few))
	f.Fuzz(func(t *testing.T, payload []byte) {
		codectest.Allocates(t, payload, func() { _, _ = codec.Decode(payload) })
		codectest.Stable(t, codec, payload)
		remembersWhatItReads(t, codec, payload)
	})
}

// remembersWhatItReads holds a codec that has met classes before to one that has not.
func remembersWhatItReads(t *testing.T, codec *Codec, payload []byte) {
	t.Helper()
	again, err := codec.Decode(payload)
	first, failed := New(Limits(few)).Decode(payload)
	if fmt.Sprint(err) != fmt.Sprint(failed) {
		t.Fatalf("%x: %v; a new codec: %v", payload, err, failed)
	}
	if err != nil {
		return
	}
	a, err := codec.Encode(again)
	b, failed := codec.Encode(first)
	if !bytes.Equal(a, b) || fmt.Sprint(err) != fmt.Sprint(failed) {
		t.Fatalf("%x becomes %x, %v; by a new codec %x, %v", payload, a, err, b, failed)
	}
}

// hostileRow is a payload that a program would not write. Reason is part of the error;
// empty where the payload is a value after all.
type hostileRow struct {
	name    string
	payload []byte
	reason  string
}

func hostile() []hostileRow {
	text := func(parts ...string) []byte { return []byte("\x04" + strings.Join(parts, "")) }
	repeat := func(s string, n int) string { return strings.Repeat(s, n) }
	hashMap := "\x04\x38\x3e\x11java.util.HashMap\x05\x07\xda\xc1\xc3\x16\x60\xd1\x00\x00\x00\x02\x3e\x0aloadFactor\x26\x00\x3e\x09threshold\x23\x00\x16"
	return []hostileRow{
		{"string of 2^31", text("\x40\x7f\xff\xff\xff", "abc"), "not fit into"},
		{"string of -1", text("\x40\xff\xff\xff\xff", "abc"), "positive"},
		{"string of 65536 in 3 bytes", text("\x3f\x00\x00", "abc"), "not fit into"},
		{"array of 2^31 bytes", text("\x44\x7f\xff\xff\xff\x21", "abc"), "not fit into"},
		{"array of 2^31 longs", text("\x44\x7f\xff\xff\xff\x24", "abc"), "not fit into"},
		{"array of 2^31 booleans", text("\x44\x7f\xff\xff\xff\x20", "abc"), "not fit into"},
		{"array of 2^31 objects", text("\x44\x7f\xff\xff\xff\x16", "\x01"), "not fit into"},
		{"list of 2^31", text("\x55\x7f\xff\xff\xff\x5a", "\x01"), "not fit into"},
		{"2^31 copies", text("\x55\x7f\xff\xff\xff\x7b", "\x01"), "raise Limits.Elements"},
		{"copies of copies", text(repeat("\x53\xff\x7b", 20), "\x01"), "raise Limits.Elements"},
		{"map of 2^31", text(hashMap, "\x3f\x40\x00\x00\x00\x00\x00\x0c\x32\x08\x00\x00\x00\x10\x7f\xff\xff\xff\x35"), "contradicts"},
		{"map with fewer entries", text(hashMap, "\x3f\x40\x00\x00\x00\x00\x00\x0c\x32\x08\x00\x00\x00\x10\x00\x00\x00\x02\x50\x50\x35"), "contradicts"},
		{"class of 2^31 fields", text("\x04\x09\x3e\x01A\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff\xff\xff"), "not fit into"},
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
