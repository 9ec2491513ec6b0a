package framework_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	partitionnames "github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// clusterBundle is a client of a cluster of three.
func clusterBundle(t *testing.T) (*lab.Cluster, *bundle) {
	t.Helper()
	c := lab.StartCluster(t)
	return c, setupOn(t, c.Nodes()[0], func(cfg *framework.Config) {
		cfg.Redis = framework.RedisConfig{Mode: framework.ModeCluster, Addrs: c.Addrs()}
	})
}

// One handler with its workers serves all partitions, on a cluster of three: nothing is
// lost or doubled, IDs lead to the message at every place, and never more run than workers.
func TestPartitionsAreHandled(t *testing.T) {
	t.Parallel()
	cluster, b := clusterBundle(t)
	ctx := t.Context()
	queue := stringQueue("handled", registry.Partitions(8), registry.MaxAttempts(2))
	q := framework.Bind(b.client, queue)
	const n, workers = 400, 3
	var mu sync.Mutex
	var running, most atomic.Int64
	seen, ids := map[string]int{}, map[string]framework.ID{}
	e := b.run(t, framework.Consume(queue, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		mu.Lock()
		defer mu.Unlock()
		seen[d.Payload]++
		if ids[d.Payload] != "" && string(ids[d.Payload]) != d.ID() {
			t.Errorf("%s came as %s, offered as %s", d.Payload, d.ID(), ids[d.Payload])
		}
		if strings.HasSuffix(d.Payload, "7") {
			return errors.New("no")
		}
		return nil
	}), framework.Workers(workers), framework.Breaker(framework.BreakerConfig{Disabled: true})))
	for i := range n {
		value := fmt.Sprint(i)
		mu.Lock()
		r, err := q.Offer(ctx, value, time.Duration(i%200)*time.Millisecond)
		ids[value] = r.ID
		mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
	}
	lab.WaitFor(t, "all handled, and the failed ones dead", func() bool {
		c, err := q.Counts(ctx)
		return err == nil && c.Dead == n/10 && c.Ready+c.Delayed+c.InFlight == 0
	})
	mu.Lock()
	for value, times := range seen {
		want := 1
		if strings.HasSuffix(value, "7") {
			want = 2
		}
		if times != want {
			t.Errorf("%s was handled %d times", value, times)
		}
	}
	if len(seen) != n || most.Load() > workers {
		t.Errorf("%d of %d handled, up to %d at once", len(seen), n, most.Load())
	}
	mu.Unlock()
	nodes := 0
	for _, node := range cluster.Nodes() {
		if node.Client().DBSize(ctx).Val() > 0 {
			nodes++
		}
	}
	if nodes != 3 {
		t.Errorf("%d nodes have keys", nodes)
	}

	var dead []framework.DeadMessage
	partitions := map[int]bool{}
	for m, err := range q.Dead().All(ctx, framework.DeadFilter{}) {
		if err != nil || m.ID != ids[string(m.Body)] || m.Reason != handlers.ReasonExhausted {
			t.Fatalf("%+v %v", m, err)
		}
		// Not by m.At: Redis before 7 numbers an entry by a later look at its clock.
		if len(dead) > 0 && !partitionnames.ParseEntry(dead[len(dead)-1].Entry).Less(partitionnames.ParseEntry(m.Entry)) {
			t.Errorf("%s after %s", m.Entry, dead[len(dead)-1].Entry)
		}
		dead = append(dead, m)
		partitions[partitionOf(t, m.ID)] = true
	}
	if len(dead) != n/10 || len(partitions) < 4 {
		t.Fatalf("%d dead, in partitions %v", len(dead), partitions)
	}
	page, err := q.Dead().Page(ctx, dead[9].Entry, 5)
	if err != nil || len(page) != 5 || page[0].Entry != dead[10].Entry {
		t.Errorf("page %+v %v", page, err)
	}
	var gone *fault.NotPendingError
	if err := q.Cancel(ctx, dead[3].ID); !errors.As(err, &gone) || gone.Where != fault.WhereDead || gone.Entry != dead[3].Entry || gone.ID != string(dead[3].ID) {
		t.Errorf("cancel of a dead one: %+v", gone)
	}
	if err := e.Pause("test", ""); err != nil {
		t.Fatal(err)
	}
	if h := e.Health().Queues[0]; h.Intake != health.IntakeClosed || len(e.Health().Queues) != 1 {
		t.Errorf("%+v", h)
	}
	done, err := q.Dead().RedriveAll(ctx, framework.RedriveOptions{Rate: -1})
	if err != nil || done.Redriven != n/10 {
		t.Errorf("redriven %+v %v", done, err)
	}
	// A take that was under way at the pause may have brought some: they go back.
	lab.WaitFor(t, "paused: the redriven ones all ready", func() bool {
		c, err := q.Counts(ctx)
		return err == nil && c.Ready == n/10 && c.Dead == 0
	})
	if err := e.Resume(); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "the redriven ones dead again", func() bool {
		c, err := q.Counts(ctx)
		return err == nil && c.Dead == n/10 && c.InFlight == 0
	})
	m, err := q.Dead().Get(ctx, latest(t, q))
	if err != nil || m.Redriven != 1 || len(m.Deaths) != 1 || partitionOf(t, framework.ID(m.Deaths[0].ID)) != partitionOf(t, m.ID) {
		t.Errorf("%+v %v", m, err)
	}
	if dropped, err := q.Dead().Drop(ctx, m.Entry, "99.1-1"); err != nil || dropped != 1 {
		t.Errorf("dropped %d %v", dropped, err)
	}
}

