package delayed

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// BenchmarkCancelTogether says what it would bring to let cancels of 64 callers go together, as
// offers do: each alone, and all in one pipeline.
func BenchmarkCancelTogether(b *testing.B) {
	const callers = 64
	rdb := lab.Connect(b, lab.Shared.Addr())
	for _, together := range []bool{false, true} {
		b.Run(map[bool]string{false: "alone", true: "pipeline"}[together], func(b *testing.B) {
			k := queuetest.NewQueue()
			calls := make([]script.Call, 0, b.N)
			for _, o := range allOf(b, rdb, k, b.N) {
				args := ChangeArgs{DueMs: o.result.DueMs, ID: o.result.ID}
				due, name := args.name()
				calls = append(calls, script.Call{Script: cancelScript, Keys: changeKeys(k, k.Pending), Args: []any{due, name, "1"}})
			}
			before := processorOf(b, rdb)
			b.ResetTimer()
			if together {
				for len(calls) > 0 {
					n := min(callers, len(calls))
					script.RunAll(b.Context(), rdb, calls[:n])
					calls = calls[n:]
				}
			} else {
				var all sync.WaitGroup
				for c := range callers {
					all.Go(func() {
						for i := c; i < len(calls); i += callers {
							_, _ = calls[i].Script.Run(b.Context(), rdb, calls[i].Keys, calls[i].Args...)
						}
					})
				}
				all.Wait()
			}
			b.StopTimer()
			b.ReportMetric(float64((processorOf(b, rdb)-before).Nanoseconds())/1e3/float64(b.N), "redis-µs/op")
			rdb.Del(b.Context(), k.All()...)
		})
	}
}

// allOf offers n messages in bulk.
func allOf(b *testing.B, rdb *redis.Client, k wire.Keys, n int) (out []outcome) {
	b.Helper()
	OfferAll(b.Context(), rdb, k, numbered(n, func(int) OfferArgs { return OfferArgs{Delay: time.Hour} }), func(i int, r OfferResult, err error) {
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, outcome{i, r, err})
	})
	return out
}

// processorOf is what the main thread of Redis has used.
func processorOf(b *testing.B, rdb *redis.Client) (d time.Duration) {
	b.Helper()
	cpu := queuetest.Must[map[string]map[string]string](b)(rdb.InfoMap(b.Context(), "cpu").Result())["CPU"]
	for _, field := range []string{"used_cpu_user_main_thread", "used_cpu_sys_main_thread"} {
		s := queuetest.Must[float64](b)(strconv.ParseFloat(cpu[field], 64))
		d += time.Duration(s * float64(time.Second))
	}
	return d
}
