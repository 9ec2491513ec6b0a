package endtoend_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// fleet is a number of services on one queue.
type fleet struct {
	rdb    *redis.Client
	client *framework.Client
	queue  *registry.Queue[string]
	spec   serviceSpec
}

func newFleet(t *testing.T, workers int, stop time.Duration) *fleet {
	t.Helper()
	srv := lab.StartRedis(t)
	f := &fleet{rdb: srv.Client(), client: rig.OpenConfig(t, victimConfig(srv.URL()))}
	f.spec = serviceSpec{URL: srv.URL(), Queue: "deployed", Workers: workers, Lease: 5 * time.Second, Stop: stop, Handler: "record"}
	f.queue = registry.Define[string]("deployed", "its services are replaced", registry.Codec(codecs.String()))
	return f
}

// serve starts a service and returns once it handles the queue.
func (f *fleet) serve(t *testing.T) *child {
	t.Helper()
	c := startService(t, f.spec)
	lab.Wait(t, func() string {
		if slices.Contains(f.list(t, readyKey), fmt.Sprint(c.pid())) {
			return ""
		}
		return "service not ready"
	})
	return c
}

func (f *fleet) list(t *testing.T, key string) []string {
	t.Helper()
	all, err := f.rdb.LRange(t.Context(), key, 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// times counts how often each message is in a list.
func (f *fleet) times(t *testing.T, key string) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, v := range f.list(t, key) {
		n[v]++
	}
	return n
}

// offers adds short messages at a steady pace until ctx ends, and returns what was accepted.
func (f *fleet) offers(ctx context.Context) []string {
	var accepted []string
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return accepted
		case <-tick.C:
		}
		payload := fmt.Sprintf("short-%d %dms", i, 1+i*7%50)
		if _, err := framework.Bind(f.client, f.queue).Offer(ctx, payload, time.Duration(i*13%300)*time.Millisecond); err == nil {
			accepted = append(accepted, payload)
		}
	}
}

// TestRollingDeployLosesAndDoublesNothing: services under load are replaced one after the
// other, in the long form twice around. Handlers shorter than the budget run exactly once;
// longer ones are cancelled, go back, and are counted as possible duplicates.
func TestRollingDeployLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	if lab.LongForm() {
		deployInTime(t, "", "", "")
	} else {
		deployInTime(t, "", "")
	}
}

// deployInTime deploys with a larger budget where a busy machine was too slow for one that is
// plenty on a quiet one. Code that uses up whatever it is given is late with each.
func deployInTime(t *testing.T, programs ...string) {
	t.Helper()
	for _, budget := range []time.Duration{2 * time.Second, 8 * time.Second, 20 * time.Second} {
		if rollingDeploy(t, budget, programs...) {
			return
		}
	}
	t.Error("services do not stop within their budget")
}

// rollingDeploy starts services of a program and replaces all of them by those of the next
// program, and so on. It reports false, and judges nothing, when one did not stop within its
// budget, as fx says by the exit code.
func rollingDeploy(t *testing.T, budget time.Duration, programs ...string) (inTime bool) {
	t.Helper()
	services := size(3, 4)
	f := newFleet(t, 8, budget)
	f.spec.Lease = 30 * time.Second // nobody dies here, and none shall lose it on a busy machine
	f.spec.program = programs[0]
	running := make([]*child, services)
	for i := range running {
		running[i] = f.serve(t)
	}
	defer func() {
		for _, c := range running {
			_ = c.cmd.Process.Kill() // those of a deploy that was too slow
		}
	}()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	offered := make(chan []string, 1)
	go func() { offered <- f.offers(ctx) }()

	var long []string
	for _, f.spec.program = range programs[1:] {
		for i, old := range running {
			f.awaitMore(t, 100)
			if i == 0 {
				long = append(long, f.occupy(t, services)...)
			}
			old.signal(t, syscall.SIGTERM)
			running[i] = f.serve(t) // beside the old one, as rolling deploys do
			if err := old.wait(t); err != nil {
				t.Logf("service %d ended with %v, of a budget of %v\n%s", i, err, budget, old.out)
				return false
			}
		}
	}
	stop()
	accepted := append(<-offered, long...)
	lab.Wait(t, func() string {
		if n := len(f.times(t, finishedKey)); n < len(accepted) {
			return fmt.Sprintf("%d of %d finished; %s", n, len(accepted), rig.Standing(t, f.client, f.queue))
		}
		return ""
	})
	for _, c := range running {
		c.signal(t, syscall.SIGTERM)
		if err := c.wait(t); err != nil {
			t.Logf("one of the last ended with %v, of a budget of %v\n%s", err, budget, c.out)
			return false
		}
	}
	f.account(t, accepted)
	return true
}

// occupy offers messages whose handlers are longer than a drain, and returns them once so many run
// that each of the services has one.
func (f *fleet) occupy(t *testing.T, services int) []string {
	t.Helper()
	var offered []string
	for i := range services * f.spec.Workers {
		payload := fmt.Sprintf("long-%d-%d %v", time.Now().UnixNano(), i, f.spec.Stop*3)
		if _, err := framework.Bind(f.client, f.queue).Offer(t.Context(), payload, 0); err != nil {
			t.Fatal(err)
		}
		offered = append(offered, payload)
	}
	lab.Wait(t, func() string {
		started, running := f.times(t, startedKey), 0
		for _, m := range offered {
			running += started[m]
		}
		if running <= (services-1)*f.spec.Workers {
			return fmt.Sprintf("%d of %d long handlers run", running, len(offered))
		}
		return ""
	})
	return offered
}

