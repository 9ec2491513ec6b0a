package kryo5

import (
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

// The payloads are those that integration/java measures on the JVM.

func benchDecode[T any](b *testing.B, payload []byte) {
	b.Helper()
	typed, err := codecs.For[T](New(), codecs.BindOptions{})
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

func benchEncode[T any](b *testing.B, payload []byte) {
	b.Helper()
	typed, err := codecs.For[T](New(), codecs.BindOptions{})
	if err != nil {
		b.Fatal(err)
	}
	v, err := typed.Decode(payload)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := typed.Encode(v); err != nil {
			b.Fatal(err)
		}
	}
}

// remarkStruct is the payload map as a struct without a Java class.
type remarkStruct struct {
	ID     string `java:"orderId"`
	Remark string `java:"remark"`
}

func BenchmarkDecodeOrder(b *testing.B) { benchDecode[benchOrder](b, benchPayload(b, "order")) }

func BenchmarkEncodeOrder(b *testing.B) { benchEncode[benchOrder](b, benchPayload(b, "order")) }

func BenchmarkDecodeMap(b *testing.B) { benchDecode[map[string]any](b, benchPayload(b, "map")) }

func BenchmarkEncodeMap(b *testing.B) { benchEncode[map[string]any](b, benchPayload(b, "map")) }

func BenchmarkDecodeMapText(b *testing.B) { benchDecode[map[string]string](b, benchPayload(b, "map")) }

func BenchmarkEncodeMapText(b *testing.B) { benchEncode[map[string]string](b, benchPayload(b, "map")) }

func BenchmarkDecodeMapStruct(b *testing.B) { benchDecode[remarkStruct](b, benchPayload(b, "map")) }

func BenchmarkEncodeMapStruct(b *testing.B)  { benchEncode[remarkStruct](b, benchPayload(b, "map")) }
func BenchmarkDecodeMapAny(b *testing.B)     { benchDecode[any](b, benchPayload(b, "map")) }
func BenchmarkDecodeStrings100(b *testing.B) { benchDecode[[]string](b, benchPayload(b, "strings100")) }

func BenchmarkEncodeStrings100(b *testing.B) { benchEncode[[]string](b, benchPayload(b, "strings100")) }

func BenchmarkDecodeNested5(b *testing.B) { benchDecode[map[string]any](b, benchPayload(b, "nested5")) }

func BenchmarkEncodeNested5(b *testing.B) { benchEncode[map[string]any](b, benchPayload(b, "nested5")) }

func BenchmarkDecodeLists(b *testing.B) { benchDecode[typedLists](b, typedVectors(b)["Lists"]) }

func BenchmarkEncodeLists(b *testing.B) { benchEncode[typedLists](b, typedVectors(b)["Lists"]) }

func BenchmarkDecodeGenerics(b *testing.B) {
	benchDecode[typedGenerics](b, typedVectors(b)["Generics"])
}

func BenchmarkEncodeGenerics(b *testing.B) {
	benchEncode[typedGenerics](b, typedVectors(b)["Generics"])
}

func BenchmarkDecodeString(b *testing.B) { benchDecode[string](b, []byte("\x03order-000000010\xb0")) }

func BenchmarkEncodeString(b *testing.B) { benchEncode[string](b, []byte("\x03order-000000010\xb0")) }

// BenchmarkAppendOrder is what a producer pays that reuses its buffer and passes
// on a value that is in an interface already.
func BenchmarkAppendOrder(b *testing.B) {
	binding := bindingOf(b, reflect.TypeFor[benchOrder]())
	var o benchOrder
	err := binding.Decode(benchPayload(b, "order"), &o)
	var v any = o
	var dst []byte
	b.ReportAllocs()
	for b.Loop() && err == nil {
		dst, err = binding.Append(dst[:0], v)
	}
	if err != nil {
		b.Fatal(err)
	}
}
