package delayed

import (
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Go sees what Java and Go offered, in the order in which it falls due.
func TestCountsAndPending(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	ctx := t.Context()
	if got := queuetest.Must[QueueCounts](t)(Counts(ctx, rdb, k)); got.NextDueMs != -1 || got.Delayed != 0 || got.NowUs == 0 {
		t.Errorf("empty: %+v", got)
	}
	now := queuetest.NowMs(t, rdb)
	universal := wire.NewIDs().Next()
	queuetest.Put(t, rdb, k, now+3_600_000, queuetest.JavaNew([]byte("abcdefgh"), []byte("new")))
	queuetest.Put(t, rdb, k, now-10, queuetest.JavaOld(-1234567890123456789, []byte("old")))
	queuetest.Put(t, rdb, k, now+7_200_000, wire.Pack(universal, []byte("go")))
	queuetest.Put(t, rdb, k, "1e17", []byte("garbage"))
	rdb.RPush(ctx, k.Pending, "ghost")
	rdb.RPush(ctx, k.Queue, "a", "b")
	rdb.XAdd(ctx, &redis.XAddArgs{Stream: k.Dead, Values: []string{"body", "x"}})
	rdb.ZAdd(ctx, k.Sessions, redis.Z{Score: 1, Member: "s"})
	got := queuetest.Must[QueueCounts](t)(Counts(ctx, rdb, k))
	got.NowUs = 0
	if got.Lag.Ms < 10 || got.Lag.Ms > 60_000 {
		t.Errorf("lag %+v", got.Lag)
	}
	if got.OverdueLag.Ms < 10 || got.OverdueLag.AtLeast || got.ReadyLag.Ms > got.Lag.Ms || !got.ReadyLag.AtLeast {
		t.Errorf("overdue %+v, ready %+v", got.OverdueLag, got.ReadyLag)
	}
	got.Lag.Ms, got.OverdueLag, got.ReadyLag = 10, Lag{}, Lag{}
	want := QueueCounts{Ready: 2, Delayed: 4, Overdue: 1, View: 5, Sessions: 1, Dead: 1, NextDueMs: now - 10, EndedMs: 1, Lag: Lag{Ms: 10, AtLeast: true}}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}

	list := queuetest.Must[[]PendingMessage](t)(Pending(ctx, rdb, k, 0, 10, false))
	if len(list) != 4 {
		t.Fatalf("%d pending", len(list))
	}
	for i, payload := range []string{"old", "new", "go"} {
		if string(list[i].Payload) != payload || list[i].Err != nil || list[i].Text == "" {
			t.Errorf("%d: %+v", i, list[i])
		}
	}
	if list[0].DueMs != now-10 || list[2].ID != universal || list[1].ID.Kind != wire.KindJava {
		t.Errorf("got %+v", list)
	}
	var m *wire.MalformedError
	if !errors.As(list[3].Err, &m) || list[3].DueMs != -1 || string(list[3].Element) != "garbage" || list[3].Payload != nil {
		t.Errorf("garbage: %+v", list[3])
	}
	if page := queuetest.Must[[]PendingMessage](t)(Pending(ctx, rdb, k, 1, 1, false)); len(page) != 1 || string(page[0].Payload) != "new" {
		t.Errorf("page: %+v", page)
	}
	if page, err := Pending(ctx, rdb, k, 0, 0, false); page != nil || err != nil {
		t.Errorf("no page: %v %v", page, err)
	}
	rdb.Set(ctx, k.Timeout, "a string", 0)
	var wrong *fault.WrongTypeError
	if _, err := Pending(ctx, rdb, k, 0, 1, false); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
	if _, err := Pending(t.Context(), lab.Connect(t, "127.0.0.1:1"), queuetest.NewQueue(), 0, 1, false); !rediserr.IsTransient(err) {
		t.Errorf("got %v", err)
	}
}
