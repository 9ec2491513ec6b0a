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
// f is called at least once for each dead letter, in one process, before registry.DeadLimit or
// DeadAge delete it; also for letters that exist when f is first used. It is not called for a
// letter that is redriven or dropped first. f should return within 30 seconds, when its context
// ends. Returning nil says that it did its work.
//
// After an error, a panic or the death of the process, f is called again for that letter after a
// minute, possibly in another process, then after 2, 4, 8 minutes and so on up to 6 hours. After
// twenty calls, some three days, the log says that f is not called again; the letter stays in
// the dead store. Other letters do not wait. If f fails for three different letters in a row, a
// pause of 1 to 5 seconds follows each further one. Unreported letters may fill ten times the
// bounds of the store; those beyond are deleted, and the log says so.
//
// A process makes at most four calls that never return, for each partition; health names them,
// and f is not called there until one returns.
//
// The consumer group duequeue of the dead store remembers which letters were reported. When no
// process uses OnDead any more, delete it with XGROUP DESTROY; "duequeue leave" deletes it too.
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
