package compress_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// BenchmarkOrders compresses what an inner codec that only copies gives it: an order as
// Kryo5Codec writes it, and forty of them.
func BenchmarkOrders(b *testing.B) {
	text := codectest.Must(os.ReadFile("../kryo5/testdata/bench/order.hex"))(b)
	order := codectest.FromHex(b, string(text))
	for class, wrap := range byClass {
		for name, raw := range map[string][]byte{"order": order, "orders": bytes.Repeat(order, 40)} {
			typed := codectest.Typed[[]byte](b, wrap(codecs.ByteArray()))
			payload := codectest.Must(typed.Encode(raw))(b)
			b.Run(class+"/"+name+"/encode", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, _ = typed.Encode(raw)
				}
			})
			b.Run(class+"/"+name+"/decode", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, _ = typed.Decode(payload)
				}
			})
		}
	}
}
