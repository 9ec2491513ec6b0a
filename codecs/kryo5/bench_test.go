package kryo5

import (
	"reflect"
	"testing"
)

// benchRow is a type and what Java wrote of it. The first ones are what integration/java measures on the
// JVM.
type benchRow struct {
	name   string
	decode func(*testing.B)
	encode func(*testing.B)
}

func benchOf[T any](name string, payload []byte) benchRow {
	decode := func(b *testing.B) {
		typed := typedOf[T](b, New())
		b.SetBytes(int64(len(payload)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := typed.Decode(payload); err != nil {
				b.Fatal(err)
			}
		}
	}
	encode := func(b *testing.B) {
		typed := typedOf[T](b, New())
		v, err := typed.Decode(payload)
		b.SetBytes(int64(len(payload)))
		b.ReportAllocs()
		for b.Loop() && err == nil {
			_, err = typed.Encode(v)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return benchRow{name, decode, encode}
}

// remarkStruct is the payload map as a struct without a Java class.
type remarkStruct struct {
	ID     string `java:"orderId"`
	Remark string `java:"remark"`
}

func benchRows(b *testing.B) []benchRow {
	b.Helper()
	pairs, nested, typed := benchPayload(b, "map"), benchPayload(b, "nested5"), typedVectors(b)
	return []benchRow{
		benchOf[benchOrder]("Order", benchPayload(b, "order")),
		benchOf[map[string]any]("Map", pairs), benchOf[map[string]string]("MapText", pairs),
		benchOf[remarkStruct]("MapStruct", pairs), benchOf[any]("MapAny", pairs),
		benchOf[[]string]("Strings100", benchPayload(b, "strings100")),
		benchOf[map[string]any]("Nested5", nested), benchOf[any]("NestedAny", nested),
		benchOf[typedLists]("Lists", typed["Lists"]), benchOf[typedMaps]("Maps", typed["Maps"]),
		benchOf[typedGenerics]("Generics", typed["Generics"]),
		benchOf[string]("String", []byte("\x03order-000000010\xb0")),
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, row := range benchRows(b) {
		b.Run(row.name, row.decode)
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, row := range benchRows(b) {
		b.Run(row.name, row.encode)
	}
}

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
