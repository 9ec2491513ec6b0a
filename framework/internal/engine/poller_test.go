package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
)

// poll runs a poller until the test ends.
func poll(t testing.TB, rdb redisapi.Client) *poller {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running background.Group
	p := newPoller(rdb, &running)
	running.Go(ctx, "poll", func() { p.run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return p
}

// polled is a list whose wake-ups a test counts.
type polled struct {
	*polledList
	woken atomic.Int64
}

func newPolled(key string, processes int) *polled {
	l := &polled{}
	l.polledList = &polledList{key, func() int { return processes }, func() { l.woken.Add(1) }}
	return l
}

// Whatever happens, a queue that rests while its list has messages is woken.
func TestNoRestBesideMessages(t *testing.T) {
	t.Parallel()
	rdb, ctx := lab.StartRedis(t).Client(), t.Context()
	poller, done := poll(t, rdb), []string{}
	lists, awake := make([]*polled, 3), make([]func(), 3)
	for i := range lists {
		lists[i], awake[i] = newPolled(fmt.Sprint("list", i), 1), func() {}
	}
	resting := make([]bool, len(lists))
	for range 60 {
		i := rand.IntN(len(lists))
		l, step := lists[i], []string{"push", "push", "wrong type", "take", "rest", "rest", "wake", "kill"}[rand.IntN(8)]
		switch done = append(done, fmt.Sprint(step, i)); step {
		case "push":
			rdb.RPush(ctx, l.key, "x")
		case "wrong type": // the take says what is the matter
			rdb.Set(ctx, l.key, "no list", 0)
		case "take":
			rdb.Del(ctx, l.key)
		case "rest":
			awake[i], resting[i] = poller.Rest(l.polledList), true
		case "wake":
			awake[i]()
			resting[i] = false
		case "kill":
			rdb.ClientKillByFilter(ctx, "TYPE", "normal")
		}
		for i, l := range lists {
			if before := l.woken.Load(); resting[i] && rdb.Exists(ctx, l.key).Val() > 0 {
				lab.WaitFor(t, fmt.Sprint("a wake of ", l.key, " after ", done), func() bool { return l.woken.Load() > before })
			}
		}
	}
}

// Nothing is told to a queue that is awake.
func TestPollsLeaveTheAwakeAlone(t *testing.T) {
	t.Parallel()
	rdb := lab.StartRedis(t).Client()
	p := poll(t, rdb)
	one, other := newPolled(queuetest.NewQueue().Queue, 1), newPolled(queuetest.NewQueue().Queue, 1)
	p.Rest(one.polledList)()
	p.Rest(other.polledList)
	for _, l := range []*polled{one, other} {
		queuetest.Must[int64](t)(rdb.RPush(t.Context(), l.key, "x").Result())
	}
	lab.WaitFor(t, "a wake of the other one", func() bool { return other.woken.Load() > 0 })
	if one.woken.Load() > 0 {
		t.Error("woken while awake")
	}
}

// On a cluster a list is found on the node that has its slot.
func TestPollsFollowSlots(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	rdb := cluster.Client()
	p := poll(t, rdb)
	lists := make([]*polled, 24)
	find := func(l *polled) {
		t.Helper()
		before := l.woken.Load()
		queuetest.Must[int64](t)(rdb.RPush(t.Context(), l.key, "x").Result())
		lab.WaitFor(t, "a wake of "+l.key, func() bool { return l.woken.Load() > before })
		queuetest.Must[string](t)(rdb.LPop(t.Context(), l.key).Result())
	}
	for i := range lists {
		lists[i] = newPolled(queuetest.NewQueue().Queue, 1)
		p.Rest(lists[i].polledList)
	}
	for _, l := range lists {
		find(l)
	}
	moveEmptySlot(t, cluster, lists[0].key)
	find(lists[0])
}

// moveEmptySlot gives the slot of a key, in which there is nothing, to another node.
func moveEmptySlot(t *testing.T, cluster *lab.Cluster, key string) {
	t.Helper()
	ctx := t.Context()
	slot := queuetest.Must[int64](t)(cluster.Client().ClusterKeySlot(ctx, key).Result())
	at := queuetest.Must[*redis.Client](t)(cluster.Client().MasterForKey(ctx, key)).Options().Addr
	for _, target := range cluster.Nodes() {
		if target.Addr() == at {
			continue
		}
		id := queuetest.Must[string](t)(target.Client().Do(ctx, "cluster", "myid").Text())
		for _, n := range append([]*lab.Server{target}, cluster.Nodes()...) {
			if err := n.Client().Do(ctx, "cluster", "setslot", slot, "node", id).Err(); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
}

// slowServer answers each pipeline after a time, and counts them.
type slowServer struct {
	takes           time.Duration
	pipelines, asks int
}

func (*slowServer) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (*slowServer) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (s *slowServer) ProcessPipelineHook(redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(_ context.Context, cmds []redis.Cmder) error {
		<-time.After(s.takes)
		s.pipelines++
		s.asks += len(cmds)
		return nil
	}
}

// All processes together cost Redis one per cent of its time at most, as long as five polls a second of
// all processes allow that; up to five processes ask once a second at least, and all ask for all lists in one trip.
func TestPollsCostOnePerCent(t *testing.T) {
	t.Parallel()
	const lists, lasts = 100, 10 * time.Minute
	for _, takes := range []time.Duration{0, 100 * time.Microsecond, 2 * time.Millisecond, 5 * time.Millisecond, 50 * time.Millisecond} {
		for _, processes := range []int{1, 3, 300} {
			synctest.Test(t, func(t *testing.T) {
				srv := &slowServer{takes: takes}
				rdb := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
				defer func() { _ = rdb.Close() }()
				rdb.AddHook(srv)
				ctx, cancel := context.WithTimeout(t.Context(), lasts)
				defer cancel()
				var running background.Group
				p := newPoller(rdb, &running)
				for i := range lists {
					p.Rest(newPolled(fmt.Sprint(i), processes).polledList)
				}
				p.run(ctx)
				running.Wait()
				longest := pollMost * time.Duration(max(processes/pollsTogether, 1))
				least, most := int(lasts/(longest+takes))-2, int(lasts/pollLeast)
				if takes > 0 {
					most = min(most, max(int(lasts/(pollShare*takes*time.Duration(processes)))+2, int(lasts/longest)+2))
				}
				if srv.pipelines < least || srv.pipelines > most || srv.asks != lists*srv.pipelines {
					t.Errorf("a poll takes %v, %d processes: %d polls in %v, want %d to %d; %d commands", takes, processes, srv.pipelines, lasts, least, most, srv.asks)
				}
			})
		}
	}
}
