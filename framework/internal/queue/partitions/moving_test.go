package partitions

import (
	"context"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// A message that fails between the two reads of Counts is counted: its queue is not empty.
func TestCountsWhileAMessageFails(t *testing.T) {
	t.Parallel()
	keys := newQueue(t, 1)
	rdb, other := lab.Connect(t, lab.Shared.Addr()), lab.Shared.Client()
	if err := other.RPush(t.Context(), keys[0].Queue, "a").Err(); err != nil {
		t.Fatal(err)
	}
	s, err := lease.New(other, other, keys[0], lease.Options{})
	if err != nil {
		t.Fatal(err)
	}
	batch, err := s.Take(t.Context(), 1, nil)
	if err != nil || len(batch.Messages) != 1 {
		t.Fatal(batch, err)
	}
	failed := false
	rdb.AddHook(queuetest.EachTrip(func(ctx context.Context, cmds []redis.Cmder) {
		reads := slices.ContainsFunc(cmds, func(c redis.Cmder) bool { return c.Name() == "zrange" })
		if failed || !reads {
			return
		}
		failed = true
		if _, err := s.Nack(ctx, batch.Messages[0].Token, lease.NackArgs{Charge: true}); err != nil {
			t.Error(err)
		}
	}))
	n, err := Counts(t.Context(), rdb, keys)
	if err != nil || !failed {
		t.Fatal(failed, err)
	}
	if n.Delayed+n.Ready+n.InFlight == 0 {
		t.Error("one message is there, none is counted")
	}
}
