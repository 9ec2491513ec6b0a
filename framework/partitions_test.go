package framework_test

import (
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// partitionOf is the partition in an ID.
func partitionOf(t interface{ Fatal(args ...any) }, id framework.ID) int {
	of, err := wire.ParseID(string(id))
	if err != nil {
		t.Fatal(err)
	}
	return of.Partition
}

// Whatever the number of partitions, a queue does what one does: a model of a map.
func TestPartitionsAreOneQueue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		ctx := t.Context()
		n := rapid.IntRange(1, 6).Draw(rt, "n")
		q := framework.Bind(b.client, stringQueue(fmt.Sprint("one of ", round), registry.Partitions(n)))
		at := time.Now().Add(time.Hour)
		type message struct{ value, key string }
		model := map[framework.ID]message{}
		keyed := map[string]framework.ID{}
		for i := range rapid.IntRange(1, 25).Draw(rt, "steps") {
			key := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(rt, "key")
			value := fmt.Sprint(i)
			switch rapid.SampledFrom([]string{"offer", "cancel", "cancel key", "move"}).Draw(rt, "what") {
			case "offer":
				if key == "" {
					r, err := q.OfferAt(ctx, value, at)
					if err != nil {
						rt.Fatal(err)
					}
					if p := partitionOf(rt, r.ID); p >= n {
						rt.Fatalf("partition %d of %d", p, n)
					}
					model[r.ID] = message{value, ""}
					break
				}
				r, err := q.OfferAt(ctx, value, at, framework.Key(key))
				if err != nil {
					rt.Fatal(err)
				}
				if p := partitionOf(rt, r.ID); p != wire.PartitionOf(key, n) {
					rt.Fatalf("key %q in partition %d", key, p)
				}
				if held, taken := keyed[key]; taken != (r.Outcome == framework.OutcomeKept) || taken && held != r.ID {
					rt.Fatalf("key %q: %v %v, held by %q", key, r.ID, r.Outcome, held)
				}
				if r.Outcome == framework.OutcomeAdded {
					model[r.ID], keyed[key] = message{value, key}, r.ID
				}
			case "cancel":
				for _, id := range slices.Sorted(maps.Keys(model)) {
					if model[id].key != "" { // its window would stay
						continue
					}
					if err := q.Cancel(ctx, id); err != nil {
						rt.Fatal(err)
					}
					if err := q.Cancel(ctx, id); !errors.Is(err, fault.ErrGone) || !strings.Contains(err.Error(), string(id)) {
						rt.Fatalf("cancelled twice: %v", err)
					}
					delete(model, id)
					break
				}
			case "cancel key":
				err := q.CancelKey(ctx, "x"+key)
				if !errors.Is(err, fault.ErrGone) {
					rt.Fatal(err)
				}
				if id, ok := keyed[key]; ok {
					if err := q.CancelKey(ctx, key); err != nil {
						rt.Fatal(err)
					}
					delete(model, id)
					delete(keyed, key)
				}
			case "move":
				if id, ok := keyed[key]; ok {
					got, err := q.RescheduleKey(ctx, key, at.Add(time.Minute))
					m, err2 := q.Pending().GetKey(ctx, key)
					if err := errors.Join(err, err2); err != nil || got != id || m.ID != id || !m.Due.After(at) {
						rt.Fatalf("%v: moved %v, got %v %v", id, got, m.ID, err)
					}
				}
			}
		}
		found := 0
		for m, err := range q.Pending().All(ctx) {
			if err != nil || model[m.ID].value != m.Payload {
				rt.Fatalf("%v %q %v, want %q", m.ID, m.Payload, err, model[m.ID].value)
			}
			if got, err := q.Pending().Get(ctx, m.ID); err != nil || got.Payload != m.Payload || got.ID != m.ID {
				rt.Fatalf("get %v: %+v %v", m.ID, got, err)
			}
			found++
		}
		counts, err := q.Counts(ctx)
		if found != len(model) || err != nil || int(counts.Delayed) != found {
			rt.Fatalf("%d pending, counts %+v %v, want %d", found, counts, err, len(model))
		}
		if err := q.Cancel(ctx, framework.ID(fmt.Sprintf("%d.18bcfe56800-61626364656667", n))); !errors.As(err, new(*fault.IDError)) {
			rt.Fatalf("unknown partition: %v", err)
		}
	})
}

