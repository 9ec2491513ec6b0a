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
	settled bool  // Java's payloads were seen, and read
	refused error // of the last look
	told    int   // foreign ones in the last warning
}

// checkForeign returns the error with which an offer is refused. It asks Redis at most
// once a minute, and no more once Java's payloads were seen that the codec reads. A look
// that fails refuses nothing: the offer that follows says what is wrong.
func (q *Queue[T]) checkForeign(ctx context.Context, t *target) error {
	c := q.client
	mode := c.foreignMode(q.queue)
	if mode == registry.ForeignIgnore {
		return nil
	}
	g := &t.foreign
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.settled || now.Before(g.next) {
		return g.refused
	}
	g.next = now.Add(foreign.Every)
	found, java, err := foreign.Look(ctx, c.rdb, t.Keys, t.Code, q.queue.Policy().Codec, func(payload []byte) error {
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
