package endtoend_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// TestWhoOffersTransfersThroughFailover: a service that only offers goes on transferring
// at the new master, for Java that only takes: what was pending when the old one died, and
// what is offered afterwards.
func TestWhoOffersTransfersThroughFailover(t *testing.T) {
	t.Parallel()
	group := lab.StartSentinel(t)
	client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{ // rig's clients do not transfer
		Addrs: group.Addrs(), MasterName: group.MasterName(), Mode: framework.ModeSentinel,
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	q := registry.Define[string](rig.QueueName(t, ""), "offered only", registry.Codec(codecs.String()))
	rdb := group.Client()
	take := func(want string) {
		t.Helper()
		lab.Wait(t, func() string {
			got, err := rdb.LPop(t.Context(), q.Key()).Result()
			if err == nil && got == want {
				return ""
			}
			return fmt.Sprintf("took %q %v, want %q", got, err, want)
		})
	}
	rig.Offer(t, client, q, "before", 0)
	take("before")
	rig.Offer(t, client, q, "meanwhile", 4*time.Second)
	if n, err := rdb.Wait(t.Context(), 1, 10*time.Second).Result(); err != nil || n != 1 {
		t.Fatalf("WAIT = %d, %v", n, err)
	}
	group.Master().Kill()
	take("meanwhile")
	lab.Wait(t, func() string {
		_, err := framework.Bind(client, q).Offer(t.Context(), "after", 0)
		if err != nil {
			return err.Error()
		}
		return ""
	})
	take("after")
}
