package control

import (
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// A process that may not write to the keys of one queue says so in those of its other queues, soon, and
// until it may again.
func TestARefusedQueueIsToldInTheOthers(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	root, ctx := srv.Client(), t.Context()
	kept, lost := queuetest.NewQueue(), queuetest.NewQueue()
	allow := func(rules ...any) {
		t.Helper()
		if err := root.Do(ctx, append([]any{"ACL", "SETUSER", "svc", "on", ">pw", "+@all", "resetkeys"}, rules...)...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	allow("~" + kept.Processes)
	rdb := srv.NewClient(func(o *redis.Options) { o.Username, o.Password = "svc", "pw" })
	tell := func() Record { return Record{User: "svc"} }
	a := NewAnnouncer(rdb, []AnnouncedQueue{{Keys: lost, Tell: tell}, {Keys: kept, Tell: tell}}, time.Second, quiet)
	a.Start(ctx)
	t.Cleanup(func() { a.Close(ctx) })
	refused := func(k wire.Keys) []Refusal {
		all := queuetest.Must[[]Process](t)(ReadProcesses(ctx, root, k))
		if len(all) != 1 {
			return []Refusal{{Key: "no process"}}
		}
		return all[0].Refused
	}
	lab.WaitFor(t, "the other queue to tell", func() bool {
		return slices.Equal(refused(kept), []Refusal{{Key: lost.Processes}})
	})
	allow("~"+kept.Processes, "~"+lost.Processes)
	lab.WaitFor(t, "both to be told again", func() bool { return len(refused(kept))+len(refused(lost)) == 0 })
}
