package redisson

import (
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// BenchmarkTransfer reports µs of Redis per message, as the script measures it.
func BenchmarkTransfer(b *testing.B) {
	rdb := connect(b, realServer.Addr())
	for _, size := range []int{65, 1000} {
		for _, track := range []bool{true, false} {
			for _, limit := range []int{1, 100, 1000} {
				b.Run(fmt.Sprintf("bytes=%d/due=%v/limit=%d", size, track, limit), func(b *testing.B) {
					var spent time.Duration
					moved := 0
					for range b.N {
						b.StopTimer()
						k := newQueue()
						fillDue(b, rdb, k, limit, size)
						b.StartTimer()
						r := must[TransferResult](b)(Transfer(b.Context(), rdb, k, TransferArgs{Limit: limit, NoDueTracking: !track}))
						spent, moved = spent+r.ServerTime, moved+r.Moved
						b.StopTimer()
						rdb.Del(b.Context(), k.all()...)
						b.StartTimer()
					}
					b.ReportMetric(float64(spent.Microseconds())/float64(moved), "redis-µs/msg")
				})
			}
		}
	}
}

// fillDue makes n messages due, each with a payload of its own.
func fillDue(b *testing.B, rdb *redis.Client, k Keys, n, size int) {
	b.Helper()
	ids := NewIDs()
	pipe := rdb.Pipeline()
	for i := range n {
		element := Pack(ids.Next(), fmt.Appendf(nil, "%0*d", size, i))
		pipe.ZAdd(b.Context(), k.Timeout, redis.Z{Score: 1700000000000, Member: element})
		pipe.RPush(b.Context(), k.Pending, element)
	}
	must[[]redis.Cmder](b)(pipe.Exec(b.Context()))
}
