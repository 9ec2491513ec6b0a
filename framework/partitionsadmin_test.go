package framework_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// The tools speak of one queue, with the rights that duequeue acl -partitions prints.
func TestToolsKnowPartitions(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	const name = "a{b}c"
	queue := stringQueue(name, registry.Partitions(3), registry.MaxAttempts(1))
	ctx, root := t.Context(), srv.Client()
	names := []string{name, admin.EveryPartition(name)}
	serving := asACLUser(t, srv, admin.RoleServe, names...)
	operator := asACLUser(t, srv, admin.RoleOperate, names...)
	offering := framework.Bind(asACLUser(t, srv, admin.RoleOffer, names...), queue)
	e, err := framework.New(serving, []framework.Consumer{framework.Consume(queue, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		return handlers.Reject("test")
	}))})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(ctx); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		if _, err := offering.Offer(ctx, fmt.Sprint("dead-", i), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := offering.Offer(ctx, fmt.Sprint("far-", i), time.Hour, framework.Key(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if page, err := offering.Pending().Page(ctx, 5, 3); err != nil || len(page) != 3 {
		t.Errorf("page: %d %v", len(page), err)
	}
	lab.WaitFor(t, "all dead", func() bool {
		c, err := offering.Counts(ctx)
		return err == nil && c.Dead == 12 && c.Delayed == 12
	})
	if err := e.Stop(ctx); err != nil {
		t.Fatal(err)
	}

	all, err := admin.Partitions(ctx, operator, name)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v %v", all, err)
	}
	dead, delayed := int64(0), int64(0)
	for i, p := range all {
		if p.Number != i || p.Name != wire.PartitionName(name, i) || p.Slot != wire.Slot(p.Name) || !p.Used || p.Dead == 0 {
			t.Errorf("%+v", p)
		}
		dead, delayed = dead+p.Dead, delayed+p.Delayed
	}
	if dead != 12 || delayed != 12 {
		t.Errorf("%d dead, %d delayed", dead, delayed)
	}
	q, err := admin.Queue(ctx, operator, name)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := q.Counts(ctx); err != nil || c.Dead != 12 {
		t.Errorf("%+v %v", c, err)
	}
	found, err := admin.Diagnose(ctx, operator, []string{name}, admin.DiagnoseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	inDead := int64(0)
	for _, f := range found {
		if f.Check == "dead" && f.Queue == name && strings.Contains(f.Command, name) {
			inDead += f.Count
		}
		if f.Check == "absent" || f.Check == "partitions" {
			t.Errorf("%+v", f)
		}
	}
	if inDead != 12 {
		t.Errorf("%+v", found)
	}
	if counts, err := admin.MigrateLayout(ctx, operator, name, admin.MigrateOptions{DryRun: true}); err != nil || counts.Universal != 12 {
		t.Errorf("%+v %v", counts, err)
	}
	for i := range 3 { // of a process that died
		k := wire.KeysOf(wire.PartitionName(name, i))
		root.ZAdd(ctx, k.Sessions, redis.Z{Score: 1, Member: "0123456789abcdef"})
		root.RPush(ctx, k.Stage("0123456789abcdef"), "held")
	}
	if held, err := admin.HeldQueues(ctx, operator); err != nil || len(held) != 1 || held[0] != name {
		t.Errorf("held: %q %v", held, err)
	}
	if done, err := admin.Reap(ctx, operator, name, admin.ReapOptions{}); err != nil || done.Messages != 3 || done.Queue != name {
		t.Errorf("reaped %+v %v", done, err)
	}
	if n, err := q.Ready().Clear(ctx); err != nil || n != 3 {
		t.Errorf("ready %d %v", n, err)
	}
	if done, err := q.Dead().RedriveAll(ctx, framework.RedriveOptions{Rate: -1, Delay: time.Hour}); err != nil || done.Redriven != 12 {
		t.Errorf("redriven %+v %v", done, err)
	}
	if n, err := q.Pending().Clear(ctx); err != nil || n != 24 {
		t.Errorf("cleared %d %v", n, err)
	}
	noRefusals(t, root)

	root.RPush(ctx, wire.PartitionName(name, 7), "stray")
	found, err = admin.Diagnose(ctx, operator, []string{name}, admin.DiagnoseOptions{})
	if err != nil || len(found) == 0 {
		t.Fatal(err)
	}
	stray := false
	for _, f := range found {
		stray = stray || f.Check == "partitions" && f.Count == 1 && strings.Contains(f.Advice, "OtherPartitions(8)")
	}
	if all, err := admin.Partitions(ctx, operator, name); err != nil || !stray || len(all) != 4 || all[3].Used || all[3].Empty() || all[3].Number != 7 {
		t.Errorf("a stray message: %+v %+v %v", found, all, err)
	}
	root.HSet(ctx, wire.KeysOf(name).Control, "partitions", "many")
	if _, err := admin.Queue(ctx, operator, name); !errors.As(err, new(*fault.PartitionsError)) {
		t.Errorf("a note that cannot be read: %v", err)
	}
	if found, err = admin.Diagnose(ctx, operator, []string{name}, admin.DiagnoseOptions{}); err != nil || found[len(found)-1].Check != "partitions" {
		t.Errorf("%+v %v", found, err)
	}
}

// The number of partitions grows and shrinks under load, deploy by deploy, while old and
// new processes run side by side: every message is handled once.
func TestPartitionsChangeUnderLoad(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	with := func(n, other int) *registry.Queue[string] {
		opts := []registry.Option{registry.Partitions(n)}
		if other > 0 {
			opts = append(opts, registry.OtherPartitions(other))
		}
		return stringQueue("rolls", opts...)
	}
	var mu sync.Mutex
	seen := map[string]int{}
	start := func(q *registry.Queue[string]) *framework.Engine {
		t.Helper()
		e, err := framework.New(b.client, []framework.Consumer{framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
			mu.Lock()
			defer mu.Unlock()
			seen[d.Payload]++
			return nil
		}), framework.Workers(3))})
		if err == nil {
			err = e.Start(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	var current atomic.Pointer[framework.Queue[string]]
	current.Store(framework.Bind(b.client, with(2, 0)))
	old := start(with(2, 0))
	done, offered := make(chan struct{}), atomic.Int64{}
	var offering sync.WaitGroup
	offering.Go(func() {
		for ; ; offered.Add(1) {
			select {
			case <-done:
				return
			default:
			}
			value := fmt.Sprint(offered.Load())
			if _, err := current.Load().Offer(ctx, value, 30*time.Millisecond, framework.Key(value)); err != nil {
				t.Errorf("%s: %v", value, err)
			}
		}
	})
	more := func(n int64) {
		t.Helper()
		first := offered.Load()
		lab.Wait(t, func() string {
			if now := offered.Load() - first; now < n {
				return fmt.Sprintf("%d of %d more messages are offered", now, n)
			}
			return ""
		})
	}
	for _, step := range [][2]int{{2, 5}, {5, 2}, {5, 0}, {5, 2}, {2, 5}, {2, 0}} {
		next := start(with(step[0], step[1]))
		more(20)
		current.Store(framework.Bind(b.client, with(step[0], step[1])))
		more(40)
		if step == [2]int{2, 0} { // the end of shrinking: what is in the others is over
			lab.WaitFor(t, "the partitions that go are empty", func() bool {
				all, err := admin.Partitions(ctx, b.client, "rolls")
				for _, p := range all {
					if err == nil && p.Number >= 2 && !p.Empty() {
						return false
					}
				}
				return err == nil
			})
		}
		if err := old.Stop(ctx); err != nil {
			t.Error(err)
		}
		old = next
	}
	close(done)
	offering.Wait()
	lab.WaitFor(t, "all handled", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(seen) == int(offered.Load())
	})
	if err := old.Stop(ctx); err != nil {
		t.Error(err)
	}
	for value, n := range seen {
		if n != 1 {
			t.Errorf("%s was handled %d times", value, n)
		}
	}
	t.Logf("report: %d messages through six deploys", offered.Load())
}
