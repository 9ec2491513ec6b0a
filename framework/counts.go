package framework

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
)

// Counts says how many messages of a queue are where, at one moment.
type Counts struct {
	Ready    int64 // in the ready list: due, and waiting for a consumer
	Delayed  int64 // pending: offered by Go or Java
	Overdue  int64 // pending though due: no process transfers the queue, or not fast enough
	Dead     int64 // in the dead store
	Sessions int64 // Go consumers, dead ones included until they are reaped

	// InFlight counts the messages that Go processes hold: those that are being handled,
	// those that wait for a worker, and those of dead processes until they are reaped.
	InFlight int64
	// Stranded counts those of InFlight whose process has not renewed its lease in time.
	// Any Go process that transfers the queue returns them, and so does admin.Reap.
	Stranded int64

	// Lag is for how long the oldest message is due that no handler has started: pending, ready,
	// or left in the stage of a process that died. It grows while no consumer lives, and is 0
	// where nothing waits. It is that of the head of the ready list, where messages lie in
	// the order in which they are taken.
	Lag time.Duration
	// LagAtLeast says that Lag is a lower bound, since it is not known when the message was
	// due: Java transferred it, or due tracking is off. Then Lag counts from the first call of
	// Counts, in any process, that saw it at the head, or from when a message behind it came;
	// of a message that came back from a process, from when it was first taken.
	LagAtLeast bool

	// NextDue is when the next pending message is due; the zero time for none.
	NextDue time.Time
}

// Counts counts the messages of the queue, Java's included. What Java's consumers have
// taken is gone from Redis and not counted. All counts but InFlight and Stranded are of one
// moment, of each partition where there are several (registry.Partitions), and cost the same for any
// number of messages. A message that goes from its handler to its retry in between is counted
// at least once, so that an empty queue is empty. If Go processes consume, these two
// cost three further round trips, one or two commands for each session and fetch (of 1,000
// at most), and about 1 ms of Redis for each MiB in flight.
func (q *Queue[T]) Counts(ctx context.Context) (Counts, error) {
	t, err := q.target()
	if err != nil {
		return Counts{}, err
	}
	n, err := partitions.Counts(ctx, q.client.rdb, t.of.keys)
	if err != nil {
		return Counts{}, err
	}
	out := Counts{
		Ready: n.Ready, Delayed: n.Delayed, Overdue: n.Overdue, Dead: n.Dead, Sessions: n.Sessions,
		InFlight: n.InFlight, Stranded: n.Stranded, Lag: time.Duration(n.Lag.Ms) * time.Millisecond, LagAtLeast: n.Lag.AtLeast,
	}
	if n.NextDueMs >= 0 {
		out.NextDue = time.UnixMilli(n.NextDueMs)
	}
	return out, nil
}
