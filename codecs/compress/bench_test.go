package compress_test

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
)

// library is what a wrapper is held against: the bare calls of the library on the
// same bytes, each with an output of its own, as a caller of the codec gets one.
type library struct {
	wrap       wrapper
	compress   func(raw []byte) []byte
	decompress func(packed []byte, size int) ([]byte, error)
}

func libraries(b *testing.B) map[string]library {
	b.Helper()
	blocks := &lz4.CompressorCCompat{}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false), zstd.WithWindowSize(2<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		b.Fatal(err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderLowmem(true))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(dec.Close)
	return map[string]library{
		"lz4": {compress.LZ4, func(raw []byte) []byte {
			out := make([]byte, lz4.CompressBlockBound(len(raw)))
			n, err := blocks.CompressBlock(raw, out)
			if err != nil {
				b.Fatal(err)
			}
			return out[:n]
		}, func(packed []byte, size int) ([]byte, error) {
			out := make([]byte, size)
			_, err := lz4.UncompressBlock(packed, out)
			return out, err
		}},
		"snappyv2": {compress.SnappyV2, func(raw []byte) []byte {
			return s2.EncodeSnappy(make([]byte, snappy.MaxEncodedLen(len(raw))), raw)
		}, func(packed []byte, size int) ([]byte, error) { return snappy.Decode(make([]byte, size), packed) }},
		"zstd": {compress.ZStd, func(raw []byte) []byte { return enc.EncodeAll(raw, nil) }, func(packed []byte, size int) ([]byte, error) {
			return dec.DecodeAll(packed, make([]byte, 0, size))
		}},
	}
}

// beans are orders as Kryo5Codec writes them: one, and a list of many.
func beans(b *testing.B) map[string][]byte {
	b.Helper()
	text, err := os.ReadFile("../kryo5/testdata/bench/order.hex")
	if err != nil {
		b.Fatal(err)
	}
	order, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		b.Fatal(err)
	}
	var many []byte
	for i := range 40 { // each with another number in it, as orders have
		one := append([]byte{}, order...)
		one[len(one)/2] = byte(i)
		many = append(many, one...)
	}
	return map[string][]byte{"order": order, "orders": many}
}

// BenchmarkEncode compresses what an inner codec that only copies gives it. Each
// wrapper has the library's call as its twin.
func BenchmarkEncode(b *testing.B) {
	for name, l := range libraries(b) {
		for bean, raw := range beans(b) {
			b.Run(name+"/"+bean+"/wrapper", func(b *testing.B) {
				typed, err := codecs.For[[]byte](l.wrap(codecs.ByteArray()), codecs.BindOptions{})
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := typed.Encode(raw); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name+"/"+bean+"/library", func(b *testing.B) {
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				for b.Loop() {
					l.compress(raw)
				}
			})
		}
	}
}

// BenchmarkDecode is the way back.
func BenchmarkDecode(b *testing.B) {
	for name, l := range libraries(b) {
		for bean, raw := range beans(b) {
			b.Run(name+"/"+bean+"/wrapper", func(b *testing.B) {
				typed, err := codecs.For[[]byte](l.wrap(codecs.ByteArray()), codecs.BindOptions{})
				if err != nil {
					b.Fatal(err)
				}
				payload, err := typed.Encode(raw)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := typed.Decode(payload); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name+"/"+bean+"/library", func(b *testing.B) {
				packed := l.compress(raw)
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := l.decompress(packed, len(raw)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
