package jackson_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// benchOrder is duequeue.bench.Order, ten fields of mixed types.
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

func (benchOrder) JavaClass() string { return "duequeue.bench.Order" }

// jsonOrder is the same document for encoding/json: the wrapper arrays are the types that
// they are.
type jsonOrder struct {
	Class       string   `json:"@class"`
	OrderID     string   `json:"orderId"`
	Customer    string   `json:"customer"`
	Remark      string   `json:"remark"`
	AmountCents int64    `json:"amountCents"`
	Quantity    int32    `json:"quantity"`
	Discount    *int32   `json:"discount"`
	Paid        bool     `json:"paid"`
	CreatedAt   dateJSON `json:"createdAt"`
	Total       numJSON  `json:"total"`
	Tags        tagsJSON `json:"tags"`
}

type dateJSON [2]any
type numJSON [2]any
type tagsJSON [2]any

func payload(tb testing.TB, codec, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("..", codec, "testdata", "bench", name+".hex"))
	if err != nil {
		tb.Fatal(err)
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func BenchmarkOrder(b *testing.B) {
	raw := payload(b, "jackson", "order")
	typed, err := codecs.For[benchOrder](jackson.JsonJackson(), codecs.BindOptions{})
	if err != nil {
		b.Fatal(err)
	}
	v, err := typed.Decode(raw)
	if err != nil {
		b.Fatal(err)
	}
	if again, err := typed.Encode(v); err != nil || string(again) != string(raw) {
		b.Fatalf("%s\n%s\n%v", raw, again, err)
	}
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := typed.Decode(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := typed.Encode(v); err != nil {
				b.Fatal(err)
			}
		}
	})
	var j jsonOrder
	b.Run("jsondecode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var j jsonOrder
			if err := json.Unmarshal(raw, &j); err != nil {
				b.Fatal(err)
			}
		}
	})
	_ = json.Unmarshal(raw, &j)
	b.Run("jsonencode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(j); err != nil {
				b.Fatal(err)
			}
		}
	})
}
