package endtoend_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// TestManyQueues: queues beyond those that wait in Redis see what others push, on one server
// and on a cluster, also after each node was restarted, or has closed all connections.
func TestManyQueues(t *testing.T) {
	t.Parallel()
	const queues, waits = 24, 2
	for name, start := range map[string]func(t *testing.T) (framework.RedisConfig, redis.UniversalClient, []*lab.Server){
		"standalone": func(t *testing.T) (framework.RedisConfig, redis.UniversalClient, []*lab.Server) {
			srv := lab.StartRedis(t, lab.AppendOnly())
			return framework.RedisConfig{URL: srv.URL()}, srv.Client(), []*lab.Server{srv}
		},
		"cluster": func(t *testing.T) (framework.RedisConfig, redis.UniversalClient, []*lab.Server) {
			c := lab.StartCluster(t, lab.AppendOnly())
			return framework.RedisConfig{Addrs: c.Addrs(), Mode: framework.ModeCluster}, c.Client(), c.Nodes()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to, rdb, servers := start(t)
			client := rig.OpenConfig(t, framework.Config{Redis: to, BlockingWaits: waits})
			seen := newSeen()
			var consumers []framework.Consumer
			var all []*registry.Queue[string]
			for i := range queues {
				q := define(t, fmt.Sprint("_", i))
				all = append(all, q)
				consumers = append(consumers, framework.Consume(q, handlers.Func[string](seen.handle)))
			}
			rig.Run(t, client, consumers...)
			push := func(round int) {
				for i, q := range all {
					message := fmt.Sprintf("%d of %d", round, i)
					lab.Wait(t, func() string { // a node may just be starting
						if err := rdb.RPush(t.Context(), q.Key(), message).Err(); err != nil {
							return err.Error()
						}
						return ""
					})
					lab.Wait(t, func() string { return seen.missing(message) })
				}
			}
			push(0)
			for _, s := range servers {
				if os.Getenv(rig.EnvACL) == "" {
					s.Restart()
					continue
				}
				for _, kind := range []string{"normal", "pubsub"} { // a restart would forget the user
					if err := s.Client().ClientKillByFilter(t.Context(), "TYPE", kind, "SKIPME", "yes").Err(); err != nil {
						t.Fatal(err)
					}
				}
			}
			push(1)
			push(2)
		})
	}
}

// seen keeps what was handled.
type seen struct {
	mu sync.Mutex
	n  map[string]int
}

func newSeen() *seen { return &seen{n: map[string]int{}} }

func (s *seen) handle(_ context.Context, d *handlers.Delivery[string]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n[d.Payload]++
	return nil
}

func (s *seen) missing(message string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n[message] == 0 {
		return message + " is missing"
	}
	return ""
}
