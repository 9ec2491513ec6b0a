package frameworktest

import (
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Offer offers a message that is due after delay. An error fails the test.
func Offer[T any](k *Kit, q *registry.Queue[T], value T, delay time.Duration) framework.ID {
	k.t.Helper()
	k.Start()
	receipt, err := framework.Bind(k.client, q).Offer(k.t.Context(), value, delay)
	if err != nil {
		k.t.Fatalf("frameworktest: offer to %s: %v", q.Code(), err)
	}
	return receipt.ID
}

// OfferBytes offers a payload as it is, for example one that Java wrote or one that the
// codec cannot decode.
func (k *Kit) OfferBytes(q registry.Descriptor, payload []byte, delay time.Duration) {
	k.t.Helper()
	k.Start()
	args := delayed.OfferArgs{Payload: payload, Delay: delay}
	if _, err := delayed.Offer(k.t.Context(), k.rdb, keysOf(q), args); err != nil {
		k.t.Fatalf("frameworktest: offer bytes to %s: %v", q.Code(), err)
	}
}

func keysOf(q registry.Descriptor) wire.Keys { return wire.KeysOf(q.Key()) }
