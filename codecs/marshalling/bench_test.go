package marshalling

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// benchOrder is the Go twin of duequeue.bench.Order.
type benchOrder struct {
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

func (benchOrder) JavaClass() string { return "duequeue.bench.Order serial 1" }

func benchPayload(tb testing.TB) []byte {
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

// benchTyped returns the bound codec, the order that Java wrote, and its payload.
func benchTyped(tb testing.TB) (codecs.Typed[benchOrder], benchOrder, []byte) {
	tb.Helper()
	typed, err := codecs.For[benchOrder](New(), codecs.BindOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	payload := benchPayload(tb)
	v, err := typed.Decode(payload)
	if err != nil {
		tb.Fatal(err)
	}
	return typed, v, payload
}

// TestBenchOrder holds what the benchmarks measure to what Java wrote.
func TestBenchOrder(t *testing.T) {
	t.Parallel()
	typed, v, payload := benchTyped(t)
	out, err := typed.Encode(v)
	if err != nil || string(out) != string(payload) {
		t.Errorf("encoded %x, %v\nJava wrote %x", out, err, payload)
	}
	b, err := New().Bind(reflect.TypeFor[benchOrder](), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	typedWay := b.(*binding)
	if !typedWay.decodeTyped(typedWay.codec.decoder(payload), new(benchOrder)) {
		t.Error("the typed plan leaves the payload to the other way")
	}
	if _, ok := typedWay.appendTyped(nil, v); !ok {
		t.Error("the typed plan leaves writing to the other way")
	}
}

func BenchmarkDecodeOrder(b *testing.B) {
	typed, _, payload := benchTyped(b)
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := typed.Decode(payload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeOrder(b *testing.B) {
	typed, v, _ := benchTyped(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := typed.Encode(v); err != nil {
			b.Fatal(err)
		}
	}
}

// jsonOrder is the order with types that encoding/json carries.
type jsonOrder struct {
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

func benchJSON(b *testing.B) (jsonOrder, []byte) {
	b.Helper()
	_, v, _ := benchTyped(b)
	o := jsonOrder{v.OrderID, v.Customer, v.Remark, v.AmountCents, v.Quantity, v.Discount, v.Paid, v.CreatedAt, v.Total.String(), v.Tags}
	text, err := json.Marshal(o)
	if err != nil {
		b.Fatal(err)
	}
	return o, text
}

func BenchmarkDecodeOrderJSON(b *testing.B) {
	_, text := benchJSON(b)
	b.ReportAllocs()
	for b.Loop() {
		var o jsonOrder
		if err := json.Unmarshal(text, &o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeOrderJSON(b *testing.B) {
	o, _ := benchJSON(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeValues(b *testing.B) {
	codec, payload := New(), benchPayload(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := codec.Decode(payload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeValues(b *testing.B) {
	codec, payload := New(), benchPayload(b)
	v, err := codec.Decode(payload)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := codec.Encode(v); err != nil {
			b.Fatal(err)
		}
	}
}

var benchMap = map[string]any{"orderId": "100", "remark": "其他信息", "amount": int64(5), "tags": []any{"a", "b"}}

func benchMaps(b *testing.B) (codecs.Typed[map[string]any], []byte) {
	b.Helper()
	typed, err := codecs.For[map[string]any](New(), codecs.BindOptions{})
	if err != nil {
		b.Fatal(err)
	}
	payload, err := typed.Encode(benchMap)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	return typed, payload
}

func BenchmarkDecodeMap(b *testing.B) {
	typed, payload := benchMaps(b)
	for b.Loop() {
		if _, err := typed.Decode(payload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeMap(b *testing.B) {
	typed, _ := benchMaps(b)
	for b.Loop() {
		if _, err := typed.Encode(benchMap); err != nil {
			b.Fatal(err)
		}
	}
}
