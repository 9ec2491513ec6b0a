package endtoend_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
)

// TestQueuesAreIndependent: neither an empty first queue, in which the engine waits for an hour,
// nor a handler of it that hangs holds up a second queue.
func TestQueuesAreIndependent(t *testing.T) {
	t.Parallel()
	client := rig.OpenConfig(t, framework.Config{
		Redis: framework.RedisConfig{URL: lab.StartRedis(t).URL()}, Block: time.Hour, Lease: 2 * time.Hour,
	})
	first, second := define(t, "_first"), define(t, "_second")
	hanging, release := make(chan struct{}), make(chan struct{})
	hang := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		close(hanging)
		<-release // also past the end of its context: it hangs
		return nil
	})
	var collector rig.Collector[string]
	rig.Run(t, client,
		framework.Consume(first, hang, framework.Workers(1)),
		framework.Consume(second, &collector))

	comes := func() {
		t.Helper()
		before := collector.Count()
		const each = 20
		for i := range each {
			rig.Offer(t, client, second, fmt.Sprint(i), time.Duration(i)*20*time.Millisecond)
		}
		collector.Await(t, before+each)
	}
	comes()
	rig.Offer(t, client, first, "stuck", 0)
	<-hanging
	defer close(release)
	comes()
}
