package jackson_test

import (
	"encoding/json"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
)

type payment struct {
	OrderID int64    `java:"orderId" json:"orderId"`
	Remark  string   `java:"remark" json:"remark"`
	Amount  float64  `java:"amount" json:"amount"`
	Tags    []string `java:"tags" json:"tags"`
	Retry   int      `java:"retry" json:"retry"`
}

var sample = payment{100, "其他信息", 12.5, []string{"a", "b"}, 3}

// BenchmarkDecode compares with encoding/json on the same value without classes.
func BenchmarkDecode(b *testing.B) {
	typed, err := codecs.For[payment](jackson.JsonJackson(), codecs.BindOptions{})
	if err != nil {
		b.Fatal(err)
	}
	payload, err := typed.Encode(sample)
	if err != nil {
		b.Fatal(err)
	}
	plain, err := json.Marshal(sample)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("struct", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := typed.Decode(payload); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("java values", func(b *testing.B) {
		b.ReportAllocs()
		c := jackson.JsonJackson()
		for b.Loop() {
			if _, err := c.Decode(payload); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var p payment
			if err := json.Unmarshal(plain, &p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkEncode compares with encoding/json on the same value without classes.
func BenchmarkEncode(b *testing.B) {
	typed, err := codecs.For[payment](jackson.JsonJackson(), codecs.BindOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("struct", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := typed.Encode(sample); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(sample); err != nil {
				b.Fatal(err)
			}
		}
	})
}
