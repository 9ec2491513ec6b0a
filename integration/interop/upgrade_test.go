package interop_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// The releases between which a Java team moves here: another default codec and
// another element layout.
const (
	oldRelease = "3.18.1"
	newRelease = "4.7.0"
)

// TestUpgradeWithMessagesPending: Redisson 3.18.1 leaves orders in its element layout
// and its codec (River), some due, some not; Redisson 4.7.0, which can read neither,
// adds its own (Kryo 5); a Go process on AnyOf handles each of them once.
func TestUpgradeWithMessagesPending(t *testing.T) {
	t.Parallel()
	for _, version := range []string{oldRelease, newRelease} {
		if !slices.Contains(releases(t), version) {
			t.Logf("report: no upgrade was tried: Redisson %s is not among the releases of this run", version)
			return
		}
	}
	const each = 10
	srv := lab.StartRedis(t)
	queue := define[Order](t, "upgrade", codecs.AnyOf(kryo5.New(), marshalling.New()))

	// Each Java service is gone when the next begins.
	t.Run("old", func(t *testing.T) {
		service := jvm.Start(t, oldRelease).Open(t, srv.URL())
		old := service.Queue(t, "default", queue.Key())
		for range each {
			old.Offer(t, jvm.Sample("bench.order"), 0)
		}
		lab.Wait(t, func() string {
			if n := old.Ready().Size(t); n != each {
				return fmt.Sprintf("Java transferred %d of %d", n, each)
			}
			return ""
		})
		for range each {
			old.Offer(t, jvm.Sample("bench.order"), 5*time.Second)
		}
		if n := old.Delayed().Size(t); n != each {
			t.Fatalf("%d messages are pending, want %d: they must outlive the service", n, each)
		}
	})
	t.Run("new", func(t *testing.T) {
		service := jvm.Start(t, newRelease).Open(t, srv.URL())
		next := service.Queue(t, "default", queue.Key())
		for range each {
			next.Offer(t, jvm.Sample("bench.order"), never)
		}
		// 4.7.0 fails on what is pending in the old layout when it would transfer it,
		// so it must not while that is there: the Go process does.
		next.Destroy(t)
		service.Close(t)
	})

	var collector rig.Collector[Order]
	client := rig.Open(t, srv.URL())
	rig.Run(t, client, framework.Consume(queue, &collector))
	got := collector.Await(t, 2*each)
	if c := rig.Counts(t, client, queue); c.Delayed != each || c.Dead != 0 {
		t.Errorf("after what was old: %+v, want %d of the new ones pending", c, each)
	}
	dueNow(t, srv, queue.Key())
	got = append(got[:0], collector.Await(t, 3*each)...)
	want := twinOf[Order]{name: "bench.order", value: order}
	for _, g := range got {
		want.equal(t, format{java: "anyof"}, g.Payload)
	}
	if c := rig.Counts(t, client, queue); len(got) != 3*each || c.Delayed+c.Ready+c.Dead != 0 {
		t.Errorf("%d messages came, left over: %+v", len(got), c)
	}
}

// dueNow sets the due time of everything that is pending to now.
func dueNow(t testing.TB, srv *lab.Server, queue string) {
	t.Helper()
	rdb := srv.Client()
	key := "redisson_delay_queue_timeout:{" + queue + "}"
	entries, err := rdb.ZRangeWithScores(t.Context(), key, 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UnixMilli()
	for _, e := range entries {
		e.Score = float64(now)
		if err := rdb.ZAddXX(t.Context(), key, e).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := rdb.Publish(t.Context(), "redisson_delay_queue_channel:{"+queue+"}", now).Err(); err != nil {
		t.Fatal(err)
	}
}
