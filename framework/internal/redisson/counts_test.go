package redisson

import (
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// Go sees what Java and Go offered, in the order in which it falls due.
func TestCountsAndPending(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k := newQueue()
		ctx := t.Context()
		if got := must[QueueCounts](t)(Counts(ctx, s.rdb, k)); got.NextDueMs != -1 || got.Delayed != 0 || got.NowUs == 0 {
			t.Errorf("empty: %+v", got)
		}
		now := nowMs(t, s.rdb)
		universal := NewIDs().Next()
		put(t, s.rdb, k, now+3_600_000, javaNew([]byte("abcdefgh"), []byte("new")))
		put(t, s.rdb, k, now-10, javaOld(-1234567890123456789, []byte("old")))
		put(t, s.rdb, k, now+7_200_000, Pack(universal, []byte("go")))
		put(t, s.rdb, k, "1e17", []byte("garbage"))
		s.rdb.RPush(ctx, k.Pending, "ghost")
		s.rdb.RPush(ctx, k.Queue, "a", "b")
		s.rdb.XAdd(ctx, &redis.XAddArgs{Stream: k.Dead, Values: []string{"body", "x"}})
		s.rdb.ZAdd(ctx, k.Sessions, redis.Z{Score: 1, Member: "s"})
		got := must[QueueCounts](t)(Counts(ctx, s.rdb, k))
		got.NowUs = 0
		want := QueueCounts{Ready: 2, Delayed: 4, Overdue: 1, View: 5, Sessions: 1, Dead: 1, NextDueMs: now - 10}
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}

		list := must[[]PendingMessage](t)(Pending(ctx, s.rdb, k, 0, 10, false))
		if len(list) != 4 {
			t.Fatalf("%d pending", len(list))
		}
		for i, payload := range []string{"old", "new", "go"} {
			if string(list[i].Payload) != payload || list[i].Err != nil || list[i].Text == "" {
				t.Errorf("%d: %+v", i, list[i])
			}
		}
		if list[0].DueMs != now-10 || list[2].ID != universal || list[1].ID.Kind != KindJava {
			t.Errorf("got %+v", list)
		}
		var m *MalformedError
		if !errors.As(list[3].Err, &m) || list[3].DueMs != -1 || string(list[3].Element) != "garbage" || list[3].Payload != nil {
			t.Errorf("garbage: %+v", list[3])
		}
		if page := must[[]PendingMessage](t)(Pending(ctx, s.rdb, k, 1, 1, false)); len(page) != 1 || string(page[0].Payload) != "new" {
			t.Errorf("page: %+v", page)
		}
		if page, err := Pending(ctx, s.rdb, k, 0, 0, false); page != nil || err != nil {
			t.Errorf("no page: %v %v", page, err)
		}
		s.rdb.Set(ctx, k.Timeout, "a string", 0)
		var wrong *fault.WrongTypeError
		if _, err := Pending(ctx, s.rdb, k, 0, 1, false); !errors.As(err, &wrong) {
			t.Errorf("got %v", err)
		}
	})
	if _, err := Pending(t.Context(), connect(t, "127.0.0.1:1"), newQueue(), 0, 1, false); !rediserr.IsTransient(err) {
		t.Errorf("got %v", err)
	}
}
