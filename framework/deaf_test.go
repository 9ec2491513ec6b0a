package framework_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// restricted is a process that serves REFUNDS and ORDERS by a Redis user with the rights of both, and
// another client, which may do all.
type restricted struct {
	srv        *lab.Server
	look       *framework.Client
	engine     *framework.Engine
	lost, kept *registry.Queue[string] // REFUNDS and ORDERS
	ledger     *ledger
}

func serveRestricted(t *testing.T) restricted {
	t.Helper()
	srv := lab.StartRedis(t)
	lost, kept := stringQueue("REFUNDS"), stringQueue("ORDERS")
	client := asACLUser(t, srv, admin.RoleServe, "REFUNDS", "ORDERS")
	look := queuetest.Must[*framework.Client](t)(framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, NoTransfer: true}))
	t.Cleanup(func() { _ = look.Close() })
	l := newLedger()
	engine, err := framework.New(client, []framework.Consumer{
		framework.Consume(lost, handlers.Func[string](l.handle)), framework.Consume(kept, handlers.Func[string](l.handle)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Stop(t.Context()) })
	return restricted{srv, look, engine, lost, kept, l}
}

// A user who loses the keys of one queue cannot say so there: its other queues tell, a search finds it,
// and with the keys back all is as before.
func TestLostKeysAreToldInTheOtherQueues(t *testing.T) {
	t.Parallel()
	r := serveRestricted(t)
	lab.WaitFor(t, "the process to be seen", func() bool {
		return queuetest.Must[[]admin.QueueStatus](t)(admin.StatusOf(t.Context(), r.look, "REFUNDS"))[0].Takers == 1
	})
	asACLUser(t, r.srv, admin.RoleServe, "ORDERS")
	r.ledger.accept("late")
	queuetest.Must[framework.Receipt](t)(framework.Bind(r.look, r.lost).Offer(t.Context(), "late", 0))
	if err := r.srv.Client().HDel(t.Context(), wire.KeysOf("REFUNDS").Processes, r.srv.Client().HKeys(t.Context(), wire.KeysOf("REFUNDS").Processes).Val()...).Err(); err != nil {
		t.Fatal(err) // as after its lease
	}
	const command = "duequeue acl -add keys -user serve REFUNDS"
	lab.WaitFor(t, "the verdict on the queue", func() bool {
		v, err := admin.DiagnoseQueue(t.Context(), r.look, "REFUNDS", admin.DiagnoseOptions{Near: true})
		return err == nil && v.State == "denied" && strings.Contains(v.Text(), "the Redis user serve of 1 Go process may not use keys of this queue") && v.Findings[0].Command == command
	})
	all, _, err := admin.Queues(t.Context(), r.look, admin.QueuesOptions{Share: 1})
	if err != nil || len(all) != 2 || admin.Judge(all[0]).State != admin.StateFine || admin.Judge(all[1]).State != "denied" {
		t.Errorf("%+v %v", all, err)
	}
	if text := strings.Join(r.engine.Health().Reasons, "; "); !strings.Contains(text, command) {
		t.Errorf("health: %s", text)
	}
	asACLUser(t, r.srv, admin.RoleServe, "REFUNDS", "ORDERS")
	lab.WaitFor(t, "the message to be handled", func() bool { return len(r.ledger.missing()) == 0 })
	lab.WaitFor(t, "the verdict to be fine", func() bool {
		v, err := admin.DiagnoseQueue(t.Context(), r.look, "REFUNDS", admin.DiagnoseOptions{Near: true})
		return err == nil && v.State == admin.StateFine
	})
}

// A user who loses the channel of one queue hears of the others, serves that queue too, and the verdict
// on it names the channel and the command; with the permission back all is as before.
func TestALostChannelIsThatOfOneQueue(t *testing.T) {
	t.Parallel()
	r := serveRestricted(t)
	status := func(queue string) admin.QueueStatus {
		return queuetest.Must[[]admin.QueueStatus](t)(admin.StatusOf(t.Context(), r.look, queue))[0]
	}
	listen := func(n int64, queues ...string) {
		t.Helper()
		for _, queue := range queues {
			lab.WaitFor(t, fmt.Sprintf("%d to listen to %s", n, queue), func() bool { return status(queue).Listeners == n })
		}
	}
	listen(1, "ORDERS", "REFUNDS")
	for _, rule := range []string{"resetchannels", "&" + wire.KeysOf("ORDERS").Channel, "&" + wire.ControlChannel} {
		if err := r.srv.Client().Do(t.Context(), "ACL", "SETUSER", "serve", rule).Err(); err != nil {
			t.Fatal(err)
		}
	}
	lab.WaitFor(t, "the process to say that it is deaf", func() bool { return len(status("REFUNDS").Refused) == 1 })
	listen(1, "ORDERS")
	listen(0, "REFUNDS")
	v := admin.Judge(status("REFUNDS"))
	if v.State != "deaf" || !strings.Contains(v.Text(), "redisson_delay_queue_channel:{REFUNDS}") || v.Findings[0].Command != "duequeue acl -add channels -user serve REFUNDS" {
		t.Errorf("%s %+v", v.Text(), v.Findings)
	}
	if v := admin.Judge(status("ORDERS")); v.State != admin.StateFine {
		t.Errorf("ORDERS: %s", v.Text())
	}
	if text := strings.Join(r.engine.Health().Degraded, "; "); !strings.Contains(text, v.Findings[0].Command) {
		t.Errorf("health: %s", text)
	}
	for _, q := range []string{"REFUNDS", "ORDERS"} { // the user itself may not announce what it offers
		r.ledger.accept(q)
		o := framework.Bind(r.look, map[string]*registry.Queue[string]{"REFUNDS": r.lost, "ORDERS": r.kept}[q])
		queuetest.Must[framework.Receipt](t)(o.Offer(t.Context(), q, 10*time.Millisecond))
	}
	lab.WaitFor(t, "both to be handled", func() bool { return len(r.ledger.missing()) == 0 })
	if err := r.srv.Client().Do(t.Context(), "ACL", "SETUSER", "serve", "&"+wire.KeysOf("REFUNDS").Channel).Err(); err != nil {
		t.Fatal(err)
	}
	listen(1, "REFUNDS")
	lab.WaitFor(t, "the process to hear again", func() bool { return len(status("REFUNDS").Refused) == 0 })
	if v := admin.Judge(status("REFUNDS")); v.State != admin.StateFine {
		t.Errorf("REFUNDS: %s", v.Text())
	}
}
