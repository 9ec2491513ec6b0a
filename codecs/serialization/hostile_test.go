package serialization

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// Pieces of streams.
func utf(s string) string { return string(binary.BigEndian.AppendUint16(nil, uint16(len(s)))) + s }

func ref(n int) string {
	return "\x71" + string(binary.BigEndian.AppendUint32(nil, uint32(baseHandle+n)))
}

func be32(n int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }

// classDesc is a descriptor with the given fields, annotation and superclass.
func classDesc(class string, flags byte, fields, super string) string {
	n := strings.Count(fields, ";")
	return "\x72" + utf(class) + "\x00\x00\x00\x00\x00\x00\x00\x01" + string(flags) +
		string(binary.BigEndian.AppendUint16(nil, uint16(n))) + strings.ReplaceAll(fields, ";", "") + "\x78" + super
}

const nullSuper = "\x70"

// jdkDesc is what Java writes of one of its own classes that has no fields of
// object type and no superclass.
func jdkDesc(tb testing.TB, v any) string {
	tb.Helper()
	b, err := New().Encode(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b[5 : bytes.Index(b, []byte("\x78\x70"))+2])
}

type hostile struct {
	name, payload, reason string
}

func hostileStreams(tb testing.TB) []hostile {
	list := jdkDesc(tb, &java.List{})
	bean := classDesc("demo.A", 2, "", nullSuper)
	deep := strings.Repeat("\x73"+ref(0)+"\x00\x00\x00\x01\x77\x04\x00\x00\x00\x01", 20_000)
	chain := strings.Repeat("\x72"+utf("demo.A")+"\x00\x00\x00\x00\x00\x00\x00\x01\x02\x00\x00\x78", 20_000) // 21 bytes each
	return []hostile{
		{"nothing", "", "ends in the middle"},
		{"header only", magic, "ends in the middle"},
		{"other format", "\x04\x3e\x01a\x00", "no java.io object stream"},
		{"two values", magic + "\x70\x70", "1 bytes follow"},
		{"unknown tag", magic + "\x42", "unknown tag"},
		{"descriptor as value", magic + bean, "class descriptor stands where a value belongs"},
		{"block as value", magic + "\x77\x01a", "bytes stand where"},
		{"reset", magic + "\x79\x70", "reset"},
		{"exception", magic + "\x7b\x70", "reset"},
		{"proxy", magic + "\x73\x7d\x00\x00\x00\x00\x78\x70", "proxy"},
		{"reference to nothing", magic + ref(0), "leads nowhere"},
		{"reference below the first", magic + "\x71\x00\x00\x00\x00", "leads nowhere"},
		{"reference to a descriptor", magic + "\x73" + list + "\x00\x00\x00\x01\x77\x04\x00\x00\x00\x01" + ref(0) + "\x78", "leads to a class descriptor"},
		{"class that is its own superclass", magic + "\x73" + classDesc("demo.A", 2, "", ref(0)), "something else where a class descriptor belongs"},
		{"class of itself as field signature", magic + "\x73" + classDesc("demo.A", 2, "L\x00\x01a"+ref(0)+";", nullSuper), "a string belongs"},
		{"enum whose name is itself", magic + "\x7e" + classDesc("demo.E", 0x12, "", nullSuper) + ref(1), "a string belongs"},
		{"date inside itself", magic + "\x73" + classDesc("java.util.Date", 3, "", nullSuper) + ref(1) + "\x78", "not complete"},
		{"deep lists", magic + "\x73" + list + "\x00\x00\x00\x01\x77\x04\x00\x00\x00\x01" + deep, "nested more than"},
		{"endless chain of classes", magic + "\x73" + chain + "\x70", "nested more than"},
		{"long chain of classes", magic + "\x73" + chain[:21*100] + "\x70", "superclass"},
		{"array of 2^31-1 ints", magic + "\x75" + jdkDesc(tb, []int32{}) + "\x7f\xff\xff\xff", "does not fit"},
		{"array of -1 ints", magic + "\x75" + jdkDesc(tb, []int32{}) + "\xff\xff\xff\xff", "does not fit"},
		{"array of no class", magic + "\x75\x70\x00\x00\x00\x00", "no class"},
		{"array of a bean's class", magic + "\x75" + bean + "\x00\x00\x00\x00", "no array"},
		{"array of an unknown primitive", magic + "\x75" + classDesc("[Q", 2, "", nullSuper) + "\x00\x00\x00\x00", "no array class"},
		{"string of 2^63 bytes", magic + "\x7c\x7f\xff\xff\xff\xff\xff\xff\xffabc", "does not fit"},
		{"string of -1 bytes", magic + "\x7c\xff\xff\xff\xff\xff\xff\xff\xff", "does not fit"},
		{"text of four bytes", magic + "\x74\x00\x04\xf0\x9f\x98\x80", "modified UTF-8"},
		{"text cut in a character", magic + "\x74\x00\x02\xe4\xb8", "modified UTF-8"},
		{"block of 2^31-1 bytes", magic + "\x73" + classDesc("demo.A", 3, "", nullSuper) + "\x7a\x7f\xff\xff\xff", "does not fit"},
		{"65535 fields", magic + "\x73\x72" + utf("demo.A") + "\x00\x00\x00\x00\x00\x00\x00\x01\x02\xff\xff", "ends in the middle"},
		{"both kinds", magic + "\x73" + classDesc("demo.A", 6, "", nullSuper), "in one"},
		{"protocol 1", magic + "\x73" + classDesc("demo.A", 4, "", nullSuper), "protocol 1"},
		{"not serializable", magic + "\x73" + classDesc("demo.A", 0, "", nullSuper), "not serializable"},
		{"enum as object", magic + "\x73" + classDesc("demo.A", 0x12, "", nullSuper), "as an object"},
		{"string as object", magic + "\x73" + classDesc("java.lang.String", 2, "", nullSuper), "not written as an object"},
		{"object without a class", magic + "\x73\x70", "no class"},
		{"list that says 5 and holds 1", magic + "\x73" + list + "\x00\x00\x00\x05\x77\x04\x00\x00\x00\x05\x70\x78", "contradicts"},
		{"list without its numbers", magic + "\x73" + list + "\x00\x00\x00\x01\x70\x78", "own data"},
		{"map with a key only", magic + "\x73" + jdkDesc(tb, &java.Map{}) + "\x3f\x40\x00\x00\x00\x00\x00\x0c\x77\x08\x00\x00\x00\x10\x00\x00\x00\x01\x70\x78", "contradicts"},
		{"integer of another type", magic + "\x73" + classDesc("java.lang.Integer", 2, "J\x00\x05value;", nullSuper) + "\x00\x00\x00\x00\x00\x00\x00\x01", "another type"},
		{"month 13", magic + "\x73" + classDesc("java.time.Ser", 0x0c, "", nullSuper) + "\x77\x07\x03\x00\x00\x07\xe8\x0d\x01\x78", "month 13"},
		{"31 April", magic + "\x73" + classDesc("java.time.Ser", 0x0c, "", nullSuper) + "\x77\x07\x03\x00\x00\x07\xe8\x04\x1f\x78", "day 31"},
	}
}

