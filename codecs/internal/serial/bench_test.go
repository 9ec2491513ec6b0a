package serial_test

import (
	"bytes"
	"encoding/json"
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

// TestOrder holds what the benchmarks measure to what Java wrote.
func TestOrder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *stream) {
		codec, payload := s.New(options{}), s.order(t)
		order, err := codectest.Into[Order](t, codec, payload)
		if err != nil {
			t.Fatal(err)
		}
		if order.OrderID != "A-2024-000123" || order.Customer != "张三" || *order.Discount != 15 || order.CreatedAt.UnixMilli() != 1700000000123 ||
			order.Total.String() != "1299.00" || len(order.Tags) != 2 {
			t.Errorf("%+v", order)
		}
		if out, err := codectest.Typed[Order](t, codec).Encode(order); err != nil || !bytes.Equal(out, payload) {
			t.Errorf("encoded %x, %v\nJava wrote %x", out, err, payload)
		}
	})
}

// plainOrder is the order with types that encoding/json carries.
type plainOrder struct {
	OrderID     string    `json:"orderId"`
	Customer    string    `json:"customer"`
	Remark      string    `json:"remark"`
	AmountCents int64     `json:"amountCents"`
	Quantity    int32     `json:"quantity"`
	Discount    *int32    `json:"discount"`
	Paid        bool      `json:"paid"`
	CreatedAt   time.Time `json:"createdAt"`
	Total       string    `json:"total"`
	Tags        []string  `json:"tags"`
}

func BenchmarkRiver(b *testing.B)  { river.benchmark(b) }
func BenchmarkJavaIO(b *testing.B) { javaIO.benchmark(b) }

// benchmark measures the order, a map, a list of beans, and encoding/json with the same order.
func (s *stream) benchmark(b *testing.B) {
	codec, payload := s.New(options{}), s.order(b)
	order, err := codectest.Into[Order](b, codec, payload)
	if err != nil {
		b.Fatal(err)
	}
	value, err := codec.Decode(payload)
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, codec, "Order", order)
	benchmark(b, codec, "Map", map[string]any{"orderId": "100", "remark": "其他信息", "amount": int64(5), "tags": []any{"a", "b"}})
	benchmark(b, codec, "Orders", []*Order{&order, {OrderID: "2"}, {OrderID: "3"}, {OrderID: "4"}})
	measure(b, "DecodeValues", func() error { _, failed := codec.Decode(payload); return failed })
	measure(b, "EncodeValues", func() error { _, failed := codec.Encode(value); return failed })

	plain := plainOrder{order.OrderID, order.Customer, order.Remark, order.AmountCents, order.Quantity, order.Discount, order.Paid, order.CreatedAt, order.Total.String(), order.Tags}
	text, err := json.Marshal(plain)
	if err != nil {
		b.Fatal(err)
	}
	measure(b, "DecodeOrderJSON", func() error { return json.Unmarshal(text, new(plainOrder)) })
	measure(b, "EncodeOrderJSON", func() error { _, err := json.Marshal(plain); return err })
}

func benchmark[T any](b *testing.B, codec codecs.Codec, label string, v T) {
	b.Helper()
	typed := codectest.Typed[T](b, codec)
	payload, err := typed.Encode(v)
	if err != nil {
		b.Fatal(err)
	}
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
