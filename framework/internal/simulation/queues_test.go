//go:build simulation

package simulation

import (
	"fmt"
	"hash/fnv"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// kind says what a message does to its handler. It stands in the payload.
type kind string

const (
	plain  kind = "plain"  // some ms
	once   kind = "once"   // fails at its first attempt
	fails  kind = "fails"  // always
	flaky  kind = "flaky"  // one attempt in four
	slow   kind = "slow"   // up to a minute
	long   kind = "long"   // longer than a lease
	large  kind = "large"  // 100 kB
	poison kind = "poison" // kills its process
	tick   kind = "tick"   // equal to all other ticks; fails as flaky does
)

// queue is one queue of the fleet.
type queue struct {
	*registry.Queue[string]
	kinds  []kind // that are offered, each as likely as the others
	equal  bool   // all payloads are equal
	shared bool   // a Java service takes from it, too
	// suffers: its own messages hold up others of this queue: failures open its breaker,
	// suspects run alone.
	suffers bool
	// patience is what its messages need beside others of it: one that was in flight in two
	// deaths and then runs for a minute lets the others rest for four.
	patience time.Duration
}

// newQueues declares those of a run.
func newQueues() []*queue {
	declare := func(code string, attempts int, opts ...registry.Option) *registry.Queue[string] {
		all := append([]registry.Option{
			registry.Codec(codecs.String()), registry.MaxAttempts(attempts), registry.OnForeign(registry.ForeignIgnore),
			registry.Backoff(registry.Steps(backoff...)),
		}, opts...)
		return registry.Define[string](code, code, all...)
	}
	return []*queue{
		{Queue: declare("plain", maxAttempts), kinds: []kind{plain, plain, plain, once}},
		{Queue: declare("quick", maxAttempts, registry.Partitions(3)), kinds: []kind{plain}},
		{Queue: declare("slow", maxAttempts), kinds: []kind{slow, slow, slow, long, plain, plain, once}, patience: 10 * time.Minute},
		{Queue: declare("poisoned", maxAttempts), kinds: []kind{plain, plain, plain, plain, plain, plain, slow, slow, slow, slow, slow, poison}, suffers: true},
		{Queue: declare("failing", maxAttempts), kinds: []kind{plain, fails, once, flaky}, suffers: true},
		{Queue: declare("large", maxAttempts), kinds: []kind{plain, large}},
		{Queue: declare("ticks", 6), kinds: []kind{tick}, equal: true, suffers: true},
		{Queue: declare("java", 6, registry.MaxLateness(maxLateness, registry.Expire)), kinds: []kind{tick}, equal: true, shared: true, suffers: true},
	}
}

// parts are the keys of the queue's partitions: one set for each.
func (q *queue) parts() []wire.Keys {
	parts := make([]wire.Keys, q.Policy().AllPartitions())
	for i := range parts {
		parts[i] = wire.KeysOf(wire.PartitionName(q.Key(), i))
	}
	return parts
}

var backoff = []time.Duration{time.Second, 5 * time.Second, 20 * time.Second}

const (
	maxAttempts = 4
	maxLateness = 12 * time.Minute // more than all faults together hold a message up
)

// payload names the message; of ticks there is but one.
func payload(q *queue, k kind, number int) string {
	switch k {
	case tick:
		return string(tick)
	case large:
		return fmt.Sprintf("%s %d %0100000d", k, number, 0)
	default:
		return fmt.Sprintf("%s %d of %s", k, number, q.Code())
	}
}

// draw draws the same for the same, whatever the order.
func draw(n int, of ...any) int {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, of...)
	return int(h.Sum64() % uint64(n)) //nolint:gosec // small
}
