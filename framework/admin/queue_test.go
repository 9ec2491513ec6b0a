package admin

import (
	"runtime"
	"testing"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// What binds a queue again and again, as a console does, needs no more memory for it.
func TestQueueBoundAgainNeedsNoMoreMemory(t *testing.T) { //nolint:paralleltest // others would use memory at the same time
	srv := lab.StartRedis(t)
	c := opened(t, framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}})
	const times = 2000
	bind := func() uint64 {
		for range times {
			q, err := Queue(t.Context(), c, "orders")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := q.Counts(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, after := bind(), bind()
	if grown := int64(after) - int64(before); grown > 500*times {
		t.Errorf("%d bytes more for each", grown/times)
	}
}
