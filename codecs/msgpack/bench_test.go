package msgpack

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	lib "github.com/vmihailenco/msgpack/v5"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// benchPayload returns a payload of testdata/bench.
func benchPayload(tb testing.TB, name string) []byte {
	tb.Helper()
	raw, err := os.ReadFile("testdata/bench/" + name + ".hex")
	if err != nil {
		tb.Fatal(err)
	}
	payload, err := hex.DecodeString(strings.TrimSpace(string(raw)))
	if err != nil {
		tb.Fatal(err)
	}
	return payload
}

// plainOrder is the order bean as the bare library takes it: the wrappers of Java's
// classes are slices there.
type plainOrder struct {
	Class       string `msgpack:"@class"`
	AmountCents int64  `msgpack:"amountCents"`
	CreatedAt   []any  `msgpack:"createdAt"`
	Customer    string `msgpack:"customer"`
	Discount    *int32 `msgpack:"discount"`
	OrderID     string `msgpack:"orderId"`
	Paid        bool   `msgpack:"paid"`
	Quantity    int32  `msgpack:"quantity"`
	Remark      string `msgpack:"remark"`
	Tags        []any  `msgpack:"tags"`
	Total       []any  `msgpack:"total"`
}

// BenchmarkTokenize measures the pass and the library's tokens together, beside what
// the bare library takes for the same payload.
func BenchmarkTokenize(b *testing.B) {
	lim := token.Structure(codecs.Limits{}.WithDefaults())
	rules := &databind.Rules{Jackson: 2, Types: true, Release: option.Release{4, 7, 0}}
	for _, name := range []string{"order", "map", "nested5", "strings100"} {
		payload := benchPayload(b, name)
		b.Run(name, func(b *testing.B) {
			var builder token.Builder
			var tape token.Tape
			b.ReportAllocs()
			b.SetBytes(int64(len(payload)))
			for b.Loop() {
				if err := tokenize(&builder, &tape, payload, lim, rules); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	payload := benchPayload(b, "order")
	b.Run("order, bare library", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(payload)))
		for b.Loop() {
			var o plainOrder
			if err := lib.Unmarshal(payload, &o); err != nil {
				b.Fatal(err)
			}
		}
	})
}
