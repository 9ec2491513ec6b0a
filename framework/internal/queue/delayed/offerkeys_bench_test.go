package delayed

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// BenchmarkOfferKeys reports for how long a script of 200 offers with keys holds Redis at
// most, where the keys are free and where they are taken, in a queue of many messages. It may
// be 10 ms.
func BenchmarkOfferKeys(b *testing.B) {
	srv := lab.StartRedis(b)
	rdb := srv.Client()
	queuetest.Must[string](b)(rdb.ConfigSet(b.Context(), "slowlog-log-slower-than", "100").Result())
	queuetest.Must[string](b)(rdb.ConfigSet(b.Context(), "slowlog-max-len", "1000").Result())
	for _, pending := range []int{0, 10_000} {
		k := queuetest.NewQueue()
		allOf(b, rdb, k, pending)
		offerKeys(b, rdb, k, 0, DedupKeep) // the script is known, and the keys are taken
		for _, name := range []string{"free", "keep", "extend", "replace"} {
			b.Run(fmt.Sprintf("pending=%d/%s", pending, name), func(b *testing.B) {
				least := time.Hour // of several rounds: the machine may be busy with other things
				for i := range b.N {
					first := 0
					if name == "free" {
						first = allItems * (i + 1)
					}
					least = min(least, offerKeys(b, rdb, k, first, DedupPolicy(max(slices.Index(dedupNames[:], name), 0))))
				}
				b.ReportMetric(float64(least.Microseconds())/1e3, "redis-ms/script")
			})
		}
	}
}

// offerKeys offers 200 messages, with keys from first on, and returns how long the longest script took.
func offerKeys(b *testing.B, rdb *redis.Client, k wire.Keys, first int, policy DedupPolicy) (longest time.Duration) {
	b.Helper()
	rdb.Do(b.Context(), "slowlog", "reset")
	OfferAll(b.Context(), rdb, k, numbered(allItems, func(i int) OfferArgs {
		return OfferArgs{Delay: time.Hour, Dedup: Dedup{Key: fmt.Sprint(first + i), Policy: policy}}
	}), func(_ int, _ OfferResult, err error) {
		if err != nil {
			b.Fatal(err)
		}
	})
	for _, e := range rdb.SlowLogGet(b.Context(), 1000).Val() {
		if strings.HasPrefix(strings.ToLower(e.Args[0]), "eval") {
			longest = max(longest, e.Duration)
		}
	}
	return longest
}
