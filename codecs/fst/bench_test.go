package fst

import (
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

func BenchmarkDecodeOrder(b *testing.B) {
	typed, payload := codectest.Typed[order](b, New()), orderPayload(b)
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := typed.Decode(payload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeOrderValue(b *testing.B) {
	desc := bean("duequeue.bench.Order", "", "java.lang.String orderId, java.lang.String customer, java.lang.String remark, "+
		"long amountCents, int quantity, java.lang.Integer discount, boolean paid, java.util.Date createdAt, "+
		"java.math.BigDecimal total, java.util.List tags")
	codec, payload := New(Classes(set(b, desc))), orderPayload(b)
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := codec.Decode(payload); err != nil {
			b.Fatal(err)
		}
	}
}
