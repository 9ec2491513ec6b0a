package delayed

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// BenchmarkTransfer reports µs of Redis per message, as the script measures it.
func BenchmarkTransfer(b *testing.B) {
	rdb := lab.Connect(b, lab.Shared.Addr())
	for _, size := range []int{65, 1000} {
		for _, track := range []bool{true, false} {
			for _, limit := range []int{1, 100, 1000} {
				b.Run(fmt.Sprintf("bytes=%d/due=%v/limit=%d", size, track, limit), func(b *testing.B) {
					var spent time.Duration
					moved := 0
					for range b.N {
						b.StopTimer()
						k := queuetest.NewQueue()
						fillDue(b, rdb, k, limit, size)
						b.StartTimer()
						r := queuetest.Must[TransferResult](b)(Transfer(b.Context(), rdb, k, TransferArgs{Limit: limit, NoDueTracking: !track}))
						spent, moved = spent+r.ServerTime, moved+r.Moved
						b.StopTimer()
						rdb.Del(b.Context(), k.All()...)
						b.StartTimer()
					}
					b.ReportMetric(float64(spent.Microseconds())/float64(moved), "redis-µs/msg")
				})
			}
		}
	}
}

// fillDue makes n messages due, each with a payload of its own.
func fillDue(b *testing.B, rdb *redis.Client, k wire.Keys, n, size int) {
	b.Helper()
	ids := wire.NewIDs()
	pipe := rdb.Pipeline()
	for i := range n {
		element := wire.Pack(ids.Next(), fmt.Appendf(nil, "%0*d", size, i))
		pipe.ZAdd(b.Context(), k.Timeout, redis.Z{Score: 1700000000000, Member: element})
		pipe.RPush(b.Context(), k.Pending, element)
	}
	queuetest.Must[[]redis.Cmder](b)(pipe.Exec(b.Context()))
}

// BenchmarkTransferAmongMany reports µs of Redis per message where very many are
// pending in the random order that random delays make, a hundred of them due.
func BenchmarkTransferAmongMany(b *testing.B) {
	rdb := lab.Connect(b, lab.Shared.Addr())
	for _, pending := range []int{10_000, 100_000, 500_000} {
		for view, noView := range map[string]bool{"exact": false, "off": true} {
			b.Run(fmt.Sprintf("pending=%d/view=%s", pending, view), func(b *testing.B) {
				k := queuetest.NewQueue()
				fillShuffled(b, rdb, k, pending)
				var spent time.Duration
				moved := 0
				for b.Loop() {
					// The due time comes nearer by a hundred messages.
					b.StopTimer()
					due := queuetest.Must[[]redis.Z](b)(rdb.ZRangeWithScores(b.Context(), k.Timeout, 0, 99).Result())
					pipe := rdb.Pipeline()
					for i := range due {
						due[i].Score = 1700000000000 + float64(i)
					}
					pipe.ZAdd(b.Context(), k.Timeout, due...)
					queuetest.Must[[]redis.Cmder](b)(pipe.Exec(b.Context()))
					b.StartTimer()
					r := queuetest.Must[TransferResult](b)(Transfer(b.Context(), rdb, k, TransferArgs{NoView: noView}))
					spent, moved = spent+r.ServerTime, moved+r.Moved
				}
				b.ReportMetric(float64(spent.Microseconds())/float64(moved), "redis-µs/msg")
				rdb.Del(b.Context(), k.All()...)
			})
		}
	}
}

// fillShuffled makes n messages pending, far away, whose order in the list is not that
// of their due times.
func fillShuffled(b *testing.B, rdb *redis.Client, k wire.Keys, n int) {
	b.Helper()
	ids := wire.NewIDs()
	random := rand.New(rand.NewPCG(1, 2))
	for from := 0; from < n; from += 10_000 {
		pipe := rdb.Pipeline()
		for i := from; i < min(from+10_000, n); i++ {
			element := wire.Pack(ids.Next(), fmt.Appendf(nil, "%065d", i))
			pipe.ZAdd(b.Context(), k.Timeout, redis.Z{Score: 4e12 + float64(random.IntN(1<<30)), Member: element})
			pipe.RPush(b.Context(), k.Pending, element)
		}
		queuetest.Must[[]redis.Cmder](b)(pipe.Exec(b.Context()))
	}
}

// BenchmarkPass reports what one pass over Java's list costs Redis, with a thousandth of very
// many pending messages due in random order, and its longest script.
func BenchmarkPass(b *testing.B) {
	rdb := lab.Connect(b, lab.Shared.Addr())
	for _, pending := range []int{500_000, 1_000_000} {
		b.Run(fmt.Sprintf("pending=%d", pending), func(b *testing.B) {
			k := queuetest.NewQueue()
			fillShuffled(b, rdb, k, pending)
			var spent, longest time.Duration
			moved, scripts := 0, 0
			for b.Loop() {
				b.StopTimer()
				due := queuetest.Must[[]redis.Z](b)(rdb.ZRangeWithScores(b.Context(), k.Timeout, 0, int64(pending/1000-1+400)).Result())
				for i := range due {
					due[i].Score = 1700000000000 + float64(i)
				}
				queuetest.Must[int64](b)(rdb.ZAdd(b.Context(), k.Timeout, due...).Result())
				b.StartTimer()
				for n := 0; n < pending/1000; scripts++ {
					r := queuetest.Must[TransferResult](b)(Transfer(b.Context(), rdb, k, TransferArgs{Limit: MaxTransferLimit}))
					n += r.Moved
					moved += r.Moved
					spent, longest = spent+r.ServerTime, max(longest, r.ServerTime)
				}
			}
			b.ReportMetric(float64(spent.Milliseconds())/float64(b.N), "redis-ms/pass")
			b.ReportMetric(float64(longest.Microseconds())/1000, "longest-ms")
			b.ReportMetric(float64(moved)/float64(scripts), "msg/script")
		})
	}
}
