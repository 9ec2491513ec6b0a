package framework

import (
	"context"
	"fmt"

	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/handlers"
)

// BuryOptions are the options of [ReadyView.Bury]. The zero value buries all.
type BuryOptions struct {
	// Detail says why. It stands in the dead store, up to 4,096 bytes of it.
	Detail string
	// Class chooses messages with the name of a Java class in their payload, as
	// [DeadFilter.Class] does. Empty chooses all.
	Class string
	// Choose reports whether a message is to go, by its payload, and must not keep that. Nil
	// chooses all.
	Choose func(body []byte) bool
	// Limit is the most messages to move; 0 is no limit.
	Limit int64
	// DryRun changes nothing, and counts in Matched what would be moved.
	DryRun bool
	// Each, if set, is called for each message that is chosen, before it is moved, on the
	// caller's goroutine.
	Each func(body []byte)
	// Progress, if set, is called after each step, on the caller's goroutine.
	Progress func(BuryResult)
}

// BuryResult counts what [ReadyView.Bury] did.
type BuryResult struct {
	Buried  int64
	Matched int64 // chosen among the messages that were looked at; in a dry run, what would be moved
	Looked  int64 // messages that were looked at
	Left    int64 // messages that were ready when it began and were not looked at, since Limit was reached
}

// buryShare is the part of Redis's time that a run takes.
const buryShare = 0.1

// Bury moves ready messages to the dead store, the next one to be handled first, with what is
// known of them and the reason [handlers.ReasonBuried]: payloads of another codec, say, that hold
// up what waits behind them. [DeadView.Redrive] puts them back. It looks at those that are
// ready when it begins, in steps of a few ms of Redis's time and a tenth of that in all; what
// others take meanwhile moves the rest, so that it may miss some: call it again. A message that
// a process has taken is not ready. Where a call ends early, what is done stays done, and nothing
// is lost: a message is copied before it is removed, in one script.
func (v ReadyView[T]) Bury(ctx context.Context, o BuryOptions) (r BuryResult, err error) {
	t, err := v.queue.target()
	if err != nil {
		return r, err
	}
	if o.Limit < 0 {
		return r, fmt.Errorf("BuryOptions: Limit %d must not be negative", o.Limit)
	}
	choose := func(body []byte) bool {
		return (o.Class == "" || holdsName(body, o.Class)) && (o.Choose == nil || o.Choose(body))
	}
	b := partitions.Bury{
		Redis: v.queue.client.rdb, Reason: handlers.ReasonBuried, Detail: o.Detail, DryRun: o.DryRun,
		Limit: unlimited(o.Limit), Pace: budget.PaceOf(buryShare), Choose: choose, Each: o.Each,
	}
	if o.Progress != nil {
		b.Progress = func() { o.Progress(BuryResult(b.Done)) }
	}
	err = b.Run(ctx, t.of.keys)
	return BuryResult(b.Done), err
}
