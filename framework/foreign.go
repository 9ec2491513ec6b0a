package framework

import (
	"context"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/foreign"
	"github.com/duequeue/duequeue/registry"
)

// foreignGuard looks now and then at what lies in a queue that is offered to. One offer looks; it
// holds no lock while it asks Redis and the user's type.
type foreignGuard struct {
	mu      sync.Mutex
	next    time.Time
	at      int           // the partition to look at
	looking chan struct{} // closed when the look under way is over; nil: there is none
	looked  bool          // there was a look
	settled bool          // Java's payloads were seen, and are ours
	refused error         // of the last look
	told    int           // foreign ones in the last warning
}

// begin returns where to look if that is this offer's to do, and then end is to be called. Others
// get the last answer; before there is any they wait for the first one.
func (g *foreignGuard) begin(ctx context.Context) (at int, mine bool, refused error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.looking != nil && !g.looked {
		under := g.looking
		g.mu.Unlock()
		select {
		case <-under:
		case <-ctx.Done():
		}
		g.mu.Lock()
		if ctx.Err() != nil {
			return 0, false, context.Cause(ctx)
		}
	}
	now := time.Now()
	if g.looking != nil || g.settled || now.Before(g.next) {
		return 0, false, g.refused
	}
	g.next, g.looking = now.Add(foreign.Every), make(chan struct{})
	return g.at, true, nil
}

// end ends a look, and returns the answer. found is nil where the look failed: then the next one
// is at the next partition, since one whose node hangs must not keep the others from being seen.
func (g *foreignGuard) end(found *fault.ForeignPayloadsError, java int, refuse bool, partitions int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.looking)
	g.looking, g.looked = nil, true
	switch {
	case found == nil:
	case refuse:
		g.refused = found
		return found
	default:
		g.refused, g.settled = nil, java > 0 && found.Foreign+found.Other == 0
	}
	g.at = (g.at + 1) % partitions
	return g.refused
}

// mayOffer returns the error with which an offer is refused whatever its payload is.
func (q *Queue[T]) mayOffer(ctx context.Context, t *target) error {
	if err := t.of.look(ctx, q.client, t); err != nil {
		return err
	}
	return q.checkForeign(ctx, t)
}

// checkForeign returns the error with which an offer is refused. It asks Redis at most
// once a minute, and no more once Java's payloads were seen that are of the queue's codec and class. A look
// that fails refuses nothing: the offer that follows says what is wrong. Each look is at
// another partition, but stays at one that is refused.
func (q *Queue[T]) checkForeign(ctx context.Context, t *target) error {
	c := q.client
	mode := c.foreignMode(q.queue)
	if mode == registry.ForeignIgnore {
		return nil
	}
	g := &t.of.foreign
	at, mine, refused := g.begin(ctx)
	if !mine {
		return refused
	}
	declared := foreign.Of(q.queue)
	declared.Code = t.Code
	found, java, err := foreign.Look(ctx, c.rdb, t.of.keys[at], declared)
	refuse := err == nil && foreign.Wrong(found) && mode == registry.ForeignRefuse
	if err == nil && !refuse {
		g.told = foreign.Warn(ctx, c.log, found, g.told) // whoever looks owns it
	}
	return g.end(found, java, refuse, len(t.of.keys))
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
