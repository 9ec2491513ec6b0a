package interop_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// What a run may be told by the environment.
const (
	envSoakSeed = "DUEQUEUE_TEST_SOAK_SEED" // repeats the operations of a run
)

// soakQueue is one queue of a run.
type soakQueue struct {
	Name    string
	View    registry.ViewMode
	Keyed   bool // Go offers with deduplication keys
	Cleared bool // Go clears what is pending now and then
	Slow    bool // handlers take long and Java's take() stays away, so that a list is ready
}

// answers reports whether Java's methods of the delayed queue may be asked: with no view Java's
// remove and poll would take what was delivered.
func (q soakQueue) answers() bool {
	return q.View == registry.ViewExact
}

var soakQueues = []soakQueue{
	{Name: "exact", View: registry.ViewExact},
	{Name: "slow", View: registry.ViewExact, Slow: true},
	{Name: "off", View: registry.ViewOff},
	{Name: "keyed", View: registry.ViewExact, Keyed: true},
	{Name: "cleared", View: registry.ViewExact, Cleared: true},
}

// soakTakes are the queues on which Java calls take().
func soakTakes() []soakQueue {
	return slices.DeleteFunc(slices.Clone(soakQueues), func(q soakQueue) bool { return q.Slow })
}

// soakPlan is what all workers of a run know.
type soakPlan struct {
	URL      string
	Seed     uint64
	Duration time.Duration // of operations
	MaxDelay time.Duration
	Mates    []string // all workers that offer
}

// soakPair is two releases on the same queues.
type soakPair struct {
	first, second string
	// javaOffers is false where the two cannot read each other's elements: then all
	// elements are Go's, which every release reads, transfers and removes.
	javaOffers bool
}

// TestSoak: two JVMs on different Redisson releases and two Go processes do random
// operations on the same queues at the same time. Afterwards every message that was
// offered has left exactly once, nothing is left anywhere, and no answer that any of
// them got contradicts what all of them did.
func TestSoak(t *testing.T) {
	t.Parallel()
	for _, pair := range []soakPair{{"3.45.1", "4.7.0", true}, {"3.18.1", "4.7.0", false}} {
		t.Run(pair.first+" and "+pair.second, func(t *testing.T) {
			for _, version := range []string{pair.first, pair.second} {
				if !slices.Contains(releases(t), version) {
					t.Logf("report: no soak: Redisson %s is not among the releases of this run", version)
					return
				}
			}
			soak(t, pair)
		})
	}
}

func soakSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv(envSoakSeed)
	if text == "" {
		return uint64(time.Now().UnixNano()) & 0xffffffff
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", envSoakSeed, err)
	}
	return seed
}

