package telemetry

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/metric"
)

// A tally is passed on to its counter after so many, or when so much time has
// passed since the last time.
const (
	tallyCount = 64
	tallyTime  = 100 * time.Millisecond
)

// tally gathers counts before they go to a counter: at hundreds of thousands of
// messages a second one Add each is a quarter of the cost of telemetry.
// What is gathered is passed on before each collection; see Telemetry.Observe.
type tally struct {
	counter metric.Int64Counter
	opts    []metric.AddOption
	epoch   time.Time
	pending atomic.Int64
	passed  atomic.Int64 // when it was last passed on, since epoch
}

// one counts one at the given moment.
func (t *tally) one(ctx context.Context, now time.Time) {
	n, at := t.pending.Add(1), int64(now.Sub(t.epoch))
	if n >= tallyCount || at-t.passed.Load() >= int64(tallyTime) {
		t.passed.Store(at)
		t.flush(ctx)
	}
}

// flush passes on what was gathered.
func (t *tally) flush(ctx context.Context) {
	if n := t.pending.Swap(0); n > 0 {
		t.counter.Add(ctx, n, t.opts...)
	}
}

// flush passes on what all queues gathered.
func (t *Telemetry) flush(ctx context.Context) {
	t.mu.Lock()
	queues := slices.Collect(maps.Values(t.queues))
	t.mu.Unlock()
	for _, q := range queues {
		q.consumed.flush(ctx)
		q.unknownDue.flush(ctx)
	}
}
