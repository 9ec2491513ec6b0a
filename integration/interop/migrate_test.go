package interop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// TestMigrateFollow: Redisson 3.18.1 and 4.7.0, neither of which reads what the other
// writes, share a delayed queue while FollowLayout runs: what one left pending before
// the other came, and what both go on offering, arrives once, and no script fails.
func TestMigrateFollow(t *testing.T) {
	t.Parallel()
	for _, version := range []string{oldRelease, newRelease} {
		if !slices.Contains(releases(t), version) {
			t.Logf("report: no migration was tried: Redisson %s is not among the releases of this run", version)
			return
		}
	}
	jvms := map[string]*jvm.JVM{oldRelease: jvm.Start(t, oldRelease), newRelease: jvm.Start(t, newRelease)}
	for first, second := range map[string]string{oldRelease: newRelease, newRelease: oldRelease} {
		t.Run(first+" first", func(t *testing.T) {
			t.Parallel()
			migrateFollow(t, jvms[first], jvms[second])
		})
	}
}

func migrateFollow(t *testing.T, first, second *jvm.JVM) {
	const each = 40
	srv := lab.StartRedis(t)
	name := rig.QueueName(t, "")
	one := first.Open(t, srv.URL()).Queue(t, "string", name)
	one.OfferMany(t, "before", each, 6*time.Second, 1)
	for i := range each { // all in one moment, among others' due times
		one.Offer(t, text(t, fmt.Sprintf("burst-%d", i)), 4*time.Second)
	}

	f := startFollow(t, rig.Open(t, srv.URL()), name)
	lab.Wait(t, func() string {
		if c, whole := f.get(); !whole || c.Left() != 0 {
			return fmt.Sprintf("whole %v, %+v", whole, c)
		}
		return ""
	})
	service := second.Open(t, srv.URL())
	failures := scriptFailures(t, srv.Client())
	two := service.Queue(t, "string", name)
	two.Hold(t) // transfers from now on
	// Delays are longer than the interval of the look: for shorter ones nothing is
	// promised, a transfer may come before the rewriting.
	for i := range 2 * each {
		delay := time.Second + time.Duration(i*7919%2000)*time.Millisecond
		two.Offer(t, text(t, fmt.Sprintf("second-%d", i)), delay)
		one.Offer(t, text(t, fmt.Sprintf("first-%d", i)), delay)
	}
	one.StartConsuming(t)
	two.StartConsuming(t)
	lab.Wait(t, func() string {
		if n := one.Consumed(t) + two.Consumed(t); n < 6*each {
			return fmt.Sprintf("%d of %d came", n, 6*each)
		}
		return ""
	})
	// What had been doubled would be there by now: copies precede what is repeated.
	seen := map[string]int{}
	for _, v := range append(one.StopConsuming(t), two.StopConsuming(t)...) {
		seen[fmt.Sprint(v)]++
	}
	for value, n := range seen {
		if n != 1 {
			t.Errorf("%s came %d times", value, n)
		}
	}
	if len(seen) != 6*each {
		t.Errorf("%d messages came, want %d", len(seen), 6*each)
	}
	if now := scriptFailures(t, srv.Client()); now != failures {
		t.Errorf("scripts failed: %s, before %s", now, failures)
	}
	if n := one.Delayed().Size(t) + two.Ready().Size(t); n != 0 {
		t.Errorf("%d left", n)
	}
	c, _ := f.get()
	t.Logf("report: %d of Redisson up to 3.21.0 and %d since 3.21.1 were rewritten beside both", c.Old, c.New)
	if err := f.stop(); err != nil {
		t.Error(err)
	}
}

// text is a value for Java.
func text(t testing.TB, v string) jvm.Text {
	t.Helper()
	out, err := jvm.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// followed is a FollowLayout that runs.
type followed struct {
	stop   func() error
	mu     sync.Mutex
	counts admin.LayoutCounts
	whole  bool
}

func (f *followed) get() (admin.LayoutCounts, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts, f.whole
}

func startFollow(t *testing.T, client *framework.Client, queue string) *followed {
	t.Helper()
	f := &followed{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	f.stop = sync.OnceValue(func() error { cancel(); return <-done })
	go func() {
		done <- admin.FollowLayout(ctx, client, []string{queue}, admin.FollowOptions{
			Progress: func(_ string, c admin.LayoutCounts, whole bool) {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.counts, f.whole = c, f.whole || whole
			},
		})
	}()
	t.Cleanup(func() { _ = f.stop() })
	return f
}

// scriptFailures returns what Redis counts of errors with the code ERR, which those of
// Lua have; a script that is not cached is another one.
func scriptFailures(t testing.TB, rdb *redis.Client) string {
	t.Helper()
	info, err := rdb.Info(t.Context(), "errorstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(info) {
		if strings.HasPrefix(line, "errorstat_ERR:") {
			return strings.TrimSpace(line)
		}
	}
	return "none"
}
