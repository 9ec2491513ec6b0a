package serialization

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

func seeds(f *testing.F) {
	f.Helper()
	for _, v := range vectors(f) {
		// The unfolding of laughs is tested elsewhere: it takes time.
		if len(v.payload) < 16<<10 && v.label != "laughs" {
			f.Add(v.payload)
		}
	}
	for _, h := range hostileStreams(f) {
		if len(h.payload) < 4<<10 {
			f.Add([]byte(h.payload))
		}
	}
	f.Add(orderPayload(f))
}

// FuzzDecode looks for panics, hangs, memory out of proportion, and values that
// do not come back.
func FuzzDecode(f *testing.F) {
	seeds(f)
	codec := New(Limits(codecs.Limits{Elements: budget, Depth: 64}), NoFields("Samples2$NoDef"))
	f.Fuzz(func(t *testing.T, payload []byte) {
		used := allocated(func() { _, _ = codec.Decode(payload) })
		if limit := uint64(128*len(payload) + 2<<20); used > limit {
			t.Fatalf("%x: allocated %d bytes, more than %d", payload, used, limit)
		}
		codectest.Stable(t, codec, payload)
	})
}

// FuzzTyped compares plans for Go types with the way by values.
func FuzzTyped(f *testing.F) {
	seeds(f)
	var all []*binding
	codec := New(Limits(codecs.Limits{Elements: budget, Depth: 64}))
	for _, t := range []reflect.Type{
		reflect.TypeFor[sampleOrder](), reflect.TypeFor[*sampleItem](), reflect.TypeFor[benchOrder](), reflect.TypeFor[[]any](),
		reflect.TypeFor[map[string]any](), reflect.TypeFor[[]string](), reflect.TypeFor[map[string]int64](), reflect.TypeFor[[][]*int32](), reflect.TypeFor[modern](),
	} {
		b, err := codec.Bind(t, codecs.BindOptions{})
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, b.(*binding))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, b := range all {
			agreeOnView(t, b, payload)
		}
	})
}

// agreeOnView compares what both ways make of a payload, as people see it.
func agreeOnView(t *testing.T, both *binding, payload []byte) {
	t.Helper()
	values := *both
	values.typed, values.write = nil, nil
	typ := both.typed.typ
	fast, slow := reflect.New(typ), reflect.New(typ)
	var fastErr error
	used := allocated(func() { fastErr = both.Decode(payload, fast.Interface()) })
	if limit := uint64(128*len(payload) + 2<<20); used > limit {
		t.Fatalf("%x into %s: allocated %d bytes, more than %d", payload, typ, used, limit)
	}
	slowErr := values.Decode(payload, slow.Interface())
	if (fastErr == nil) != (slowErr == nil) {
		t.Fatalf("%x into %s: %v against %v", payload, typ, fastErr, slowErr)
	}
	if fastErr != nil {
		return
	}
	if a, b := java.View(fast.Elem().Interface()), java.View(slow.Elem().Interface()); !bytes.Equal(a, b) {
		t.Fatalf("%x into %s: %s against %s", payload, typ, a, b)
	}
	value := slow.Elem().Interface()
	fastBytes, fastErr := both.Append(nil, value)
	slowBytes, slowErr := values.Append(nil, value)
	if (fastErr == nil) != (slowErr == nil) || !bytes.Equal(fastBytes, slowBytes) {
		t.Fatalf("%x from %s: %x, %v\nagainst %x, %v", payload, typ, fastBytes, fastErr, slowBytes, slowErr)
	}
}

// TestCutShort reads every prefix and many changed bytes of short payloads: none
// may panic, and a prefix is never a value.
func TestCutShort(t *testing.T) {
	t.Parallel()
	codec := New(NoFields("Samples2$NoDef"))
	for _, v := range vectors(t) {
		if len(v.payload) > 300 {
			continue
		}
		for n := range v.payload {
			if value, err := codec.Decode(v.payload[:n]); err == nil {
				t.Errorf("%s: the first %d of %d bytes are %v", v.label, n, len(v.payload), value)
			}
			changed := bytes.Clone(v.payload)
			for _, mask := range []byte{0x01, 0x80, 0xff} {
				changed[n] = v.payload[n] ^ mask
				codectest.Stable(t, codec, changed)
			}
		}
	}
}
