package fst

import (
	"encoding/json"
	"testing"
)

func BenchmarkDecodeOrder(b *testing.B) {
	typed, payload := bound[order](b, New()), orderPayload(b)
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

// BenchmarkJSONOrder is encoding/json on the same data.
func BenchmarkJSONOrder(b *testing.B) {
	o, err := bound[order](b, New()).Decode(orderPayload(b))
	if err != nil {
		b.Fatal(err)
	}
	text, err := json.Marshal(o)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var into order
		if err := json.Unmarshal(text, &into); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBind is what a declaration costs.
func BenchmarkBind(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		bound[order](b, New())
	}
}
