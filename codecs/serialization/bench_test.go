package serialization

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// benchOrder is the Go twin of duequeue.bench.Order.
type benchOrder struct {
	OrderID     string          `java:"orderId"`
	Customer    string          `java:"customer"`
	Remark      string          `java:"remark"`
	AmountCents int64           `java:"amountCents"`
	Quantity    int32           `java:"quantity"`
	Discount    *int32          `java:"discount"`
	Paid        bool            `java:"paid"`
	CreatedAt   time.Time       `java:"createdAt"`
	Total       java.BigDecimal `java:"total"`
	Tags        []string        `java:"tags"`
}

// JavaClass names the bean that integration/java has.
func (benchOrder) JavaClass() string { return "duequeue.bench.Order serial 1" }

// orderPayload is what ObjectOutputStream writes for the bean.
func orderPayload(tb testing.TB) []byte {
	tb.Helper()
	text, err := os.ReadFile("testdata/bench/order.hex")
	if err != nil {
		tb.Fatal(err)
	}
	payload, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		tb.Fatal(err)
	}
	return payload
}

func bindOrder(tb testing.TB) codecs.Typed[benchOrder] {
	tb.Helper()
	typed, err := codecs.For[benchOrder](New(), codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return typed
}

func BenchmarkDecodeOrder(b *testing.B) {
	payload, typed := orderPayload(b), bindOrder(b)
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := typed.Decode(payload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeOrder(b *testing.B) {
	payload, typed := orderPayload(b), bindOrder(b)
	order, err := typed.Decode(payload)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := typed.Encode(order); err != nil {
			b.Fatal(err)
		}
	}
}

// The same data as JSON, for comparison.

func BenchmarkDecodeOrderJSON(b *testing.B) {
	payload := orderJSON(b)
	b.ReportAllocs()
	for b.Loop() {
		var order benchOrder
		if err := json.Unmarshal(payload, &order); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeOrderJSON(b *testing.B) {
	order, err := bindOrder(b).Decode(orderPayload(b))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(order); err != nil {
			b.Fatal(err)
		}
	}
}

func orderJSON(tb testing.TB) []byte {
	tb.Helper()
	order, err := bindOrder(tb).Decode(orderPayload(tb))
	if err != nil {
		tb.Fatal(err)
	}
	payload, err := json.Marshal(order)
	if err != nil {
		tb.Fatal(err)
	}
	return payload
}

func BenchmarkDecodeOrderValue(b *testing.B) {
	payload, codec := orderPayload(b), New()
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := codec.Decode(payload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeOrderValue(b *testing.B) {
	payload, codec := orderPayload(b), New()
	order, err := codec.Decode(payload)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := codec.Encode(order); err != nil {
			b.Fatal(err)
		}
	}
}