func soak(t *testing.T, pair soakPair) {
	srv := lab.StartRedis(t)
	plan := soakPlan{URL: srv.URL(), Seed: soakSeed(t), Duration: 5 * time.Second, MaxDelay: 2500 * time.Millisecond}
	form := "short form"
	if lab.LongForm() {
		form, plan.Duration, plan.MaxDelay = "long form", time.Minute, 10*time.Second
	}
	plan.Mates = []string{"go0a", "go0b", "go1a", "go1b"}
	if pair.javaOffers {
		plan.Mates = append(plan.Mates, "java0a", "java0b", "java1a", "java1b")
	}
	t.Logf("%s=%d repeats the operations", envSoakSeed, plan.Seed)
	ledger := newSoakLedger(soakQueues)

	var javas []*soakJava
	for i, version := range []string{pair.first, pair.second} {
		javas = append(javas, openSoakJava(t, jvm.Start(t, version), plan, i, pair.javaOffers, ledger.add))
	}
	var processes []*soakProcess
	for i := range 2 {
		processes = append(processes, startSoakProcess(t, plan, i, ledger.add))
	}
	var working, taking sync.WaitGroup
	for _, p := range processes {
		p.awaitLine(t, soakReady, time.Minute)
	}
	for _, p := range processes {
		p.tell(t, soakGo)
	}
	for _, j := range javas {
		j.work(t.Context(), &working)
		j.take(t.Context(), &taking)
	}
	working.Wait()
	for _, p := range processes {
		p.awaitLine(t, soakQuiet, plan.Duration+time.Minute)
	}

	client := rig.Open(t, srv.URL())
	queues := defineSoakQueues()
	drainSoak(t, client, srv, queues, ledger)
	for _, p := range processes {
		p.stop(t)
	}
	for range javas {
		for _, q := range soakTakes() {
			if err := srv.Client().RPush(t.Context(), q.Name, soakPill).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	taking.Wait()

	problems := ledger.judge()
	problems = append(problems, soakLeftovers(t, srv)...)
	for i, problem := range problems {
		if i == 50 {
			t.Errorf("and %d more", len(problems)-i)
			break
		}
		t.Error(problem)
	}
	t.Logf("report: soak, %s, Redisson %s and %s and two Go processes, seed %d: %s",
		form, pair.first, pair.second, plan.Seed, ledger.summary())
}

// drainSoak waits until everything that is pending fell due and was handled; what lies
// in the dead store is put back, and what is cleared is cleared a last time.
func drainSoak(t *testing.T, client *framework.Client, srv *lab.Server, queues []*registry.Queue[string], ledger *soakLedger) {
	t.Helper()
	w := &soakGoWorker{soakWorker: soakWorker{who: "end", emit: ledger.add}, client: client, queues: queues}
	for i, q := range soakQueues {
		if q.Cleared {
			w.clear(t.Context(), i)
		}
	}
	lab.Wait(t, func() string {
		// All of one moment: a message that fails goes from what is in flight to what is
		// pending, and a look at one after the other can miss it at both places.
		var keys *redis.StringSliceCmd
		dead := make([]*redis.IntCmd, len(queues))
		if _, err := srv.Client().TxPipelined(t.Context(), func(tx redis.Pipeliner) error {
			keys = tx.Keys(t.Context(), "*")
			for i, q := range queues {
				dead[i] = tx.XLen(t.Context(), "duequeue:dead:{"+q.Key()+"}")
			}
			return nil
		}); err != nil {
			return err.Error()
		}
		var busy []string
		for i, q := range queues {
			if n := dead[i].Val(); n > 0 {
				busy = append(busy, fmt.Sprintf("%s: %d dead", q.Key(), n))
				w.redriveAll(t.Context(), i, 0)
			}
		}
		for _, key := range keys.Val() {
			if keyHoldsMessages(key, queues) {
				busy = append(busy, key)
			}
		}
		return strings.Join(busy, "\n")
	})
}

// keyHoldsMessages reports whether a key holds messages while it exists, the dead store's aside.
func keyHoldsMessages(key string, queues []*registry.Queue[string]) bool {
	for _, prefix := range []string{"redisson_delay_queue_timeout:", "duequeue:inflight:", "duequeue:stage:"} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return slices.ContainsFunc(queues, func(q *registry.Queue[string]) bool { return q.Key() == key })
}

// soakLeftovers tells of keys that nothing needs any more.
func soakLeftovers(t *testing.T, srv *lab.Server) []string {
	t.Helper()
	rdb := srv.Client()
	keys, err := rdb.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, key := range keys {
		switch {
		case strings.HasPrefix(key, "soak:"): // the handlers' own
		case strings.HasPrefix(key, "duequeue:dedup:"), // goes when its window is over
			strings.HasPrefix(key, "duequeue:head:"): // and a day after somebody counted
			if ttl := rdb.PTTL(t.Context(), key).Val(); ttl < 0 {
				out = append(out, key+" never expires")
			}
		case strings.HasPrefix(key, "duequeue:dead:") && rdb.XLen(t.Context(), key).Val() == 0:
		case strings.HasPrefix(key, "duequeue:due:"), strings.HasPrefix(key, "duequeue:attempts:"), strings.HasPrefix(key, "duequeue:ids:"):
			// Records of what Java took; they are swept by and by.
		case strings.HasPrefix(key, "duequeue:names:"): // and what leads to them
			attempts := strings.Replace(key, ":names:", ":attempts:", 1)
			for name, field := range rdb.HGetAll(t.Context(), key).Val() {
				if !rdb.HExists(t.Context(), attempts, field).Val() {
					out = append(out, fmt.Sprintf("%s: %q leads nowhere", key, name))
				}
			}
		case strings.HasPrefix(key, "duequeue:control:"): // the number of partitions
		case key == "redisson_delay_queue:{off}":
			// Java's view is behind there.
		default:
			out = append(out, "left over: "+key)
		}
	}
	return out
}

// soakWorker is what workers on both sides have.
type soakWorker struct {
	soakRandom
	who  string
	plan soakPlan
	emit func(soakEvent)
	made map[string]int // messages offered, by queue
}

// next names the worker's next message of a queue.
func (w *soakWorker) next(queue string) string {
	n := w.made[queue]
	w.made[queue]++
	return soakPayload(w.who, queue, n)
}

// someone names a message that some worker may have offered lately.
func (w *soakWorker) someone(queue string) string {
	n := w.made[queue]
	return soakPayload(w.plan.Mates[w.below(len(w.plan.Mates))], queue, max(0, n-w.below(min(n, 40)+1)))
}

// delay is nothing, short, or long.
func (w *soakWorker) delay() time.Duration {
	switch n := w.below(10); {
	case n == 0:
		return 0
	case n < 7:
		return time.Duration(w.below(1000)) * time.Millisecond
	}
	return time.Duration(w.below(int(w.plan.MaxDelay.Milliseconds()))) * time.Millisecond
}

// pace calls one after the other until the time is over, at most two hundred a second.
func (w *soakWorker) pace(ctx context.Context, one func(context.Context)) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(w.plan.Duration)
	defer end.Stop()
	for {
		select {
		case <-end.C:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
			one(ctx)
		}
	}
}

// note emits an event that began at from and ends now.
func (w *soakWorker) note(e soakEvent, from time.Time) {
	e.Who, e.From, e.To = w.who, from.UnixMicro(), time.Now().UnixMicro()
	w.emit(e)
}
