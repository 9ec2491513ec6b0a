package engine

import (
	"context"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/foreign"
	"github.com/duequeue/duequeue/registry"
)

// lookForeign looks for foreign payloads in the queues that the engine handles, and returns
// those that are to be watched. Payloads of another codec refuse no start: the decode guard
// gives them back. Payloads of another class than the queue's Go type do, as a
// [*fault.ForeignPayloadsError]: each of them would go to the dead store. A look that fails
// refuses nothing.
func (e *Engine) lookForeign(ctx context.Context) ([]*foreign.Queue, error) {
	var watched []*foreign.Queue
	done := background.Later(ctx, "look for foreign payloads", func() (err error) { // the user's type may hang
		watched, err = e.lookedForeign(ctx)
		return err
	})
	select {
	case err := <-done:
		return watched, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (e *Engine) lookedForeign(ctx context.Context) (watched []*foreign.Queue, err error) {
	for _, s := range e.queues {
		q := s.consumer.Queue
		mode := e.client.Foreign(q)
		if s.consumer.Decode == nil || mode == registry.ForeignIgnore {
			continue
		}
		declared := foreign.Of(q)
		declared.Reads = true
		w := &foreign.Queue{Declared: declared, Keys: s.keys, Found: s.foreign.Store}
		found, again := w.Look(ctx, e.client.Redis, e.log)
		if found != nil && foreign.WrongClass(found) && mode == registry.ForeignRefuse {
			return nil, found
		}
		if again {
			watched = append(watched, w)
		}
	}
	return watched, nil
}
