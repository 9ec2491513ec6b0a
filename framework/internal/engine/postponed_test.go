package engine

import (
	"context"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/planted"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// A suspect that is put off since others run on costs no token of the rate limit.
func TestAPostponedSuspectCostsNoToken(t *testing.T) {
	t.Parallel()
	f := newFaultyCodec(t)
	busy := registry.Define[string]("busy", "", registry.Codec(codecs.String()))
	started, release := make(chan struct{}), make(chan struct{})
	e := New(f.client, []Consumer{
		consume(busy, Policy{}, func(context.Context, *handlers.Delivery[string]) error {
			close(started)
			<-release
			return nil
		}),
		consume(f.queue, Policy{Rate: 0.0001, Burst: 1}, func(_ context.Context, d *handlers.Delivery[string]) error {
			f.good <- d.Payload
			return nil
		}),
	})
	e.patience = time.Second // the rest after that is longer than a suspect waits here
	start(t, e)
	t.Cleanup(func() { close(release) }) // before the engine stops
	rdb, keys := f.server.Client(), wire.KeysOf(f.queue.Key())
	if err := rdb.RPush(t.Context(), busy.Key(), "long").Err(); err != nil {
		t.Fatal(err)
	}
	<-started
	if err := planted.Record(t.Context(), rdb, keys, "suspect", "2,0,2"); err != nil {
		t.Fatal(err)
	}
	f.push(t, "suspect")
	lab.WaitFor(t, "the suspect put off", func() bool { return rdb.ZCard(t.Context(), keys.Timeout).Val() == 1 })
	f.push(t, "next")
	f.want(t, "next")
}
