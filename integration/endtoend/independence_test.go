package endtoend_test

import (
	"context"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
)

// TestQueuesAreIndependent: neither an empty first queue nor a hanging handler on
// it delays a second queue by 50 ms.
func TestQueuesAreIndependent(t *testing.T) {
	srv := lab.Start(t)
	client := rig.Open(t, srv.URL())
	first, second := define(t, "_first"), define(t, "_second")
	hanging, release := make(chan struct{}), make(chan struct{})
	hang := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		close(hanging)
		<-release // also past the end of its context: it hangs
		return nil
	})
	var collector rig.Collector[string]
	rig.Run(t, client,
		framework.Consume(first, hang, framework.Workers(1)),
		framework.Consume(second, &collector))

	offer := func(delay time.Duration) { rig.Offer(t, client, second, "m", delay) }
	punctual(t, "beside an empty queue", &collector, offer)
	t.Log("the first queue was empty; now its only worker hangs")
	rig.Offer(t, client, first, "stuck", 0)
	<-hanging
	defer close(release)
	punctual(t, "beside a hanging handler", &collector, offer)
}

// punctual offers messages with delays and wants each handled within 50 ms of its
// due time, and later only by what a busy machine costs: what is not run for some ms
// stalls at each of several steps. A round may be late all the same; a queue that waits
// for another one is late in every round.
func punctual(t *testing.T, where string, collector *rig.Collector[string], offer func(time.Duration)) {
	t.Helper()
	const rounds, each, limit = 6, 20, 50 * time.Millisecond
	stalls := rig.Stalls(t)
	for round := range rounds {
		stalls()
		before := collector.Count()
		for i := range each {
			offer(time.Duration(100+20*i) * time.Millisecond)
		}
		var worst time.Duration
		for _, g := range collector.Await(t, before+each, patient)[before:] {
			worst = max(worst, g.Lateness)
		}
		busy := min(8*stalls(), time.Second) // a queue that waits is later than that
		if worst < limit+busy {
			t.Logf("report: %s: at most %v late (round %d; allowed for a busy machine %v)", where, worst.Round(100*time.Microsecond), round+1, busy.Round(time.Millisecond))
			return
		}
		t.Logf("round %d: %v late, allowed %v", round+1, worst, limit+busy)
	}
	t.Errorf("%s: in each of %d rounds a message was more than %v late", where, rounds, limit)
}
