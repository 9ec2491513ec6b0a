package kryo5

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
)

// Every benchmark has a twin of encoding/json on the same data. The payloads are
// those that integration/java measures on the JVM.

func benchTyped[T any](b *testing.B) codecs.Typed[T] {
	b.Helper()
	typed, err := codecs.For[T](New(), codecs.BindOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return typed
}

func benchDecode[T any](b *testing.B, payload []byte) {
	b.Helper()
	typed := benchTyped[T](b)
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
	typed := benchTyped[T](b)
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

// benchJSON measures encoding/json on v, in the direction that decode says.
func benchJSON[T any](b *testing.B, v T, decode bool) {
	b.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if !decode {
			_, err = json.Marshal(v)
		} else {
			var out T
			err = json.Unmarshal(text, &out)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// benchValue returns the value of a payload.
func benchValue[T any](b *testing.B, payload []byte) T {
	b.Helper()
	v, err := benchTyped[T](b).Decode(payload)
	if err != nil {
		b.Fatal(err)
	}
	return v
}

// jsonOrder is benchOrder for encoding/json, which has no decimals.
type jsonOrder struct {
	ID       string    `json:"orderId"`
	Customer string    `json:"customer"`
	Remark   string    `json:"remark"`
	Cents    int64     `json:"amountCents"`
	Quantity int32     `json:"quantity"`
	Discount *int32    `json:"discount"`
	Paid     bool      `json:"paid"`
	Created  time.Time `json:"createdAt"`
	Total    float64   `json:"total"`
	Tags     []string  `json:"tags"`
}

func jsonOrderOf(b *testing.B) jsonOrder {
	b.Helper()
	o := benchValue[benchOrder](b, benchPayload(b, "order"))
	return jsonOrder{o.ID, o.Customer, o.Remark, o.Cents, o.Quantity, o.Discount, o.Paid, o.Created, 1299.00, o.Tags}
}

// remarkStruct is the payload map as a struct without a Java class.
type remarkStruct struct {
	ID     string `java:"orderId" json:"orderId"`
	Remark string `java:"remark" json:"remark"`
}

func BenchmarkDecodeOrder(b *testing.B)     { benchDecode[benchOrder](b, benchPayload(b, "order")) }
func BenchmarkDecodeOrderJSON(b *testing.B) { benchJSON(b, jsonOrderOf(b), true) }
func BenchmarkEncodeOrder(b *testing.B)     { benchEncode[benchOrder](b, benchPayload(b, "order")) }
func BenchmarkEncodeOrderJSON(b *testing.B) { benchJSON(b, jsonOrderOf(b), false) }

// BenchmarkAppendOrder is what a producer pays that reuses its buffer and passes
// on a value that is in an interface already.
func BenchmarkAppendOrder(b *testing.B) {
	binding, err := New().Bind(reflect.TypeFor[benchOrder](), codecs.BindOptions{})
	if err != nil {
		b.Fatal(err)
	}
	var v any = benchValue[benchOrder](b, benchPayload(b, "order"))
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		if dst, err = binding.Append(dst[:0], v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeMap(b *testing.B) { benchDecode[map[string]any](b, benchPayload(b, "map")) }

func BenchmarkDecodeMapText(b *testing.B)   { benchDecode[map[string]string](b, benchPayload(b, "map")) }
func BenchmarkDecodeMapStruct(b *testing.B) { benchDecode[remarkStruct](b, benchPayload(b, "map")) }
func BenchmarkDecodeMapAny(b *testing.B)    { benchDecode[any](b, benchPayload(b, "map")) }

func BenchmarkDecodeMapJSON(b *testing.B) {
	benchJSON(b, benchValue[map[string]any](b, benchPayload(b, "map")), true)
}

func BenchmarkEncodeMap(b *testing.B) { benchEncode[map[string]any](b, benchPayload(b, "map")) }

func BenchmarkEncodeMapText(b *testing.B)   { benchEncode[map[string]string](b, benchPayload(b, "map")) }
func BenchmarkEncodeMapStruct(b *testing.B) { benchEncode[remarkStruct](b, benchPayload(b, "map")) }

func BenchmarkEncodeMapJSON(b *testing.B) {
	benchJSON(b, benchValue[map[string]any](b, benchPayload(b, "map")), false)
}

func BenchmarkDecodeStrings100(b *testing.B) { benchDecode[[]string](b, benchPayload(b, "strings100")) }

func BenchmarkDecodeStrings100JSON(b *testing.B) {
	benchJSON(b, benchValue[[]string](b, benchPayload(b, "strings100")), true)
}

func BenchmarkEncodeStrings100(b *testing.B) { benchEncode[[]string](b, benchPayload(b, "strings100")) }

func BenchmarkEncodeStrings100JSON(b *testing.B) {
	benchJSON(b, benchValue[[]string](b, benchPayload(b, "strings100")), false)
}

func BenchmarkDecodeNested5(b *testing.B) { benchDecode[map[string]any](b, benchPayload(b, "nested5")) }

func BenchmarkDecodeNested5JSON(b *testing.B) {
	benchJSON(b, benchValue[map[string]any](b, benchPayload(b, "nested5")), true)
}

func BenchmarkEncodeNested5(b *testing.B) { benchEncode[map[string]any](b, benchPayload(b, "nested5")) }

func BenchmarkEncodeNested5JSON(b *testing.B) {
	benchJSON(b, benchValue[map[string]any](b, benchPayload(b, "nested5")), false)
}

func BenchmarkDecodeString(b *testing.B) { benchDecode[string](b, []byte("\x03order-000000010\xb0")) }

func BenchmarkEncodeString(b *testing.B) { benchEncode[string](b, []byte("\x03order-000000010\xb0")) }