func TestHostileStreams(t *testing.T) {
	t.Parallel()
	for _, h := range hostileStreams(t) {
		codec := New()
		typed, err := codec.Bind(reflect.TypeFor[sampleOrder](), codecs.BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time with descriptors from the cache
			v, err := codec.Decode([]byte(h.payload))
			var e *codecs.DecodeError
			if !errors.As(err, &e) || e.Codec != name || !strings.Contains(err.Error(), h.reason) || e.Offset > len(h.payload) {
				t.Errorf("%s: got %v, error %v", h.name, v, err)
			}
			var order sampleOrder
			if err := typed.Decode([]byte(h.payload), &order); !errors.As(err, &e) {
				t.Errorf("%s into a struct: %v", h.name, err)
			}
		}
	}
}

// copies is Collections.nCopies(n, "c").
func copies(tb testing.TB, n int32) []byte {
	tb.Helper()
	b, err := New().Encode(&java.List{Class: "java.util.Collections$CopiesList", Elements: []any{"c"}})
	if err != nil {
		tb.Fatal(err)
	}
	at := bytes.Index(b, []byte("\x78\x70")) + 2
	binary.BigEndian.PutUint32(b[at:], uint32(n))
	return b
}

func TestCopiesAreBounded(t *testing.T) {
	t.Parallel()
	codec := New(Limits(codecs.Limits{Elements: 1000}))
	if v, err := codec.Decode(copies(t, 900)); err != nil || len(v.(*java.List).Elements) != 900 {
		t.Errorf("900 copies are read as %v, %v", v, err)
	}
	for _, n := range []int32{1000, 1 << 30, -1} {
		if _, err := codec.Decode(copies(t, n)); err == nil {
			t.Errorf("%d copies decoded", n)
		}
	}
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// budget is the element budget of tests that measure memory.
const budget = 4096

// TestHostileAllocates is not parallel: it counts what the process allocates.
func TestHostileAllocates(t *testing.T) {
	codec := New(Limits(codecs.Limits{Elements: budget}))
	for _, h := range hostileStreams(t) {
		payload := []byte(h.payload)
		used := allocated(func() { _, _ = codec.Decode(payload) })
		if limit := uint64(128*len(payload) + 2<<20); used > limit {
			t.Errorf("%s: allocated %d bytes, more than %d", h.name, used, limit)
		}
	}
}

// TestLaughs reads a payload whose lists share each other thirty levels deep, and
// writes, shows and converts it in time that does not unfold it.
func TestLaughs(t *testing.T) {
	t.Parallel()
	payload := sample(t, "laughs")
	start := time.Now()
	codec := New()
	v, err := codec.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := codec.Encode(v); err != nil || !bytes.Equal(got, payload) {
		t.Errorf("encoded again: %x, %v", got, err)
	}
	if shown := java.View(v); len(shown) == 0 {
		t.Error("not shown")
	}
	if plain, ok := java.Plain(v).([]any); !ok || len(plain) != 2 {
		t.Error("not plain")
	}
	values := bind[[]any](t)
	if _, err := values.Decode(payload); err != nil {
		t.Error(err)
	}
	var e *codecs.DecodeError
	if _, err := bind[[][][]string](t).Decode(payload); !errors.As(err, &e) {
		t.Errorf("error %v, want a DecodeError", err)
	}
	if took := time.Since(start); took > 2*time.Minute { // also on a busy machine
		t.Errorf("it took %v", took)
	}
}

// TestManyClasses fills the cache of descriptors with classes that nobody has.
func TestManyClasses(t *testing.T) {
	t.Parallel()
	codec := New()
	for i := range 3 * maxCachedNames {
		class := "demo.C" + string(rune('a'+i%26)) + be32(i)[2:]
		payload := []byte(magic + "\x73\x72" + utf(strings.Map(func(r rune) rune { return 'a' + r%26 }, class)+"x") + "\x00\x00\x00\x00\x00\x00\x00\x01\x02\x00\x00\x78\x70")
		if _, err := codec.Decode(payload); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 * maxCachedVariants {
		payload := []byte(magic + "\x73\x72" + utf("demo.Same") + "\x00\x00\x00\x00" + be32(i) + "\x02\x00\x00\x78\x70")
		v, err := codec.Decode(payload)
		if err != nil || v.(*java.Object).Serial.UID != int64(i) {
			t.Fatalf("class %d: %v, %v; want an object with that UID", i, v, err)
		}
	}
	chain := strings.Repeat("\x72"+utf("demo.Super")+"\x00\x00\x00\x00\x00\x00\x00\x01\x02\x00\x00\x78", 60)
	for i := range 500 {
		payload := []byte(magic + "\x73\x72" + utf("demo.Long"+string(rune('a'+i%26))) + "\x00\x00\x00\x00" + be32(i) + "\x02\x00\x00\x78" + chain + "\x70")
		if _, err := codec.Decode(payload); err != nil {
			t.Fatal(err)
		}
	}
	if codec.cache.bytes > maxCacheBytes {
		t.Errorf("%d bytes of descriptors kept", codec.cache.bytes)
	}
	all := *codec.cache.byName.Load()
	if len(all) > maxCachedNames || len(all["demo.Same"]) != maxCachedVariants && len(all["demo.Same"]) != 0 {
		t.Errorf("%d names, %d variants kept", len(all), len(all["demo.Same"]))
	}
}
