package interop_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// partitionNames: the class of the docs gives the names of partitions and the places of
// keys that Go gives, see the test of package wire.
func partitionNames(t testing.TB, b *bench) {
	want, err := os.ReadFile("../../framework/internal/wire/testdata/partitions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if got := jvm.Run(t, b.version, "PartitionRows"); got != string(want) {
		t.Errorf("Java gives\n%s\nwant\n%s", got, want)
	}
}

// partitionOf is the partition in an ID.
func partitionOf(id framework.ID) string {
	partition, _, found := strings.Cut(string(id), ".")
	if !found {
		return "0"
	}
	return partition
}

const spreadOver = 5

// javaOffersToPartitions: Go handles all that Java offers to partitions, by key and in
// turn, and by a service that knows of none; meanwhile an ID leads to each.
func javaOffersToPartitions(t testing.TB, b *bench) {
	client, service := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	queue := define[string](t, "spread", b.codec, registry.Partitions(spreadOver))
	q := framework.Bind(client, queue)
	java := service.Partitions(t, b.java, queue.Key(), spreadOver)
	want := map[string]bool{}
	offer := func(value string, send func(jvm.Text)) {
		text, err := jvm.Encode(value)
		if err != nil {
			t.Fatal(err)
		}
		send(text)
		want[value] = true
	}
	const far = time.Hour // until fallDue
	for i := range 20 {
		key := fmt.Sprint("order-", i)
		offer("turn-"+key, func(v jvm.Text) { java.Offer(t, v, far) })
		offer(key, func(v jvm.Text) { java.OfferKey(t, key, v, far) })
	}
	plain := service.Queue(t, b.java, queue.Key())
	offer("plain", func(v jvm.Text) { plain.Offer(t, v, far) })

	each := map[string]int{}
	for m, err := range q.Pending().All(t.Context()) {
		if err != nil || m.Err != nil || m.ID == "" {
			t.Fatalf("%+v %v", m, err)
		}
		each[partitionOf(m.ID)]++
		if got, err := q.Pending().Get(t.Context(), m.ID); err != nil || got.Payload != m.Payload {
			t.Errorf("%s leads to %q %v, want %q", m.ID, got.Payload, err, m.Payload)
		}
		if !strings.HasPrefix(m.Payload, "order-") {
			continue
		}
		r, err := q.Offer(t.Context(), "again "+m.Payload, time.Hour, framework.Key(m.Payload))
		if err != nil || partitionOf(r.ID) != partitionOf(m.ID) {
			t.Errorf("Java put %s into %s, Go into %s %v", m.Payload, m.ID, r.ID, err)
		}
		if err := q.Cancel(t.Context(), r.ID); err != nil {
			t.Error(err)
		}
	}
	if len(each) != spreadOver {
		t.Errorf("messages lie in the partitions %v", each)
	}
	fallDue(t, b.srv.Client(), queue.Key())
	var collector rig.Collector[string]
	rig.Run(t, client, framework.Consume(queue, &collector, framework.Workers(4)))
	for _, g := range collector.Await(t, len(want)) {
		if !want[g.Payload] {
			t.Errorf("%q came twice, or was not offered", g.Payload)
		}
		delete(want, g.Payload)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", slices.Sorted(maps.Keys(want)))
	}
}

// fallDue gives all that is pending in the partitions of a queue a due time that is over.
func fallDue(t testing.TB, rdb *redis.Client, queue string) {
	t.Helper()
	for _, key := range rdb.Keys(t.Context(), "redisson_delay_queue_timeout:*"+queue+"*").Val() {
		for _, element := range rdb.ZRange(t.Context(), key, 0, -1).Val() {
			if err := rdb.ZAddXX(t.Context(), key, redis.Z{Score: 1, Member: element}).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// goOffersToPartitions: Java's takers take all that Go offers to partitions, and a service
// that knows of none what Go offers to the first.
func goOffersToPartitions(t testing.TB, b *bench) {
	client, service := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	queue := define[string](t, "spread", b.codec, registry.Partitions(spreadOver))
	q := framework.Bind(client, queue)
	first := 0
	var items []framework.Item[string]
	for i := range 40 {
		items = append(items, framework.Item[string]{Value: fmt.Sprint("bulk-", i), Delay: time.Duration(i) * 20 * time.Millisecond})
	}
	count := func(id framework.ID) {
		if partitionOf(id) == "0" {
			first++
		}
	}
	if _, err := q.OfferAll(t.Context(), slices.Values(items), framework.OnResult(func(_ int, r framework.Receipt, _ error) { count(r.ID) })); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		r, err := q.Offer(t.Context(), fmt.Sprint("key-", i), time.Duration(i)*20*time.Millisecond, framework.Key(fmt.Sprint(i)))
		if err != nil {
			t.Fatal(err)
		}
		count(r.ID)
	}
	if first == 0 || first == 80 {
		t.Fatalf("%d of 80 are in the first partition", first)
	}
	plain := service.Queue(t, b.java, queue.Key())
	plain.Hold(t)
	plain.StartConsuming(t)
	lab.Wait(t, func() string {
		if n := plain.Consumed(t); n < first {
			return fmt.Sprintf("a service that knows of no partitions has %d of %d", n, first)
		}
		return ""
	})
	got := plain.StopConsuming(t)
	java := service.Partitions(t, b.java, queue.Key(), spreadOver)
	java.Take(t)
	lab.Wait(t, func() string {
		if n := len(java.Taken(t)); n < 80-first {
			return fmt.Sprintf("the takers of all partitions have %d of %d", n, 80-first)
		}
		return ""
	})
	java.Stop(t)
	seen := map[string]int{}
	for _, v := range append(got, java.Taken(t)...) {
		seen[fmt.Sprint(v)]++
	}
	for i := range 40 {
		for _, name := range []string{fmt.Sprint("bulk-", i), fmt.Sprint("key-", i)} {
			if seen[name] != 1 {
				t.Errorf("%s was taken %d times", name, seen[name])
			}
		}
	}
}
