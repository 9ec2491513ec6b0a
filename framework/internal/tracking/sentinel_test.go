package tracking

import (
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// After a failover the Sentinels lead to the new master, which tells from then on.
func TestFollowsSentinels(t *testing.T) {
	t.Parallel()
	group := lab.StartSentinel(t)
	rdb := group.Client()
	l := track(t, rdb, Options{}).watched("list")
	l.Rest(false)
	lab.WaitFor(t, "registration", l.quiet)
	group.Master().Kill()
	lab.WaitFor(t, "a push to the new master", func() bool { return rdb.RPush(t.Context(), l.key, "x").Err() == nil })
	lab.WaitFor(t, "news from the new master", func() bool { return l.woken.Load() > 0 })
	l.Awake()
	queuetest.Must[string](t)(rdb.LPop(t.Context(), l.key).Result())
	l.Rest(true)
	lab.WaitFor(t, "registration there", l.quiet)
}
