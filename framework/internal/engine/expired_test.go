package engine

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// A process that stood still past its lease may run a worker before its keeper has
// fenced: no handler starts then, and the message goes back without a charge.
func TestNoHandlerStartsAfterTheLeaseThoughNobodyHasFenced(t *testing.T) {
	t.Parallel()
	for _, batches := range []bool{false, true} {
		t.Run(fmt.Sprintf("in batches %v", batches), func(t *testing.T) {
			t.Parallel()
			srv := lab.StartRedis(t)
			f := &faultyCodec{
				server: srv, client: openFor(t, srv, func(c *Client) { c.Lease, c.Block = 3*time.Second, time.Second }),
				queue: registry.Define[string]("faulty", "", registry.Codec(codecs.String())), good: make(chan string, 100),
			}
			f.push(t, "a", "b")
			decoded, running := atomic.Int64{}, make(chan *Engine, 1)
			p := Policy{Workers: 1}
			if batches {
				p.BatchSize = 2
			}
			running <- f.start(t, batches, func(body string) error {
				if body != "a" || decoded.Add(1) > 1 {
					return nil
				}
				e := <-running
				h := e.intakes[0].takers[0].sessions.Current()
				e.keeper.Close(t.Context()) // as if it had not run yet
				<-time.After(time.Until(h.LeaseValidUntil()) + time.Millisecond)
				if h.Fenced() {
					t.Error("fenced: nothing was tested")
				}
				return nil
			}, p)
			f.want(t, "a", "b")
			if n := decoded.Load(); n != 2 {
				t.Errorf("decoded %d times: it was handled when the lease was over", n)
			}
			if n := srv.Client().HLen(t.Context(), "duequeue:attempts:{faulty}").Val(); n != 0 {
				t.Errorf("%d counters: the start was counted", n)
			}
		})
	}
}
