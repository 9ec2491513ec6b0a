package admin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Of a person nothing is left in Redis, however the message went: by Go, by Java, at its first
// attempt or a later one, with a key that was offered again; and another person loses nothing.
func TestForgetLeavesNothing(t *testing.T) {
	t.Parallel()
	const person, other = "grete.maier@example.com", "hans.huber@example.com"
	for name, goes := range map[string]func(t *testing.T, s *lease.Session){
		"taken by Java": func(*testing.T, *lease.Session) {},
		"handled": func(t *testing.T, s *lease.Session) {
			b := queuetest.Must[lease.Batch](t)(s.Take(t.Context(), 1, nil))
			queuetest.Must[int](t)(s.Ack(t.Context(), lease.Acks{b.Messages[0].Token}))
		},
		"a retry, taken by Java": func(t *testing.T, s *lease.Session) {
			b := queuetest.Must[lease.Batch](t)(s.Take(t.Context(), 1, nil))
			queuetest.Must[lease.NackResult](t)(s.Nack(t.Context(), b.Messages[0].Token, lease.NackArgs{Charge: true}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := lab.StartRedis(t)
			c, rdb, ctx := opened(t, srv), srv.Client(), t.Context()
			q := registry.Define[map[string]any]("PERSONS", "", registry.Codec(jackson.JsonJackson()))
			bound, k := framework.Bind(c, q), wire.KeysOf("PERSONS")
			s := queuetest.Must[*lease.Session](t)(lease.New(rdb, rdb, k, lease.Options{}))
			offer := func(who string, delay time.Duration) framework.ID {
				r, err := bound.Offer(ctx, map[string]any{"mail": who}, delay, framework.Key(who).Within(time.Hour))
				if err != nil {
					t.Fatal(err)
				}
				return r.ID
			}
			transfer := func() {
				lab.WaitFor(t, "nothing is due", func() bool {
					queuetest.Must[delayed.TransferResult](t)(delayed.Transfer(ctx, rdb, k, delayed.TransferArgs{}))
					return rdb.ZCard(ctx, k.Timeout).Val() == 0
				})
			}
			offer(person, 0)
			transfer()
			goes(t, s)
			transfer()
			rdb.Del(ctx, k.Queue) // Java takes what is left
			offer(other, 0)
			transfer()
			if n := holders(t, srv, person); n == 0 {
				t.Fatal("nothing is kept of the person before")
			}
			before := holders(t, srv, other)
			o := admin.ForgetOptions{Payloads: admin.PayloadsOf(q), Share: 1, DryRun: true}
			o.Payloads.SearchFields = []string{"mail"}
			dry, err := admin.Forget(ctx, c, "PERSONS", person, o)
			if err != nil || holders(t, srv, person) == 0 {
				t.Errorf("a dry run: %+v, %v", dry, err)
			}
			o.DryRun = false
			got, err := admin.Forget(ctx, c, "PERSONS", person, o)
			if err != nil || got.Kept == 0 || got.Kept != dry.Kept || len(got.Left) > 0 {
				t.Errorf("forgotten %+v, %v; in a dry run %+v", got, err, dry)
			}
			if n := holders(t, srv, person); n > 0 {
				t.Errorf("%d keys have the person still", n)
			}
			if after := holders(t, srv, other); after != before {
				t.Errorf("%d keys have the other person, before %d", after, before)
			}
			if again, err := admin.Forget(ctx, c, "PERSONS", other, o); err != nil || again.Kept > 0 || len(again.Left) == 0 {
				t.Errorf("a person with a ready message: %+v, %v", again, err)
			}
		})
	}
}

// holders counts keys of the queue in which a text stands.
func holders(t *testing.T, srv *lab.Server, text string) (n int) {
	for line := range strings.Lines(queuetest.Dump(t, srv.Client(), wire.KeysOf("PERSONS"))) {
		if strings.HasPrefix(line, wire.OwnPrefix) && strings.Contains(line, text) {
			n++
		}
	}
	return n
}
