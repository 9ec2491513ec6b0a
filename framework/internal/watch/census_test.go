package watch

import (
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// Processes that only offer take turns, too: each counts who listens.
func TestCountsListeners(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	shared, told := Queue{Keys: queuetest.NewQueue()}, Queue{Keys: queuetest.NewQueue(), Processes: func() int { return 7 }}
	var all []*Watcher
	for range 3 {
		all = append(all, watch(t, rdb, []Queue{shared, told}, Options{}))
	}
	for _, w := range all {
		lab.WaitFor(t, "the subscription", func() bool { return w.Health().Subscribed })
	}
	for _, w := range all {
		w.count(t.Context())
		if n := w.queues[0].processes(); n != 3 {
			t.Errorf("%d processes, want 3", n)
		}
		if n := w.queues[1].processes(); n != 7 {
			t.Errorf("%d processes, want 7", n)
		}
	}
}
