package tracking

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// Whatever happens, a queue that rests while its list has messages is woken.
func TestNoRestBesideMessages(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		queuetest.Must[string](t)(rdb.FlushAll(ctx).Result())
		tracker := New(t.Context(), rdb, Options{Name: "property", Poll: 20 * time.Millisecond, PingTimeout: 200 * time.Millisecond})
		defer func() { _ = tracker.Stop(context.WithoutCancel(ctx)) }()
		lists := make([]*watched, 3)
		rests, before := make([]bool, 3), make([]int64, 3)
		for i := range lists {
			lists[i] = tracker.watched(fmt.Sprint("list", i))
		}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			i := rapid.IntRange(0, len(lists)-1).Draw(rt, "list")
			l := lists[i]
			switch rapid.SampledFrom([]string{"push", "push", "pop", "rest", "rest", "rest", "took", "kill", "flush"}).Draw(rt, "step") {
			case "push":
				rdb.RPush(ctx, l.key, "x")
			case "pop": // by another process
				rdb.LPop(ctx, l.key)
			case "rest":
				l.Awake()
				rests[i], before[i] = true, l.woken.Load()
				l.Rest(rapid.Bool().Draw(rt, "got"))
			case "took": // while it is awake
				l.Awake()
				rests[i] = false
				sent := time.Now()
				if rdb.LPop(ctx, l.key).Err() == nil {
					l.Took(sent)
				}
			case "kill":
				for _, id := range clientIDs(t, rdb, "property") {
					rdb.ClientKillByFilter(ctx, "ID", id)
				}
			case "flush":
				rdb.FlushAll(ctx)
			}
			for i, l := range lists {
				if !rests[i] || rdb.LLen(ctx, l.key).Val() == 0 {
					continue
				}
				lab.WaitFor(t, "news of "+l.key, func() bool { return l.woken.Load() > before[i] })
			}
		}
	})
}

func clientIDs(t *testing.T, rdb *redis.Client, name string) []string {
	t.Helper()
	var ids []string
	for _, c := range clients(t, rdb) {
		if c["name"] == name {
			ids = append(ids, c["id"])
		}
	}
	return ids
}
