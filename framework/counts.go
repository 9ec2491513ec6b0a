package framework

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/lease"
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

	// NextDue is when the next pending message is due; the zero time for none.
	NextDue time.Time
}

// Counts counts the messages of the queue, Java's included. What Java's consumers have
// taken is gone from Redis and not counted. All counts but InFlight and Stranded are of one
// moment, and cost the same for any number of messages. If Go processes consume, these two
// cost three further round trips, one or two commands for each session and fetch (of 1,000
// at most), and about 1 ms of Redis for each MiB in flight.
func (q *Queue[T]) Counts(ctx context.Context) (Counts, error) {
	t, err := q.target()
	if err != nil {
		return Counts{}, err
	}
	c := q.client
	n, err := delayed.Counts(ctx, c.rdb, t.Keys)
	if err != nil {
		return Counts{}, err
	}
	out := Counts{Ready: n.Ready, Delayed: n.Delayed, Overdue: n.Overdue, Dead: n.Dead, Sessions: n.Sessions}
	if n.NextDueMs >= 0 {
		out.NextDue = time.UnixMilli(n.NextDueMs)
	}
	if n.Sessions == 0 {
		return out, nil
	}
	held, err := lease.HeldBy(ctx, c.rdb, t.Keys)
	if err != nil {
		return Counts{}, err
	}
	for _, h := range held {
		out.InFlight += h.Messages
		if h.Ended(n.NowUs / 1000) {
			out.Stranded += h.Messages
		}
	}
	return out, nil
}
