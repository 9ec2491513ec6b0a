// Package deadstore looks after the dead stores of an engine's queues: it keeps their bounds, those
// of journals besides, and remembers the undecodable messages that may have to come back.
package deadstore

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/internal/trouble"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// How often dead stores are looked at: those with a bound, to keep it, and all, to
// tell of many.
const (
	trimEvery = 5 * time.Second
	tellEvery = 12 // times trimEvery
	many      = 1000
)

// Queue is a queue whose dead store is looked after.
type Queue struct {
	Code      string
	Keys      wire.Keys
	Limit     int           // of entries; 0 is none
	Age       time.Duration // of an entry; 0 is no limit
	Telemetry *telemetry.Queue

	// Tell is called for each letter, see [TellAll]; nil where nobody is told.
	Tell func(ctx context.Context, l partitions.Letter) error
	hung hung // calls of Tell

	Journal *journal.Book // whose bounds are kept, too; nil where there is none

	place    delayed.TrimPlace // where the next look for what is too much begins
	trimming trouble.State
	told     int64 // length at the last warning
}

// bounds keeps the bounds of dead stores, and warns where a store without bounds
// grows: nothing in it is deleted unless the queue's declaration says so.
type bounds struct {
	rdb    redisapi.Client
	log    *slog.Logger
	queues []*Queue
}

// KeepBounds looks at all queues until ctx ends.
func KeepBounds(ctx context.Context, rdb redisapi.Client, log *slog.Logger, queues []*Queue) {
	b := &bounds{rdb: rdb, log: log, queues: queues}
	t := time.NewTicker(trimEvery)
	defer t.Stop()
	for n := 0; ; n++ {
		for _, q := range queues {
			if q.Limit > 0 || q.Age > 0 {
				b.trim(ctx, q)
			}
		}
		if n%tellEvery == 0 {
			b.tell(ctx)
			b.forget(ctx)
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
	}
}

// idleSteps is how many steps of a look may find nothing to delete: what nobody was told of is
// passed over. The next look goes on there.
const idleSteps = 16

// trim deletes what is too much in one store, in small steps, and says what.
func (b *bounds) trim(ctx context.Context, q *Queue) {
	for idle := 0; ctx.Err() == nil && idle < idleSteps; {
		r, err := b.trimOnce(ctx, q)
		if err != nil {
			if ctx.Err() == nil && q.trimming.Begin(err) {
				b.log.WarnContext(ctx, "could not keep the bounds of the dead store; tried again until it works", "queue", q.Code, "err", err)
			}
			return
		}
		if lasted, was := q.trimming.End(); was {
			b.log.InfoContext(ctx, "the bounds of the dead store are kept again", "queue", q.Code, "after", lasted)
		}
		if len(r.Trimmed) > 0 {
			b.report(ctx, q, r)
		} else {
			idle++
		}
		if !r.More {
			return
		}
	}
}

// trimOnce deletes some of what is too much.
func (b *bounds) trimOnce(ctx context.Context, q *Queue) (delayed.TrimResult, error) {
	if q.Tell != nil {
		if err := delayed.KeepLetters(ctx, b.rdb, q.Keys); err != nil {
			return delayed.TrimResult{}, err
		}
	}
	r, err := delayed.TrimDead(ctx, b.rdb, q.Keys, delayed.TrimArgs{Most: q.Limit, Age: q.Age, From: q.place})
	q.place = r.Next
	return r, err
}

func (b *bounds) report(ctx context.Context, q *Queue, r delayed.TrimResult) {
	gone := make([]string, len(r.Trimmed))
	reasons, untold := map[string]int64{}, int64(0)
	for i, m := range r.Trimmed {
		gone[i] = fmt.Sprintf("%s %s %s %d bytes", wire.InPartition(q.Keys.Partition, m.Entry), m.Reason, m.Digest, m.Size)
		reasons[m.Reason]++
		if m.Untold {
			untold++
		}
	}
	for reason, n := range reasons {
		q.Telemetry.Trimmed(ctx, reason, n)
	}
	b.log.WarnContext(ctx, "deleted dead messages for good: the store is over the bounds that the queue declares",
		"queue", q.Code, "limit", q.Limit, "age", q.Age, "deleted", gone, "left", r.Left)
	if untold > 0 {
		q.Telemetry.Untold(ctx, untold)
		b.log.ErrorContext(ctx, "deleted dead letters that framework.OnDead has not accepted: the store is over ten times its bounds. Fix the function. If no process uses framework.OnDead any more, delete the group: XGROUP DESTROY of key and duequeue",
			"queue", q.Code, "untold", untold, "key", q.Keys.Dead)
	}
}

// tell warns of stores without bounds that hold very many messages: once at a
// thousand, and each time they have grown tenfold.
func (b *bounds) tell(ctx context.Context) {
	pipe := b.rdb.Pipeline()
	lengths := make([]*redis.IntCmd, len(b.queues))
	for i, q := range b.queues {
		lengths[i] = pipe.XLen(ctx, q.Keys.Dead)
	}
	_, _ = pipe.Exec(ctx) // the commands are read one by one; the next look comes soon
	for i, q := range b.queues {
		n, err := lengths[i].Result()
		switch {
		case err != nil || q.Limit > 0:
		case n < q.told/2:
			q.told = 0
		case n >= max(10*q.told, many):
			q.told = n
			b.log.WarnContext(ctx, "many messages lie in the dead store, and nothing is deleted there: fix the cause, then redrive or drop them (duequeue dead), or declare registry.DeadLimit or DeadAge",
				"queue", q.Code, "dead", n)
		}
	}
}

// forget deletes records of journals that are too old. Where it fails the next look comes soon, and
// what is written trims as well.
func (b *bounds) forget(ctx context.Context) {
	for _, q := range b.queues {
		for before := int64(-1); q.Journal != nil; {
			left, err := q.Journal.Trim(ctx, b.rdb, q.Keys)
			if err != nil || left == before || left == 0 {
				break
			}
			before = left
		}
	}
}
