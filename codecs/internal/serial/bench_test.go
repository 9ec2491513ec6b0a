package serial_test

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// Order is the bean of the benchmarks, duequeue.bench.Order of integration/java.
type Order struct {
	OrderID     string          `java:"orderId" json:"orderId"`
	Customer    string          `java:"customer" json:"customer"`
	Remark      string          `java:"remark" json:"remark"`
	AmountCents int64           `java:"amountCents" json:"amountCents"`
	Quantity    int32           `java:"quantity" json:"quantity"`
	Discount    *int32          `java:"discount" json:"discount"`
	Paid        bool            `java:"paid" json:"paid"`
	CreatedAt   time.Time       `java:"createdAt" json:"createdAt"`
	Total       java.BigDecimal `java:"total" json:"total"`
	Tags        []string        `java:"tags" json:"tags"`
}

// JavaClass names the bean.
func (Order) JavaClass() string { return "duequeue.bench.Order serial 1" }

func BenchmarkRiver(b *testing.B)  { river.benchmark(b) }
func BenchmarkJavaIO(b *testing.B) { javaIO.benchmark(b) }

// benchmark measures the order, a map and a list of beans.
func (s *stream) benchmark(b *testing.B) {
	codec, payload := s.New(options{}), s.order(b)
	order := codectest.Must(codectest.Into[Order](b, codec, payload))(b)
	value := codectest.Must(codec.Decode(payload))(b)
	benchmark(b, codec, "Order", order)
	benchmark(b, codec, "Map", map[string]any{"orderId": "100", "remark": "其他信息", "amount": int64(5), "tags": []any{"a", "b"}})
	benchmark(b, codec, "Orders", []*Order{&order, {OrderID: "2"}, {OrderID: "3"}, {OrderID: "4"}})
	measure(b, "DecodeValues", func() error { _, failed := codec.Decode(payload); return failed })
	measure(b, "EncodeValues", func() error { _, failed := codec.Encode(value); return failed })
}

func benchmark[T any](b *testing.B, codec codecs.Codec, label string, v T) {
	b.Helper()
	typed := codectest.Typed[T](b, codec)
	payload := codectest.Must(typed.Encode(v))(b)
	measure(b, "Decode"+label, func() error { _, err := typed.Decode(payload); return err })
	measure(b, "Encode"+label, func() error { _, err := typed.Encode(v); return err })
}

func measure(b *testing.B, label string, once func() error) {
	b.Helper()
	b.Run(label, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := once(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
