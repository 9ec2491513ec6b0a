package framework

import (
	"context"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/foreign"
	"github.com/duequeue/duequeue/registry"
)

// foreignGuard looks now and then at what lies in a queue that is offered to.
type foreignGuard struct {
	mu      sync.Mutex
	next    time.Time
	at      int   // the partition to look at
	settled bool  // Java's payloads were seen, and read
	refused error // of the last look
	told    int   // foreign ones in the last warning
}

// mayOffer returns the error with which an offer is refused whatever its payload is.
func (q *Queue[T]) mayOffer(ctx context.Context, t *target) error {
	if err := t.of.agree(ctx, q.client); err != nil {
		return err
	}
	return q.checkForeign(ctx, t)
}

// checkForeign returns the error with which an offer is refused. It asks Redis at most
// once a minute, and no more once Java's payloads were seen that the codec reads. A look
// that fails refuses nothing: the offer that follows says what is wrong. Each look is at
// another partition, but stays at one that is refused.
func (q *Queue[T]) checkForeign(ctx context.Context, t *target) error {
	c := q.client
	mode := c.foreignMode(q.queue)
	if mode == registry.ForeignIgnore {
		return nil
	}
	g := &t.of.foreign
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.settled || now.Before(g.next) {
		return g.refused
	}
	g.next = now.Add(foreign.Every)
	found, java, err := foreign.Look(ctx, c.rdb, t.of.keys[g.at], t.Code, q.queue.Policy().Codec, func(payload []byte) error {
		_, err := q.queue.Typed().Decode(payload)
		return err
	})
	if err != nil {
		return g.refused
	}
	g.refused, g.settled = nil, java > 0 && found.Foreign == 0
	if foreign.Wrong(found) && mode == registry.ForeignRefuse {
		g.refused = found
		return found
	}
	g.at = (g.at + 1) % len(t.of.keys)
	g.told = foreign.Warn(ctx, c.log, found, g.told)
	return nil
}

// foreignMode is what the queue says, or else the configuration.
func (c *Client) foreignMode(q registry.Descriptor) registry.ForeignMode {
	if m := q.Policy().Foreign; m != registry.ForeignDefault {
		return m
	}
	switch c.cfg.ForeignPayloads {
	case ForeignPayloadsWarn:
		return registry.ForeignWarn
	case ForeignPayloadsIgnore:
		return registry.ForeignIgnore
	default:
		return registry.ForeignRefuse
	}
}
