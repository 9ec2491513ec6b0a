package kryo5

import (
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

func benchDecode[T any](b *testing.B, v T) {
	b.Helper()
	typed, err := codecs.For[T](New(), codecs.BindOptions{})
	if err != nil {
		b.Fatal(err)
	}
	payload, err := typed.Encode(v)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := typed.Decode(payload); err != nil {
			b.Fatal(err)
		}
	}
}

func benchEncode[T any](b *testing.B, v T) {
	b.Helper()
	typed, err := codecs.For[T](New(), codecs.BindOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := typed.Encode(v); err != nil {
			b.Fatal(err)
		}
	}
}

var benchMap = map[string]any{"orderId": "100", "remark": "其他信息"}

func BenchmarkDecodeString(b *testing.B) { benchDecode(b, "order-0000000100") }
func BenchmarkDecodeMap(b *testing.B)    { benchDecode(b, benchMap) }
func BenchmarkDecodeAny(b *testing.B)    { benchDecode[any](b, benchMap) }
func BenchmarkDecodeStruct(b *testing.B) { benchDecode(b, line{SKU: "a1", Count: 2}) }
func BenchmarkEncodeString(b *testing.B) { benchEncode(b, "order-0000000100") }
func BenchmarkEncodeMap(b *testing.B)    { benchEncode(b, benchMap) }
func BenchmarkEncodeStruct(b *testing.B) { benchEncode(b, line{SKU: "a1", Count: 2}) }