// latest is the entry of the newest dead letter.
func latest(t *testing.T, q *framework.Queue[string]) (entry string) {
	t.Helper()
	for m, err := range q.Dead().All(t.Context(), framework.DeadFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		entry = m.Entry
	}
	return entry
}

// What a process that died had in hand comes back, whatever its partition.
func TestPartitionsOfADeadProcess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	queue := stringQueue("orphaned", registry.Partitions(3))
	for i := range 3 {
		name := wire.PartitionName("orphaned", i)
		b.redis.RPush(t.Context(), name, fmt.Sprint(i))
		b.crashed(t, name, 1, 2*time.Second)
	}
	var mu sync.Mutex
	seen := map[string]int{}
	b.run(t, framework.Consume(queue, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		mu.Lock()
		defer mu.Unlock()
		seen[d.Payload]++
		return nil
	})))
	lab.WaitFor(t, "all three, once", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return maps.Equal(seen, map[string]int{"0": 1, "1": 1, "2": 1})
	})
}

// A hot partition has all workers while the others are empty, and none of those waits for
// long once something comes.
func TestHotPartition(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	queue := stringQueue("hot", registry.Partitions(16))
	cold := make(chan struct{}, 100)
	var hot atomic.Int64
	turn := make(chan struct{}) // a hot message's: one each 2 ms until the cold ones are handled
	b.run(t, framework.Consume(queue, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		if d.Payload == "hot" {
			<-turn
			hot.Add(1)
			return nil
		}
		cold <- struct{}{}
		return nil
	}), framework.Workers(4)))
	rdb := b.redis
	const n = 2000
	hots := slices.Repeat([]any{"hot"}, n)
	if err := rdb.RPush(ctx, wire.PartitionName("hot", 5), hots...).Err(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for i := range 5 {
		if err := rdb.RPush(ctx, wire.PartitionName("hot", i), "cold").Err(); err != nil {
			t.Fatal(err)
		}
		for handled := false; !handled; {
			select {
			case <-cold:
				handled = true
			case <-tick.C:
				select {
				case turn <- struct{}{}:
				default: // no worker waits for it
				}
			}
			if hot.Load() == n {
				t.Fatalf("cold message %d waited for the whole hot partition", i)
			}
		}
	}
	close(turn)
	lab.WaitFor(t, "all", func() bool { return hot.Load() == n })
}

