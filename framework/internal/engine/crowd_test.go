package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// crowd is an engine with many queues.
type crowd struct {
	queues []*registry.Queue[string]
	mu     sync.Mutex
	got    map[string]int
}

func (c *crowd) consumers(t *testing.T, n int) (all []Consumer) {
	t.Helper()
	c.got = map[string]int{}
	for i := range n {
		q := registry.Define[string](fmt.Sprintf("%s-%d", queuetest.NewQueue().Queue, i), "one of many", registry.Codec(codecs.String()))
		c.queues = append(c.queues, q)
		all = append(all, consume(q, Policy{}, func(_ context.Context, d *handlers.Delivery[string]) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.got[d.Payload]++
			return nil
		}))
	}
	return all
}

func (c *crowd) has(message string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got[message] == 1
}

// Beyond the seats no queue has a connection or a worker, and each is served.
func TestManyQueues(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	const queues, waits, pool = 60, 3, 4
	client := openFor(t, srv, func(c *Client) {
		c.BlockingWaits = waits
		c.Redis = srv.NewClient(func(o *redis.Options) { o.PoolSize = pool })
	})
	var all crowd
	consumers := all.consumers(t, queues)
	run(t, client, consumers...)
	lab.WaitFor(t, "rest", func() bool { return blocked(t, rdb) == waits })
	for round := range 2 {
		for i, q := range all.queues {
			message := fmt.Sprintf("%d of %d", round, i)
			queuetest.Must[int64](t)(rdb.RPush(t.Context(), q.Code(), message).Result())
			lab.WaitFor(t, "message "+message, func() bool { return all.has(message) })
		}
	}
	lab.WaitFor(t, "rest", func() bool { return blocked(t, rdb) == waits })
	if n := len(strings.Split(strings.TrimSpace(queuetest.Must[string](t)(rdb.ClientList(t.Context()).Result())), "\n")); n > waits+2*pool+4 { // one pool for pipelines; what is announced, what is tracked, and our own
		t.Errorf("%d connections", n)
	}
}

// blocked is how many clients wait in Redis.
func blocked(t *testing.T, rdb *redis.Client) int {
	t.Helper()
	return strings.Count(queuetest.Must[string](t)(rdb.ClientList(t.Context()).Result()), " cmd=blmove ")
}
