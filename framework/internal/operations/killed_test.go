package operations

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/registry"
)

// Wherever a run that gives more time is killed, a run with what it has held goes on and moves none
// twice, whether the messages are due close together, far apart or at one time.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: lab.StartRedis(t).URL()}, NoTransfer: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	const n, more = 8, 15 * time.Minute
	for _, apart := range []time.Duration{0, time.Minute, 10 * time.Minute, 20 * time.Minute} {
		for killed := range n + 1 {
			t.Run(fmt.Sprintf("%v apart, killed after %d", apart, killed), func(t *testing.T) {
				t.Parallel()
				q := framework.Bind(c, registry.Define[[]byte](queuetest.NewQueue().Queue, "", registry.Codec(codecs.ByteArray())))
				due, was := time.Now().Add(time.Hour).Truncate(time.Millisecond), map[framework.ID]time.Time{}
				for i := range n {
					at := due.Add(time.Duration(i) * apart)
					r, err := q.OfferAt(t.Context(), []byte{byte(i)}, at)
					if err != nil {
						t.Fatal(err)
					}
					was[r.ID] = at
				}
				var held Filter
				holds := 0
				run := func(f Filter, most int) {
					ctx, kill := context.WithCancel(t.Context())
					defer kill()
					done := 0
					b := Change{
						Queue: q, Filter: f, Move: Later(more), MoreTime: true,
						Read: func(framework.PendingMessage[[]byte]) (string, any) { return "", nil },
						Hold: func(_ context.Context, left Filter) error { held = left; holds++; return nil },
						Each: func(Message, time.Time, error) {
							if done++; done == most {
								kill()
							}
						},
					}
					if most > 0 {
						_ = b.Run(ctx)
					}
				}
				run(Filter{}, killed)
				run(held, n+1)
				for m, err := range q.Pending().All(t.Context()) {
					if want := was[m.ID].Add(more); err != nil || !m.Due.Equal(want) {
						t.Errorf("%s is due at %v, want %v; %v", m.ID, m.Due, want, err)
					}
				}
				if apart == time.Minute && holds > 3 {
					t.Errorf("%d writes for %d messages", holds, n)
				}
			})
		}
	}
}
