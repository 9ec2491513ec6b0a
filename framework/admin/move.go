package admin

import (
	"context"
	"fmt"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// MoveOptions shape [Move]. The zero value moves.
type MoveOptions struct {
	// DryRun changes nothing, and counts.
	DryRun bool
	// Share bounds the part of the time for which Redis works for this call, from 0.001 to 1.
	// Defaults to DefaultFieldShare.
	Share float64
	// Progress is called after each step with what was done so far. May be nil.
	Progress func(Moved)
}

// Moved is what [Move] did with the messages of a queue.
type Moved struct {
	Ready, Delayed int64 // that were there when it began; in a dry run they would be moved
	Moved          int64
	There          int64 // dropped: the other queue had the same message, of the same id and bytes
	// Resumed counts those of Moved and There that an earlier call had put aside when it ended early;
	// ResumedTo is the queue to which that moved them.
	Resumed   int64
	ResumedTo string
	// InFlight and Dead count what stays: messages that processes hold, and the dead store.
	InFlight, Dead int64
}

// MoveError says why messages cannot be moved between two queues.
type MoveError struct {
	From, To string
	Reason   string
}

// Error names both queues.
func (e *MoveError) Error() string {
	return fmt.Sprintf("messages of %q cannot be moved to %q: %s", e.From, e.To, e.Reason)
}

// Move moves the messages of a queue that are ready or pending to another queue, such as those that a
// program has offered to a misspelt name. Both are named as for [Diagnose]; both may have
// partitions, and may be on different nodes of a Cluster. Each message keeps its bytes, its due
// time, its ID but for the partition in it, its key where no other message has that there, its
// attempts and its trace. Ready ones go behind those that are ready there.
//
// Java and Go may offer to both queues and take from both at the same time. Each message is moved once,
// wherever this process is killed: up to 100 of them, or about 1 MiB, stay set aside for some
// milliseconds, and stay there if it is killed, until Move is called again for the first queue:
// [QueueStatus].Aside counts them. What is offered while it runs may stay.
//
// Errors are a [*MoveError] where both are one queue, those of [Diagnose] and of Redis, and the end
// of ctx; then what was done so far is returned.
func Move(ctx context.Context, c *framework.Client, from, to string, o MoveOptions) (Moved, error) {
	client := access.Of(c)
	sources, _, err := partsOf(ctx, client, from)
	if err != nil {
		return Moved{}, &fault.QueueError{Queue: from, Err: err}
	}
	targets, noted, err := partsOf(ctx, client, to)
	if err != nil {
		return Moved{}, &fault.QueueError{Queue: to, Err: err}
	}
	for _, k := range sources {
		for _, other := range targets {
			if k.Timeout == other.Timeout || k.Queue == other.Queue {
				return Moved{}, &MoveError{From: from, To: to, Reason: "both are the same queue to Redis"}
			}
		}
	}
	n, err := partitions.Counts(ctx, client.Redis, sources)
	done := Moved{Ready: n.Ready, Delayed: n.Delayed, InFlight: n.InFlight, Dead: n.Dead}
	if err != nil || o.DryRun {
		return done, err
	}
	p := budget.PaceWithin(o.Share, DefaultFieldShare)
	args := delayed.MoveArgs{
		To: to, Parts: max(noted.N, 1),
		Target: func(queue string, n int) ([]wire.Keys, error) { return partitions.Keys(queue, n, client.Keys) },
		Rest: func(ctx context.Context) error {
			defer p.Begin()
			return p.Rest(ctx)
		},
	}
	for _, k := range sources {
		before := done
		one, err := partitions.Counts(ctx, client.Redis, []wire.Keys{k})
		if err != nil {
			return done, err
		}
		args.Most = one.Ready + one.Delayed
		args.Progress = func(m delayed.MoveCount) {
			if done = before.plus(m); o.Progress != nil {
				o.Progress(done)
			}
		}
		p.Begin()
		m, err := delayed.MoveAll(ctx, client.Redis, k, args)
		if done = before.plus(m); err != nil {
			return done, &fault.QueueError{Queue: from, Err: err}
		}
	}
	return done, nil
}

func (m Moved) plus(o delayed.MoveCount) Moved {
	m.Moved, m.There, m.Resumed = m.Moved+o.Moved, m.There+o.There, m.Resumed+o.Before
	if o.BeforeTo != "" {
		m.ResumedTo = o.BeforeTo
	}
	return m
}
