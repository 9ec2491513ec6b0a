package protobuf_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/protobuf"
	"github.com/duequeue/duequeue/codecs/protobuf/internal/orderpb"
)

// BenchmarkOrder compares with the library alone.
func BenchmarkOrder(b *testing.B) {
	orders, err := codecs.For[*orderpb.Order](protobuf.New(), codecs.BindOptions{})
	if err != nil {
		b.Fatal(err)
	}
	payload := rows(b)[25].payload
	order, err := orders.Decode(payload)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = orders.Decode(payload)
		}
	})
	b.Run("decode/library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = proto.Unmarshal(payload, new(orderpb.Order))
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = orders.Encode(order)
		}
	})
	b.Run("encode/library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = proto.MarshalOptions{Deterministic: true}.Marshal(order)
		}
	})
}