// Processes that disagree are told at the start, and at the first offer.
func TestPartitionsDisagree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	handler := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })
	start := func(opts ...registry.Option) error {
		e, err := framework.New(b.client, []framework.Consumer{framework.Consume(stringQueue("disagree", opts...), handler)})
		if err != nil {
			return err
		}
		if err := e.Start(t.Context()); err != nil {
			return err
		}
		return e.Stop(t.Context())
	}
	for i, c := range []struct {
		opts  []registry.Option
		agree bool
	}{
		{[]registry.Option{registry.Partitions(2)}, true},
		{[]registry.Option{registry.Partitions(3)}, false},
		{nil, false},
		{[]registry.Option{registry.Partitions(2), registry.OtherPartitions(3)}, true},
		{[]registry.Option{registry.Partitions(3), registry.OtherPartitions(2)}, true},
		{[]registry.Option{registry.Partitions(3)}, true},
	} {
		var differ *fault.PartitionsError
		err := start(c.opts...)
		if c.agree && err != nil || !c.agree && !errors.As(err, &differ) {
			t.Errorf("%d: %v", i, err)
		}
		if differ != nil && (differ.Queue != "disagree" || !strings.Contains(err.Error(), "OtherPartitions(") || !strings.Contains(err.Error(), "partitionsengine_test.go:")) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if err := b.redis.Set(t.Context(), wire.KeysOf("disagree").Control, "x", 0).Err(); err == nil {
		var wrong *fault.WrongTypeError
		if err := start(registry.Partitions(3)); !errors.As(err, &wrong) {
			t.Errorf("wrong type: %v", err)
		}
	}
}

// Names of partitions are checked with the others.
func TestPartitionNamesAreChecked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	handler := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })
	consume := func(code string, opts ...registry.Option) framework.Consumer {
		return framework.Consume(stringQueue(code, opts...), handler)
	}
	var twice *registry.DuplicateKeyError
	_, err := framework.New(b.client, []framework.Consumer{consume("a", registry.Partitions(3)), consume(wire.PartitionName("a", 2))})
	if !errors.As(err, &twice) || twice.FirstCode == twice.SecondCode {
		t.Errorf("another queue's name: %v", err)
	}
	var long *fault.NameError
	_, err = framework.New(b.client, []framework.Consumer{consume(strings.Repeat("x", 300), registry.Partitions(2))})
	if !errors.As(err, &long) {
		t.Errorf("too long: %v", err)
	}
	same, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: b.server.URL()}},
		framework.WithNameMapper(func(name string) string { return name[:1] }, strings.Clone))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = same.Close() })
	if _, err := framework.New(same, []framework.Consumer{consume("abc", registry.Partitions(2))}); !errors.As(err, &twice) {
		t.Errorf("a mapping that makes one of two: %v", err)
	}
}

// Payloads in a row that cannot be decoded go back to the partitions they came from.
func TestUndecodableGoBackToTheirPartitions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, rdb := t.Context(), b.redis
	queue := registry.Define[int64]("undecodable", "", registry.Codec(codecs.Long()), registry.Partitions(3), registry.OnForeign(registry.ForeignIgnore), quick)
	want := map[string]int64{}
	for i := range 3 {
		name := wire.PartitionName("undecodable", i)
		want[name] = 5
		if err := rdb.RPush(ctx, name, "a", "b", "c", "d", "e").Err(); err != nil {
			t.Fatal(err)
		}
	}
	e := b.run(t, framework.Consume(queue, handlers.Func[int64](func(context.Context, *handlers.Delivery[int64]) error { return nil }), framework.Workers(2)))
	lab.WaitFor(t, "the intake to close and all to go back", func() bool {
		c, err := framework.Bind(b.client, queue).Counts(ctx)
		return err == nil && c.Ready == 15 && c.Dead == 0 && e.Health().Queues[0].Reason == health.BecauseUndecodable
	})
	for name, n := range want {
		if got := rdb.LRange(ctx, name, 0, -1).Val(); len(got) != int(n) {
			t.Errorf("%s has %q", name, got)
		}
	}
}
