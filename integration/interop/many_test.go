package interop_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
)

// manyQueues: a Go process with more queues than may wait in Redis sees what Java offers to
// each of them.
func manyQueues(t testing.TB, b *bench) {
	const queues, each, spread = 20, 20, time.Second
	client := rig.OpenConfig(t, framework.Config{Redis: framework.RedisConfig{URL: b.srv.URL()}, BlockingWaits: 2})
	var mu sync.Mutex
	seen := map[string]int{}
	handle := func(_ context.Context, d *handlers.Delivery[string]) error {
		mu.Lock()
		defer mu.Unlock()
		seen[d.Payload]++
		return nil
	}
	var consumers []framework.Consumer
	service := b.jvm.Open(t, b.srv.URL())
	var offer []func()
	for i := range queues {
		queue := define[string](t, fmt.Sprint("many", i), b.codec)
		consumers = append(consumers, framework.Consume(queue, handlers.Func[string](handle)))
		java := service.Queue(t, b.java, queue.Key())
		java.Hold(t)
		offer = append(offer, func() { java.OfferMany(t, fmt.Sprint("java", i), each, spread, i) })
	}
	rig.Run(t, client, consumers...)
	for _, f := range offer {
		f()
	}
	lab.Wait(t, func() string {
		mu.Lock()
		defer mu.Unlock()
		if len(seen) < queues*each {
			return fmt.Sprintf("%d of %d messages seen", len(seen), queues*each)
		}
		return ""
	})
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s was seen %d times", name, n)
		}
	}
}
