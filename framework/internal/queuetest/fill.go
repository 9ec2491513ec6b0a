package queuetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

// FillRandom puts n overdue messages into set and list, as Java does with random ids:
// the order of the list is not that of the set. It returns the payloads by due time.
func FillRandom(t testing.TB, rdb *redis.Client, k wire.Keys, n int, due func(i int) int64) []string {
	t.Helper()
	ids := rand.New(rand.NewPCG(7, uint64(n)))
	type one struct {
		due     int64
		payload string
	}
	var made []one
	pipe := rdb.Pipeline()
	for i := range n {
		m := one{due(i), fmt.Sprintf("payload %06d", i)}
		element := JavaNew(fmt.Appendf(nil, "%08x", ids.Uint32()), []byte(m.payload))
		pipe.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(m.due), Member: element})
		pipe.RPush(t.Context(), k.Pending, element)
		made = append(made, m)
	}
	Must[[]redis.Cmder](t)(pipe.Exec(t.Context()))
	slices.SortStableFunc(made, func(a, b one) int { return int(a.due - b.due) })
	out := make([]string, n)
	for i, m := range made {
		out[i] = m.payload
	}
	return out
}