// While the number grows and shrinks, a key keeps its message and every message is found.
func TestPartitionsGrow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	with := func(opts ...registry.Option) *framework.Queue[string] {
		return framework.Bind(b.client, stringQueue("grows", opts...))
	}
	var keys []string
	for i := range 40 {
		keys = append(keys, fmt.Sprint("order-", i))
	}
	offer := func(q *framework.Queue[string], want framework.Outcome) (ids []framework.ID) {
		t.Helper()
		for _, k := range keys {
			r, err := q.Offer(ctx, k, time.Hour, framework.Key(k))
			if err != nil || r.Outcome != want {
				t.Fatalf("%s: %v %v", k, r.Outcome, err)
			}
			ids = append(ids, r.ID)
		}
		return ids
	}
	first := offer(with(registry.Partitions(3)), framework.OutcomeAdded)
	var differ *fault.PartitionsError
	if _, err := with(registry.Partitions(5)).Offer(ctx, "x", time.Hour); !errors.As(err, &differ) || differ.Noted != "3" || differ.Declared != 5 {
		t.Fatalf("another number: %v", err)
	}
	for _, q := range []*framework.Queue[string]{
		with(registry.Partitions(3), registry.OtherPartitions(5)), with(registry.Partitions(5), registry.OtherPartitions(3)),
	} {
		if again := offer(q, framework.OutcomeKept); !slices.Equal(again, first) {
			t.Fatalf("%v, want %v", again, first)
		}
		for i, k := range keys[:3] {
			m, err := q.Pending().GetKey(ctx, k)
			if err != nil || m.ID != first[i] {
				t.Errorf("%s: %v %v", k, m.ID, err)
			}
		}
		if counts, err := q.Counts(ctx); err != nil || counts.Delayed != int64(len(keys)) {
			t.Errorf("%+v %v", counts, err)
		}
	}
	grown := with(registry.Partitions(5), registry.OtherPartitions(3))
	for _, k := range keys {
		if err := grown.CancelKey(ctx, k); err != nil {
			t.Fatalf("%s: %v", k, err)
		}
		if err := grown.CancelKey(ctx, k); !errors.Is(err, fault.ErrGone) {
			t.Fatalf("%s, again: %v", k, err)
		}
	}
	moved := 0
	for i, id := range offer(grown, framework.OutcomeAdded) {
		if partitionOf(t, id) != wire.PartitionOf(keys[i], 5) {
			t.Errorf("%s is in %s", keys[i], id)
		}
		if partitionOf(t, id) >= 3 {
			moved++
		}
	}
	if moved == 0 {
		t.Error("no key has moved")
	}
	var bulk []framework.Item[string]
	for _, k := range append(keys, "another") {
		bulk = append(bulk, framework.Item[string]{Value: k, Delay: time.Hour, Key: framework.Key(k)})
	}
	shrunk := with(registry.Partitions(3), registry.OtherPartitions(5))
	if n, err := shrunk.OfferAll(ctx, slices.Values(bulk)); err != nil || n.Kept != 40 || n.Added != 1 {
		t.Errorf("bulk: %+v %v", n, err)
	}
	if n, err := shrunk.Pending().Clear(ctx); err != nil || n != 41 {
		t.Errorf("cleared %d %v", n, err)
	}
}

// Offers without a key go to the partitions in turn, in bulk too, and pushes.
func TestPartitionsInTurn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, q := t.Context(), framework.Bind(b.client, stringQueue("in turn", registry.Partitions(4)))
	var items iter.Seq[framework.Item[string]] = func(yield func(framework.Item[string]) bool) {
		for i := range 1000 {
			if !yield(framework.Item[string]{Value: fmt.Sprint(i), Delay: time.Hour}) {
				return
			}
		}
	}
	each, next := make([]int, 4), 0
	n, err := q.OfferAll(ctx, items, framework.OnResult(func(i int, r framework.Receipt, err error) {
		if err != nil || i != next {
			t.Fatal(i, next, err)
		}
		next++
		each[partitionOf(t, r.ID)]++
	}))
	if err != nil || n.Added != 1000 || !slices.Equal(each, []int{250, 250, 250, 250}) {
		t.Errorf("%+v %v: %v", n, err, each)
	}
	for range 8 {
		if err := q.Push(ctx, "x"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		if n := b.redis.LLen(ctx, wire.PartitionName("in turn", i)).Val(); n != 2 {
			t.Errorf("partition %d has %d pushed", i, n)
		}
	}
	if found, err := q.Ready().Remove(ctx, "x", 3); err != nil || found != 3 {
		t.Errorf("removed %d %v", found, err)
	}
	if got, err := q.Ready().Poll(ctx, 10); err != nil || len(got) != 5 {
		t.Errorf("polled %d %v", len(got), err)
	}
	if ids, err := q.Pending().Find(ctx, "17", 0); err != nil || len(ids) != 1 {
		t.Errorf("found %v %v", ids, err)
	}
	if n, err := q.Pending().Remove(ctx, "17", 0); err != nil || n != 1 {
		t.Errorf("removed %d %v", n, err)
	}
}

// A user who may not ask for the number of the others offers with a warning; a name
// mapping applies to the names of partitions.
func TestPartitionsOfAModestUser(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	err := srv.Client().Do(t.Context(), "acl", "setuser", "modest", "on", ">geheim", "~*", "&*", "+@all", "-hget", "-hset").Err()
	if err != nil {
		t.Fatal(err)
	}
	logs := &logLines{}
	c, err := framework.Open(t.Context(), framework.Config{
		Redis: framework.RedisConfig{URL: "redis://modest:geheim@" + srv.Addr()}, Name: framework.NameConfig{Prefix: "shop:"}, NoTransfer: true,
	}, framework.WithLogger(slog.New(slog.NewTextHandler(logs, nil))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	q := framework.Bind(c, stringQueue("modest", registry.Partitions(2)))
	for range 2 {
		if err := q.Push(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 {
		if n := srv.Client().LLen(t.Context(), "shop:"+wire.PartitionName("modest", i)).Val(); n != 1 {
			t.Errorf("partition %d has %d", i, n)
		}
	}
	if n := strings.Count(logs.String(), "number of partitions could not be compared"); n != 1 {
		t.Errorf("%d warnings:\n%s", n, logs.String())
	}
}
