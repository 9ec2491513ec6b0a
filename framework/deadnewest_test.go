package framework_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Newest is All backwards, whatever the number of partitions and the bounds.
func TestDeadNewestIsAllBackwards(t *testing.T) {
	t.Parallel()
	b := setup(t)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		name, n := fmt.Sprint("newest ", round), rapid.IntRange(1, 4).Draw(rt, "partitions")
		var entries []string
		for i := range n {
			key := wire.KeysOf(wire.PartitionName(name, i)).Dead
			ms := 1000
			for range rapid.IntRange(0, 30).Draw(rt, "entries") {
				ms += rapid.IntRange(1, 3).Draw(rt, "later")
				id := fmt.Sprintf("%d-0", ms)
				err := b.redis.XAdd(t.Context(), &redis.XAddArgs{Stream: key, ID: id, Values: []any{"body", "x", "reason", rapid.SampledFrom([]string{"rejected", "expired"}).Draw(rt, "reason")}}).Err()
				if err != nil {
					rt.Fatal(err)
				}
				entries = append(entries, wire.InPartition(i, id))
			}
		}
		dead := framework.Bind(b.client, stringQueue(name, registry.Partitions(n))).Dead()
		var f framework.DeadFilter
		if rapid.Bool().Draw(rt, "since") {
			f.Since = time.UnixMilli(int64(1000 + rapid.IntRange(0, 60).Draw(rt, "since ms")))
		}
		if rapid.Bool().Draw(rt, "until") {
			f.Until = time.UnixMilli(int64(1000 + rapid.IntRange(0, 60).Draw(rt, "until ms")))
		}
		if len(entries) > 0 && rapid.Bool().Draw(rt, "after") {
			f.After = rapid.SampledFrom(entries).Draw(rt, "entry")
		}
		if rapid.Bool().Draw(rt, "filtered") {
			f.Reasons = []string{"rejected"}
		}
		var all, newest []string
		for m, err := range dead.All(t.Context(), f) {
			if err != nil {
				rt.Fatal(err)
			}
			all = append(all, m.Entry)
		}
		for m, err := range dead.Newest(t.Context(), f) {
			if err != nil {
				rt.Fatal(err)
			}
			newest = append(newest, m.Entry)
		}
		slices.Reverse(newest)
		if !slices.Equal(all, newest) {
			rt.Fatalf("all %q\nnewest, backwards %q", all, newest)
		}
	})
}
