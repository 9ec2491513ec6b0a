package endtoend_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// recordOrDie kills its own process where the message says how, and records others as
// recordSlowly does.
func recordOrDie(rdb *redis.Client) handlers.Func[string] {
	record := recordSlowly(rdb)
	return func(ctx context.Context, d *handlers.Delivery[string]) error {
		name, how, _ := strings.Cut(d.Payload, " ")
		if name != "killer" {
			return record(ctx, d)
		}
		if err := rdb.RPush(ctx, startedKey, d.Payload).Err(); err != nil {
			return err
		}
		how, _, _ = strings.Cut(how, " ")
		switch how {
		case "exit":
			os.Exit(3)
		case "signal":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		case "memory":
			eatMemory()
		}
		return errors.New("the process lives on")
	}
}

// eatMemory sets a limit a little above what the process has, and exceeds it.
func eatMemory() {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	pages, err := strconv.ParseUint(strings.Fields(string(text))[0], 10, 64)
	if err != nil {
		return
	}
	limit := pages*uint64(os.Getpagesize()) + 128<<20
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		return
	}
	var eaten [][]byte
	for {
		eaten = append(eaten, make([]byte, 8<<20))
		eaten[len(eaten)-1][0] = 1
	}
}

// TestKillersGoToTheDeadStoreAndNobodyElse: messages that kill their process, in the
// midst of neighbours, are dead after three deaths; each neighbour is handled.
func TestKillersGoToTheDeadStoreAndNobodyElse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		killers    []string // each is one message
		workers    int
		batch      int // size of batches; 0 is single messages
		neighbours int
		rounds     int
		always     bool // also in the short form
	}{
		{"exits, several times", []string{"killer exit"}, 8, 0, 40, 2, false},
		{"kills itself", []string{"killer signal"}, 8, 0, 40, 1, true},
		{"eats memory", []string{"killer memory"}, 8, 0, 40, 1, false},
		{"within a fetch of 64", []string{"killer signal"}, 64, 0, 200, 1, false},
		{"two at once", []string{"killer signal 1", "killer exit 2"}, 8, 0, 40, 1, false},
		{"two in a fetch of 64", []string{"killer exit 1", "killer signal 2"}, 64, 0, 100, 1, true},
		{"within a batch", []string{"killer signal"}, 2, 20, 60, 1, false},
		{"two in a batch", []string{"killer exit 1", "killer signal 2"}, 1, 30, 60, 1, true},
	}
	for _, tt := range tests {
		if !tt.always && !lab.LongForm() {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := lab.StartRedis(t)
			c := &crashLoop{rdb: srv.Client(), client: rig.OpenConfig(t, victimConfig(srv.URL()))}
			c.spec = serviceSpec{
				URL: srv.URL(), Queue: "crashes", Workers: tt.workers, Batch: tt.batch, Lease: victimLease, Stop: 5 * time.Second, Handler: "killer",
			}
			c.queue = registry.Define[string]("crashes", "some kill their process", registry.Codec(codecs.String()))
			for round := range tt.rounds {
				c.run(t, round, tt.killers, tt.neighbours)
			}
		})
	}
}

// crashLoop is a queue whose only consumer is started again whenever it dies.
type crashLoop struct {
	rdb    *redis.Client
	client *framework.Client
	queue  *registry.Queue[string]
	spec   serviceSpec
}

func (c *crashLoop) run(t *testing.T, round int, kinds []string, neighbours int) {
	t.Helper()
	var want, killers []string
	ready := make([]any, 0, neighbours+len(kinds))
	for i := range neighbours {
		want = append(want, fmt.Sprintf("neighbour-%d-%d 30ms", round, i))
		ready = append(ready, want[i])
	}
	for i, kind := range kinds {
		killers = append(killers, fmt.Sprintf("%s round %d", kind, round))
		ready = slices.Insert(ready, 3+4*i, any(killers[i])) // beside others in one fetch
	}
	if err := c.rdb.RPush(t.Context(), c.queue.Key(), ready...).Err(); err != nil { // as a Java service's transfer does
		t.Fatal(err)
	}
	deaths, process := 0, startService(t, c.spec)
	lab.Wait(t, func() string {
		select {
		case <-process.ended:
			deaths++
			process = startService(t, c.spec)
		default:
		}
		missing, dead := c.missing(t, want), c.dead(t)
		if missing == 0 && len(dead) >= (round+1)*len(kinds) {
			return ""
		}
		return fmt.Sprintf("after %d deaths: %d neighbours missing, dead %q, %s", deaths, missing, dead, rig.Standing(t, c.client, c.queue))
	})
	process.signal(t, syscall.SIGTERM)
	if err := process.wait(t); err != nil {
		t.Errorf("stop: %v", err)
	}
	c.check(t, killers, deaths)
}

// missing counts the neighbours that were not handled.
func (c *crashLoop) missing(t *testing.T, want []string) (n int) {
	t.Helper()
	finished, err := c.rdb.LRange(t.Context(), finishedKey, 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(finished)
	finished = slices.Compact(finished)
	for _, w := range want {
		if _, found := slices.BinarySearch(finished, w); !found {
			n++
		}
	}
	return n
}

// dead returns the dead messages.
func (c *crashLoop) dead(t *testing.T) (payloads []string) {
	t.Helper()
	entries, err := c.rdb.XRange(t.Context(), "duequeue:dead:{"+c.queue.Key()+"}", "-", "+").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		body, _ := e.Values["body"].(string)
		if e.Values["reason"] != handlers.ReasonCrashLoop || e.Values["died"] != "3" {
			t.Errorf("dead message %q: %v after %v deaths", body, e.Values["reason"], e.Values["died"])
		}
		if !strings.HasPrefix(body, "killer ") {
			t.Fatalf("dead neighbour %q", body)
		}
		payloads = append(payloads, body)
	}
	return payloads
}

func (c *crashLoop) check(t *testing.T, killers []string, deaths int) {
	t.Helper()
	c.dead(t) // fails where a neighbour is among them
	started := c.rdb.LRange(t.Context(), startedKey, 0, -1).Val()
	for _, k := range killers {
		n := 0
		for _, s := range started {
			if s == k {
				n++
			}
		}
		if n > 3 || n == 0 {
			t.Errorf("%q was started %d times, want at most 3", k, n)
		}
	}
	if most := 3 * len(killers); deaths > most || deaths < 3 {
		t.Errorf("%d deaths, want at most %d", deaths, most)
	}
	if counts := rig.Counts(t, c.client, c.queue); counts.Ready+counts.Delayed != 0 {
		t.Errorf("left over: %+v", counts)
	}
	if left := c.rdb.HGetAll(t.Context(), "duequeue:attempts:{"+c.queue.Key()+"}").Val(); len(left) != 0 {
		t.Errorf("counters left: %v", left)
	}
	t.Logf("report: %d killers: %d deaths, all neighbours handled, none of them dead", len(killers), deaths)
}
