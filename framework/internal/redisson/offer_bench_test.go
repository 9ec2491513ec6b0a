package redisson

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkOffer compares one offer with Java's own script over the same client,
// at a queue whose head stays the same.
func BenchmarkOffer(b *testing.B) {
	rdb := connect(b, realServer.Addr())
	payload := []byte(fmt.Sprintf("%065d", 7))
	b.Run("go", func(b *testing.B) {
		k := newQueue()
		must[OfferResult](b)(Offer(b.Context(), rdb, k, OfferArgs{Payload: payload, Delay: time.Minute}))
		for b.Loop() {
			if _, err := Offer(b.Context(), rdb, k, OfferArgs{Payload: payload, Delay: time.Hour}); err != nil {
				b.Fatal(err)
			}
		}
		rdb.Del(b.Context(), k.All()...)
	})
	b.Run("java's script", func(b *testing.B) {
		k, script := newQueue(), javaOffer(formatNew, "string.len(ARGV[2]), ARGV[2]")
		ids := NewIDs()
		due := time.Now().Add(time.Hour).UnixMilli()
		must[any](b)(script.Run(b.Context(), rdb, javaKeys(k), due-1000, "12345678", payload))
		for b.Loop() {
			id := ids.Next()
			if _, err := script.Run(b.Context(), rdb, javaKeys(k), due, id.Raw[:], payload); err != nil {
				b.Fatal(err)
			}
		}
		rdb.Del(b.Context(), k.All()...)
	})
}
