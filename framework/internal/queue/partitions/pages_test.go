package partitions

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Whoever reads page by page meets what stays exactly once and in order, whatever comes and goes
// meanwhile, with many messages that are due at the same time, never, or at part of a millisecond.
func TestPagesFromAPlace(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	ids := wire.NewIDs()
	rapid.Check(t, func(rt *rapid.T) {
		keys := newQueue(rt, rapid.IntRange(1, 4).Draw(rt, "n"))
		scores := rapid.SampledFrom([]float64{-5, 0, 1_700_000_000_000, 1_700_000_000_000.25, 1_700_000_000_001, math.Inf(1)})
		var all []string
		where := map[string]int{} // those that stay, by their partitions
		add := func() string {
			i := rapid.IntRange(0, len(keys)-1).Draw(rt, "partition")
			element := wire.Pack(ids.Next(), []byte(strings.Repeat("x", rapid.SampledFrom([]int{1, 40, 100}).Draw(rt, "bytes"))))
			if err := rdb.ZAdd(t.Context(), keys[i].Timeout, redis.Z{Score: scores.Draw(rt, "score"), Member: element}).Err(); err != nil {
				rt.Fatal(err)
			}
			all, where[string(element)] = append(all, string(element)), i
			return string(element)
		}
		for range rapid.IntRange(0, 30).Draw(rt, "before") {
			add()
		}
		limit, met := int64(rapid.IntRange(1, 7).Draw(rt, "limit")), map[string]int{}
		var place PendingPlace
		var last Pending
		for pages := 0; ; pages++ {
			page, err := PagePendingFrom(t.Context(), rdb, keys, place, limit, delayed.Whole, true)
			if err != nil || pages > 50 {
				rt.Fatalf("page %d: %v", pages, err)
			}
			for i, m := range page {
				if (pages > 0 || i > 0) && (m.Score < last.Score || m.Score == last.Score && m.Partition < last.Partition) {
					rt.Fatalf("%v in %d after %v in %d", m.Score, m.Partition, last.Score, last.Partition)
				}
				last = m
				if met[string(m.Element)]++; met[string(m.Element)] > 1 {
					rt.Fatalf("%v in %d is met again", m.Score, m.Partition)
				}
			}
			if len(page) == 0 {
				break
			}
			place = last.Place()
			if !place.Valid(len(keys)) {
				rt.Fatalf("%+v is not valid", place)
			}
			goes := string(last.Element) // the last, or some other that was not met
			if i := rapid.IntRange(0, 2*len(all)).Draw(rt, "goes"); i < len(all) && met[all[i]] == 0 {
				goes = all[i]
			} else if i%2 == 0 {
				goes = ""
			}
			rdb.ZRem(t.Context(), keys[where[goes]].Timeout, goes)
			delete(where, goes)
			if rapid.IntRange(0, 3).Draw(rt, "comes") == 0 && pages < 5 {
				delete(where, add()) // it may be met or not
			}
		}
		for element, i := range where {
			if met[element] != 1 {
				rt.Fatalf("%s was met %d times", fmt.Sprintf("%x in %d", element[:12], i), met[element])
			}
		}
	})
}
