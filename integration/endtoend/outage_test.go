package endtoend_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// dependency is what the handlers of the outage test call.
type dependency struct {
	calling atomic.Int32 // calls that have not returned

	mu        sync.Mutex
	down      bool
	downCalls int            // calls while it was down
	done      map[string]int // successes by message
	served    int
}

var errDown = errors.New("connection refused")

func (d *dependency) call(message string) error {
	d.calling.Add(1)
	defer d.calling.Add(-1)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down {
		d.downCalls++
		return errDown
	}
	d.done[message]++
	d.served++
	return nil
}

func (d *dependency) heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down = false
}

func (d *dependency) counts() (served, distinct, downCalls int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.served, len(d.done), d.downCalls
}

// TestOutageBurnsNoMessage: the dependency of a handler is down for a while under a
// load. All are handled afterwards, none is dead, and meanwhile
// the handler was called for probes only.
func TestOutageBurnsNoMessage(t *testing.T) {
	t.Parallel()
	const (
		messages = 500
		workers  = 8
		failures = 5
		openFor  = 200 * time.Millisecond
		outage   = time.Second
	)
	srv := lab.StartRedis(t)
	client := rig.Open(t, srv.URL())
	// Two attempts only, all of which count: what was not tried probes first, so that each
	// message fails once at most.
	queue := define(t, "", registry.MaxAttempts(2), registry.Backoff(registry.Exponential(50*time.Millisecond, time.Second)))
	dep := &dependency{done: map[string]int{}}
	handler := handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error { return dep.call(d.Payload) })
	rig.Run(t, client, framework.Consume(queue, handler, framework.Workers(workers),
		framework.Breaker(framework.BreakerConfig{Failures: failures, OpenFor: openFor, MaxOpenFor: openFor})))

	for i := range messages / 5 {
		rig.Offer(t, client, queue, fmt.Sprint(i), 0)
	}
	lab.Wait(t, func() string {
		if served, _, _ := dep.counts(); served < messages/10 {
			return fmt.Sprintf("%d served", served)
		}
		return ""
	})
	// It goes down under calls of all workers.
	dep.mu.Lock()
	for i := messages / 5; i < messages/4; i++ {
		rig.Offer(t, client, queue, fmt.Sprint(i), 0)
	}
	lab.Wait(t, func() string {
		if n := dep.calling.Load(); n < workers {
			return fmt.Sprintf("%d calls", n)
		}
		return ""
	})
	dep.down = true
	dep.mu.Unlock()
	began := time.Now()
	down := time.NewTimer(outage)
	for i := messages / 4; i < messages; i++ {
		rig.Offer(t, client, queue, fmt.Sprint(i), time.Duration(i)*time.Millisecond)
	}
	<-down.C
	_, _, calls := dep.counts()
	dep.heal()
	lasted := time.Since(began) // on a busy machine offering takes longer than the timer

	lab.Wait(t, func() string {
		if _, distinct, _ := dep.counts(); distinct < messages {
			return fmt.Sprintf("%d of %d handled; %s", distinct, messages, rig.Standing(t, client, queue))
		}
		return ""
	})
	lab.Wait(t, func() string {
		if c := rig.Counts(t, client, queue); c.Ready+c.Delayed+c.Dead != 0 {
			return fmt.Sprintf("left over: %+v", c)
		}
		return ""
	})
	// What tripped it, what was running then, and one probe each time it half-opened.
	if limit := failures + workers + int(lasted/openFor) + 1; calls > limit {
		t.Errorf("%d calls while the dependency was down for %v, want probes only (at most %d)", calls, lasted, limit)
	}
	t.Logf("report: outage of %v under %d messages: %d calls meanwhile, all handled afterwards, none dead", lasted.Round(time.Millisecond), messages, calls)
}
