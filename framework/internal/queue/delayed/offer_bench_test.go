package delayed

import (
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// BenchmarkOffer compares one offer with Java's own script over the same client,
// at a queue whose head stays the same.
func BenchmarkOffer(b *testing.B) {
	rdb := lab.Connect(b, lab.Shared.Addr())
	payload := []byte(fmt.Sprintf("%065d", 7))
	b.Run("go", func(b *testing.B) {
		k, offers := queuetest.NewQueue(), NewOffers(b.Context(), rdb)
		queuetest.Must[OfferResult](b)(offers.Offer(b.Context(), k, OfferArgs{Payload: payload, Delay: time.Minute}))
		for b.Loop() {
			if _, err := offers.Offer(b.Context(), k, OfferArgs{Payload: payload, Delay: time.Hour}); err != nil {
				b.Fatal(err)
			}
		}
		rdb.Del(b.Context(), k.All()...)
	})
	b.Run("java's script", func(b *testing.B) {
		k, script := queuetest.NewQueue(), queuetest.JavaOffer(queuetest.FormatNew, "string.len(ARGV[2]), ARGV[2]")
		ids := wire.NewIDs()
		due := time.Now().Add(time.Hour).UnixMilli()
		queuetest.Must[any](b)(script.Run(b.Context(), rdb, queuetest.JavaKeys(k), due-1000, "12345678", payload))
		for b.Loop() {
			id := ids.Next()
			if _, err := script.Run(b.Context(), rdb, queuetest.JavaKeys(k), due, id.Raw[:], payload); err != nil {
				b.Fatal(err)
			}
		}
		rdb.Del(b.Context(), k.All()...)
	})
}
