package kryo5

import (
	"bytes"
	"errors"
	"runtime"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// checkStable decodes payload; what decodes must encode, and those bytes must
// decode to what encodes to the same bytes again.
func checkStable(tb testing.TB, codec *Codec, payload []byte) {
	tb.Helper()
	value, err := codec.Decode(payload)
	if err != nil {
		var e *codecs.DecodeError
		if !errors.As(err, &e) || e.Codec != "kryo5" || e.Reason == "" || e.Offset > len(payload) {
			tb.Fatalf("%x: untyped error %v", payload, err)
		}
		return
	}
	first, err := codec.Encode(value)
	if err != nil {
		var e *codecs.EncodeError
		if !errors.As(err, &e) {
			tb.Fatalf("%x: untyped error %v", payload, err)
		}
		return
	}
	again, err := codec.Decode(first)
	if err != nil {
		tb.Fatalf("%x became %x, which does not decode: %v", payload, first, err)
	}
	second, err := codec.Encode(again)
	if err != nil || !bytes.Equal(first, second) {
		tb.Fatalf("%x became %x, then %x, %v", payload, first, second, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.payload)
	}
	codec := New(Limits(codecs.Limits{Elements: 1 << 12, Depth: 64}))
	maps, err := codecs.For[map[string]any](codec, codecs.BindOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		checkStable(t, codec, payload)
		m, err := maps.Decode(payload)
		if v, rawErr := codec.Decode(payload); err == nil {
			want := java.View(java.Plain(v))
			if rawErr != nil || !bytes.Equal(java.View(m), want) {
				t.Fatalf("%x: map %s, value %s, %v", payload, java.View(m), want, rawErr)
			}
		}
	})
}

// TestDecodeAllocates holds the memory of hostile payloads to what their bytes
// and the element budget justify.
func TestDecodeAllocates(t *testing.T) {
	const list = "java.util.ArrayLis\xf4"
	for name, payload := range map[string]string{
		"string of 2^31 characters":  "\x03\xff\xff\xff\xff\x1f" + "abc",
		"byte array of 2^31":         "\x01\x00[\xc2\xff\xff\xff\xff\x07abc",
		"list of 2^31 nulls":         "\x01\x00" + list + "\xff\xff\xff\xff\x0f\x00",
		"list of 2^31 values":        "\x01\x00" + list + "\x7f\xff\xff\xff\x0f\x02\x02",
		"list of a million empties":  "\x01\x00" + list + "\xc1\x80\x80\x01\x01\x01java.util.Collections$EmptyLis\xf4\x00",
		"map of 2^31 entries":        "\x01\x00java.util.HashMa\xf0\xff\xff\xff\xff\x07\x00\x00",
		"big integer of 2^31 bytes":  "\x01\x00java.math.BigIntege\xf2\xff\xff\xff\xff\x07\x01",
		"class name without an end":  "\x01\x00" + string(bytes.Repeat([]byte("a"), 4096)),
		"class name of 2^31 letters": "\x01\x00\xff\xff\xff\xff\x1fab",
	} {
		codec := New(Limits(codecs.Limits{Elements: 1 << 16}))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := codec.Decode([]byte(payload))
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: decoded", name)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%s: allocated %d bytes", name, used)
		}
	}
}
