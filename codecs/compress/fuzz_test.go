package compress_test

import (
	"bytes"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// mostFuzzed bounds what is expanded: once by the wrapper, once by its inner codec.
const mostFuzzed = 512 << 10

func fuzzed() []codecs.Codec {
	inner := codecs.ByteArray(codecs.PlainLimits(codecs.Limits{Bytes: mostFuzzed}))
	return []codecs.Codec{
		compress.LZ4(inner), compress.LZ4V2(inner), compress.Snappy(inner), compress.SnappyV2(inner), compress.ZStd(inner),
		compress.LZ4V2(inner, compress.Since("4.7.0")), compress.LZ4V2(inner, compress.Since("3.24.0")), compress.SnappyV2(inner, compress.Since("3.8.1")),
	}
}

// FuzzDecode: any bytes are refused with a typed error or read; what is read is
// written and read again, within the memory that the bytes and the limit justify.
func FuzzDecode(f *testing.F) {
	for _, v := range vectors(f) {
		if len(v.payload) < 400 {
			f.Add(v.payload)
		}
	}
	all := fuzzed()
	for _, c := range all {
		warm(f, c)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, c := range all {
			codectest.Allocates(t, payload, func() { _, _ = c.Decode(payload) })
			v, w := codectest.Stable(t, c, payload)
			if w != nil && !bytes.Equal(v.([]byte), w.([]byte)) { // nil: too long for Java, or empty
				t.Fatalf("%s: %x: %x came back as %x", c.Name(), payload, v, w)
			}
		}
	})
}

// FuzzEncode: any bytes come back from every form.
func FuzzEncode(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.raw[:min(len(v.raw), 2000)], uint16(1))
	}
	all := fuzzed()
	f.Fuzz(func(t *testing.T, unit []byte, times uint16) {
		raw := bytes.Repeat(unit, int(times)%64)
		if len(raw) == 0 || len(raw) > 190_000 {
			return
		}
		for _, c := range all {
			payload, err := c.Encode(raw)
			if err != nil {
				t.Fatalf("%s: %x: %v", c.Name(), raw, err)
			}
			if got, err := c.Decode(payload); err != nil || !bytes.Equal(got.([]byte), raw) {
				t.Fatalf("%s: %x: %x, %v", c.Name(), raw, payload, err)
			}
		}
	})
}