// account compares what was offered with what was started, finished and cancelled.
func (f *fleet) account(t *testing.T, accepted []string) {
	t.Helper()
	started, finished, cancelled := f.times(t, startedKey), f.times(t, finishedKey), f.times(t, rejectedKey)
	again := 0
	for _, m := range accepted {
		if finished[m] != 1 {
			t.Errorf("%q finished %d times", m, finished[m])
		}
		if started[m] != 1+cancelled[m] {
			t.Errorf("%q was started %d times and cancelled %d times", m, started[m], cancelled[m])
		}
		if strings.HasPrefix(m, "short") && started[m] != 1 {
			t.Errorf("%q, shorter than the budget, was started %d times", m, started[m])
		}
		again += started[m] - 1
	}
	counted, _ := f.rdb.HGet(t.Context(), doubtfulKey, "draining").Int()
	if counted != again {
		t.Errorf("%d possible duplicates counted, %d messages were started again", counted, again)
	}
	if again == 0 {
		t.Error("no long handler was interrupted: the test shows nothing about them")
	}
	if c := rig.Counts(t, f.client, f.queue); c.Ready+c.Delayed+c.Dead+c.Sessions != 0 {
		t.Errorf("left over: %+v", c)
	}
	t.Logf("report: services replaced under %d messages: nothing lost, no short one doubled, %d long ones interrupted and counted", len(accepted), again)
}

// TestSecondSignalStopsAtOnce: what runs is cancelled and goes back to the head, in
// order; the budget of fx, which is longer than anybody waits, is not used up.
func TestSecondSignalStopsAtOnce(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 4, time.Hour)
			c := f.serve(t)
			messages := []string{"a 1h", "b 1h deaf", "c 1h", "d 1h", "e 1h"}
			f.push(t, messages...)
			f.awaitStarted(t, 4)
			c.signal(t, syscall.SIGTERM)
			c.says(t, "drain: waiting for handlers") // for a second and more, by its log
			c.signal(t, second)
			if err := c.wait(t); err != nil {
				t.Errorf("ended with %v", err)
			}
			if got := f.list(t, f.queue.Key()); !slices.Equal(got, messages) {
				t.Errorf("left %q, want %q", got, messages)
			}
			if n, _ := f.rdb.HGet(t.Context(), doubtfulKey, "draining").Int(); n != 4 {
				t.Errorf("%d possible duplicates counted, want 4", n)
			}
			if c := rig.Counts(t, f.client, f.queue); c.Sessions != 0 {
				t.Errorf("left over: %+v", c)
			}
		})
	}
}

// TestKillInTheMiddleOfADrainLosesNothing: the operator's patience ends before the
// budget does.
func TestKillInTheMiddleOfADrainLosesNothing(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 4, time.Minute)
	f.spec.Lease = victimLease
	c := f.serve(t)
	messages := []string{"a 2s", "b 2s deaf", "c 10ms", "d 2s", "e 10ms", "f 10ms"}
	f.push(t, messages...)
	f.awaitStarted(t, 4)
	c.signal(t, syscall.SIGTERM)
	c.says(t, "drain: waiting for handlers")
	c.signal(t, syscall.SIGKILL)
	_ = c.wait(t) // "signal: killed"

	next := f.serve(t)
	lab.Wait(t, func() string {
		if n := len(f.times(t, finishedKey)); n < len(messages) {
			return fmt.Sprintf("%d of %d finished", n, len(messages))
		}
		return ""
	})
	next.signal(t, syscall.SIGTERM)
	if err := next.wait(t); err != nil {
		t.Errorf("stop: %v", err)
	}
	if c := rig.Counts(t, f.client, f.queue); c.Ready+c.Delayed+c.Dead+c.Sessions != 0 {
		t.Errorf("left over: %+v", c)
	}
}

func (f *fleet) push(t *testing.T, messages ...string) {
	t.Helper()
	for _, m := range messages {
		if err := f.rdb.RPush(t.Context(), f.queue.Key(), m).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// awaitMore waits until so many more messages were handled.
func (f *fleet) awaitMore(t *testing.T, n int64) {
	t.Helper()
	handled := func() int64 { return f.rdb.LLen(t.Context(), finishedKey).Val() }
	before := handled()
	lab.Wait(t, func() string {
		if more := handled() - before; more < n {
			return fmt.Sprintf("%d more handled", more)
		}
		return ""
	})
}

func (f *fleet) awaitStarted(t *testing.T, n int) {
	t.Helper()
	lab.Wait(t, func() string {
		if got := len(f.list(t, startedKey)); got < n {
			return fmt.Sprintf("%d of %d started", got, n)
		}
		return ""
	})
}

// says waits until the process has logged a text.
func (c *child) says(t *testing.T, text string) {
	t.Helper()
	lab.Wait(t, func() string {
		if strings.Contains(c.out.String(), text) {
			return ""
		}
		return "no log of " + text
	})
}
