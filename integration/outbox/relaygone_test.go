package outbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/integration/rig/database"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers"
)

// A service writes rows, and no relay runs anywhere: the queue says so, until one does.
func TestAnOutboxWithoutRelayIsSeen(t *testing.T) {
	t.Parallel()
	redis := lab.StartRedis(t)
	s := newStand(t, database.Kinds()["sqlite"](t), redis, "duequeue_outbox")
	quick := rig.OpenConfig(t, framework.Config{Redis: framework.RedisConfig{URL: redis.URL()}, Lease: 2 * time.Second, Block: time.Second})
	rig.Run(t, quick, framework.Consume(s.queue, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })))
	s.must(func(tx outbox.Tx) error { return outbox.Offer(s.Context(), tx, s.queue, "waits", time.Hour) })
	verdict := func() string {
		status, err := admin.StatusOf(t.Context(), s.client, s.queue.Key())
		if err != nil {
			t.Fatal(err)
		}
		return admin.Judge(status[0]).Text()
	}
	lab.WaitFor(t, "the queue to say that no relay runs", func() bool {
		return strings.HasPrefix(verdict(), "outbox: Go processes write messages of this queue into an outbox, and no relay has ever looked for them")
	})
	s.relay()
	lab.WaitFor(t, "the queue to be fine", func() bool { return strings.HasPrefix(verdict(), "fine: ") })
}
