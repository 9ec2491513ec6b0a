package kryo5

import (
	"bytes"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

// checkStable also wants what is encoded to be the value.
func checkStable(tb testing.TB, codec *Codec, payload []byte) {
	tb.Helper()
	value, again := codectest.Stable(tb, codec, payload)
	if a, b := view.Of(value), view.Of(again); !bytes.Equal(a, b) {
		tb.Fatalf("%x became\n%s\nwant\n%s", payload, b, a)
	}
}

// hostile are the limits under which hostile payloads are tried.
var hostile = codecs.Limits{Elements: 1 << 12, Depth: 64}

// engines are codecs of every kind that reads differently.
func engines(tb testing.TB) []*Codec {
	tb.Helper()
	return []*Codec{
		New(Limits(hostile)),
		configured(tb, "4.7.0", Limits(hostile)),
		configured(tb, "4.7.0/refs", Limits(hostile)),
		configured(tb, "4.7.0/allowed", Limits(hostile)),
		configured(tb, "redisson3.19.0/kryo5.3.0(jdk opens)", Limits(hostile)),
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.payload)
	}
	codecsOfAllKinds := engines(f)
	maps := typedOf[map[string]any](f, codecsOfAllKinds[0])
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, codec := range codecsOfAllKinds {
			codectest.Allocates(t, payload, func() { _, _ = codec.Decode(payload) })
			checkStable(t, codec, payload)
		}
		m, err := maps.Decode(payload)
		if v, rawErr := codecsOfAllKinds[0].Decode(payload); err == nil {
			want := view.Of(java.Plain(v))
			if rawErr != nil || !bytes.Equal(view.Of(m), want) {
				t.Fatalf("%x: map %s, value %s, %v", payload, view.Of(m), want, rawErr)
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
		"int array of 2^31":          "\x01\x00[\xc9\xff\xff\xff\xff\x07\x02",
		"double array of 2^31":       "\x01\x00[\xc4\xff\xff\xff\xff\x07\x02",
		"object array of 2^31":       "\x01\x00[Ljava.lang.Object\xbb\xff\xff\xff\xff\x07\x00",
		"BitSet of 2^31 words":       "\x01\x00java.util.BitSe\xf4\xff\xff\xff\xff\x07\x02",
		"EnumSet of 2^31":            "\x01\x00java.util.RegularEnumSe\xf4\x01\x01java.time.Mont\xe8\xff\xff\xff\xff\x07\x01",
		"a million stateless":        "\x01\x00" + list + "\xc1\x80\x80\x01\x01\x01java.lang.Objec\xf4\x00",
		"stream of 2^31":             "\x01\x00java.util.EnumMa\xf0\xac\xed\x00\x05ur\x00\x02[I\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00xp\x7f\xff\xff\xff",
	} {
		t.Run(name, func(t *testing.T) {
			codec := New(Limits(codecs.Limits{Elements: 1 << 16}))
			var err error
			if codectest.Allocates(t, []byte(payload), func() { _, err = codec.Decode([]byte(payload)) }); err == nil {
				t.Errorf("%s: no error", name)
			}
		})
	}
}
