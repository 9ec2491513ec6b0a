package engine

import (
	"context"

	"github.com/duequeue/duequeue/framework/internal/foreign"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/registry"
)

// watchForeign warns of foreign payloads in a queue that the engine handles, and refuses
// nothing: the decode guard protects the handlers. It looks once, and again as long as
// there are some.
func (e *Engine) watchForeign(ctx context.Context, s *served) {
	q, decode := s.consumer.Queue, s.consumer.Decode
	if decode == nil || e.client.Foreign(q) == registry.ForeignIgnore {
		return
	}
	typed := func(payload []byte) error {
		_, err := decode(payload)
		return err
	}
	for told := 0; ; {
		found, _, err := foreign.Look(ctx, e.client.Redis, s.keys, q.Code(), q.Policy().Codec, typed)
		if err == nil && found.Foreign == 0 {
			s.foreign.Store(nil)
			return
		}
		if err == nil {
			s.foreign.Store(found)
			told = foreign.Warn(ctx, e.log, found, told)
		}
		if retry.Pause(ctx, foreign.Every) != nil {
			return
		}
	}
}
