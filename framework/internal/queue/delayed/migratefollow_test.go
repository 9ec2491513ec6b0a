package delayed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// follow runs FollowMigration until the test ends, and returns what it said last of
// each queue.
func follow(t *testing.T, rdb redis.UniversalClient, args FollowMigrationArgs, keys ...wire.Keys) (counted func(i int) (LayoutCount, bool), stop func() error) {
	t.Helper()
	var mu sync.Mutex
	last, whole := map[int]LayoutCount{}, map[int]bool{}
	args.Progress = func(i int, c LayoutCount, all bool) {
		mu.Lock()
		defer mu.Unlock()
		last[i], whole[i] = c, whole[i] || all
	}
	queues := make([]MigratedQueue, len(keys))
	for i, k := range keys {
		queues[i].Keys = k
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- FollowMigration(ctx, rdb, queues, args) }()
	stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() { _ = stop() })
	return func(i int) (LayoutCount, bool) {
		mu.Lock()
		defer mu.Unlock()
		return last[i], whole[i]
	}, stop
}

// What is pending and what comes, from both generations of Java on two queues, is
// universal within moments, also without an announcement.
func TestFollowMigration(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	a, b := queuetest.NewQueue(), queuetest.NewQueue()
	for i := range 1500 {
		queuetest.Put(t, rdb, a, 1e12+int64(i), queuetest.JavaOld(int64(i)*31, fmt.Appendf(nil, "before %d", i)))
	}
	counted, stop := follow(t, rdb, FollowMigrationArgs{Sweep: 100 * time.Millisecond}, a, b)
	due := queuetest.NowMs(t, rdb) + 3_600_000
	for i := range 100 {
		queuetest.Put(t, rdb, a, due+int64(i%7), queuetest.JavaNew(javaID(i), fmt.Appendf(nil, "new %d", i)))
		queuetest.Put(t, rdb, b, due-int64(i), queuetest.JavaOld(int64(i)*31, fmt.Appendf(nil, "old %d", i)))
	}
	rdb.ZAdd(t.Context(), b.Timeout, redis.Z{Score: 3e12, Member: queuetest.JavaNew(javaID(1), []byte("set only"))})
	queuetest.Put(t, rdb, b, 4e12, []byte("garbage"))
	lab.WaitFor(t, "all to be universal", func() bool {
		c, whole := counted(0)
		d, alsoWhole := counted(1)
		return whole && alsoWhole && c.Rewritten == 1600 && c.Universal == 1600 && d.Rewritten == 101 && d.Universal == 101 && d.Malformed == 1
	})
	if err := stop(); err != nil {
		t.Errorf("stopped: %v", err)
	}
	rdb.ZRem(t.Context(), b.Timeout, "garbage")
	if x, y := len(scored(t, rdb, a)), len(scored(t, rdb, b)); x != 1600 || y != 101 {
		t.Errorf("%d and %d pending", x, y)
	}
	// Each millisecond in the order of the offers.
	list := queuetest.Must[[]string](t)(rdb.LRange(t.Context(), a.Pending, 1500, -1).Result())
	for i, e := range list {
		if e[16:] != fmt.Sprintf("new %d", i) {
			t.Errorf("list %d: %q", i, e[16:])
		}
	}
	set := queuetest.Must[[]string](t)(rdb.ZRange(t.Context(), a.Timeout, 1500, -1).Result())
	slices.SortStableFunc(list, func(x, y string) int { return seven(x) - seven(y) })
	if !slices.Equal(list, set) {
		t.Error("the order within a millisecond is not that of the offers")
	}
}

// seven returns which of seven due times an element of TestFollowMigration has.
func seven(element string) int {
	var n int
	if _, err := fmt.Sscanf(element[16:], "new %d", &n); err != nil {
		return -1
	}
	return n % 7
}

// A head is announced: it does not wait for the interval.
func TestFollowMigrationHearsOffers(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	k := queuetest.NewQueue()
	counted, _ := follow(t, rdb, FollowMigrationArgs{Interval: time.Hour}, k)
	lab.WaitFor(t, "the first walk", func() bool { _, whole := counted(0); return whole })
	lab.WaitFor(t, "the subscription", func() bool {
		return rdb.PubSubNumSub(t.Context(), k.Channel).Val()[k.Channel] == 1
	})
	queuetest.Must[any](t)(queuetest.JavaOffer(queuetest.FormatOld, "tonumber(ARGV[2])").Run(t.Context(), rdb, queuetest.JavaKeys(k), queuetest.NowMs(t, rdb)+60_000, "-123456789", "head"))
	lab.WaitFor(t, "the announced element", func() bool { c, _ := counted(0); return c.Rewritten == 1 })
}

// A queue that cannot be served does not stop the others; an error that passes is
// told, and the work goes on.
func TestFollowMigrationErrors(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	bad, good := queuetest.NewQueue(), queuetest.NewQueue()
	rdb.Set(t.Context(), bad.Pending, "a string", 0)
	queuetest.Put(t, rdb, good, 1e12, queuetest.JavaNew(javaID(1), []byte("x")))
	counted, stop := follow(t, rdb, FollowMigrationArgs{}, bad, good)
	lab.WaitFor(t, "the good queue", func() bool { c, whole := counted(1); return whole && c.Rewritten == 1 })
	err := stop()
	var q *fault.QueueError
	var wrong *fault.WrongTypeError
	if !errors.As(err, &q) || q.Queue != bad.Queue || !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
	if err := FollowMigration(t.Context(), rdb, []MigratedQueue{{Keys: bad}}, FollowMigrationArgs{}); !errors.As(err, &wrong) {
		t.Errorf("no queue is left: got %v", err)
	}

	p := lab.StartProxy(t, lab.Shared.Addr())
	told := make(chan error, 1000)
	through := lab.Connect(t, p.Addr())
	k := queuetest.NewQueue()
	counted, _ = follow(t, through, FollowMigrationArgs{Trouble: func(_ int, err error) { told <- err }}, k)
	lab.WaitFor(t, "the first walk", func() bool { _, whole := counted(0); return whole })
	p.Sever()
	queuetest.Put(t, rdb, k, 1e12, queuetest.JavaNew(javaID(1), []byte("x")))
	lab.WaitFor(t, "the element after the connection broke", func() bool { c, _ := counted(0); return c.Rewritten == 1 })
	// The subscription may have come only after that; then it is there to be broken now.
	lab.WaitFor(t, "the trouble is told", func() bool {
		p.Sever()
		select {
		case err := <-told:
			t.Logf("told: %v", err)
			return true
		default:
			return false
		}
	})
}
