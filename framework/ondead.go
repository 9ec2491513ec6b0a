package framework

import (
	"context"
	"errors"

	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
)

// OnDead calls f for each dead letter of the queue, one at a time for each partition. Give it to
// [ForAll] or [New] for all queues. Package ondead has ready functions: a webhook, an event of
// OpenTelemetry.
//
// Each letter is told of at least once, by one process of the fleet, and before
// registry.DeadLimit or DeadAge delete it; also those that lie there when f is first used. A
// letter that is redriven or dropped before is not. f should return within 30 seconds, when its
// context ends; returning nil says that it did its work.
//
// After an error or a panic the letter is told of again after a minute, perhaps by another process,
// then after 2, 4, 8 minutes and so on up to 6 hours; so it is if the process dies meanwhile. After
// twenty times, some three days, it is given up, and the log says so; it stays in the dead store.
// Other letters do not wait for it. Only where f fails for three different letters one after the
// other is there a pause, of 1 to 5 seconds, before each further one. The log says when f
// begins to fail and when it works again. Letters that nobody was told of have ten times the
// store's bounds; those beyond are deleted, and the log says so.
//
// Of calls that never return a process makes at most four at a time for each partition; health
// names them, and no letter is told of there until one returns.
//
// The fleet's place is the consumer group duequeue of the dead store. When no process uses
// OnDead any more, delete it by XGROUP DESTROY; "duequeue leave" deletes it with the store.
func OnDead(f func(ctx context.Context, m DeadMessage) error) ConsumeOption { return onDeadOption{f} }

type onDeadOption struct {
	f func(context.Context, DeadMessage) error
}

func (o onDeadOption) String() string { return "OnDead(…)" }

func (o onDeadOption) applyConsume(p *consumePolicy) error {
	if o.f == nil {
		return errors.New("the function is nil")
	}
	code := p.code
	p.Tell = func(ctx context.Context, l partitions.Letter) error {
		m := deadMessage(l)
		m.Queue = code
		return o.f(ctx, m)
	}
	return nil
}
