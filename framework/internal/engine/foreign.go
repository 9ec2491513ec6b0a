package engine

import (
	"context"

	"github.com/duequeue/duequeue/framework/internal/foreign"
	"github.com/duequeue/duequeue/registry"
)

// watchForeign warns of foreign payloads in the queues that the engine handles, and refuses
// nothing: the decode guard protects the handlers.
func (e *Engine) watchForeign(ctx context.Context) {
	var queues []foreign.Queue
	for _, s := range e.queues {
		q, decode := s.consumer.Queue, s.consumer.Decode
		if decode == nil || e.client.Foreign(q) == registry.ForeignIgnore {
			continue
		}
		queues = append(queues, foreign.Queue{Code: q.Code(), Keys: s.keys, Codec: q.Policy().Codec, Found: s.foreign.Store, Typed: func(payload []byte) error {
			_, err := decode(payload)
			return err
		}})
	}
	foreign.Watch(ctx, e.client.Redis, e.log, queues)
}
