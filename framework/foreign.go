package framework

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/foreign"
	"github.com/duequeue/duequeue/registry"
)

// foreignGuard looks now and then at what lies in a queue that is offered to. No lock is held
// while it looks: that asks Redis, and the user's type.
type foreignGuard struct {
	mu      sync.Mutex
	next    time.Time
	at      int           // the partition to look at
	settled bool          // Java's payloads were seen, and are ours
	looked  bool          // a look has ended
	looking chan struct{} // closed when the look ends that is under way; nil while none is
	refused error         // of the last look
	told    int           // foreign ones in the last warning
}

// lookTime bounds a look.
const lookTime = 10 * time.Second

// mayOffer returns the error with which an offer is refused whatever its payload is.
func (q *Queue[T]) mayOffer(ctx context.Context, t *target) error {
	if err := t.of.look(ctx, q.client, t); err != nil {
		return err
	}
	return q.checkForeign(ctx, t)
}

// checkForeign returns the error with which an offer is refused. It asks Redis at most
// once a minute, and no more once Java's payloads were seen that are of the queue's codec and
// class. The first look is waited for, a later one by the offer that began it; others go by the
// last answer. A look that fails refuses nothing: the offer that follows says what is wrong. Each
// look is at another partition, but stays at one that is refused.
func (q *Queue[T]) checkForeign(ctx context.Context, t *target) error {
	mode := q.client.foreignMode(q.queue)
	if mode == registry.ForeignIgnore {
		return nil
	}
	g := &t.of.foreign
	wait, begins, refused := g.begin()
	if begins {
		looking := q.client.parts.Panics.In(context.WithoutCancel(ctx))
		background.Go(looking, "look for foreign payloads", func() { q.lookForeign(looking, t, mode, wait) })
	}
	if wait == nil {
		return refused
	}
	select {
	case <-wait:
	case <-ctx.Done():
		return context.Cause(ctx) // nothing was sent
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refused
}

// begin returns what to wait for, nil for nothing, whether the caller begins that look, and the
// last answer.
func (g *foreignGuard) begin() (wait chan struct{}, begins bool, refused error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	switch {
	case g.looking != nil && !g.looked:
		return g.looking, false, nil
	case g.settled || g.looking != nil || now.Before(g.next):
		return nil, false, g.refused
	}
	g.next, g.looking = now.Add(foreign.Every), make(chan struct{})
	return g.looking, true, nil
}

// lookForeign looks once.
func (q *Queue[T]) lookForeign(ctx context.Context, t *target, mode registry.ForeignMode, done chan struct{}) {
	c, g := q.client, &t.of.foreign
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	g.mu.Lock()
	keys, told := t.of.keys[g.at], g.told
	g.mu.Unlock()
	declared := foreign.Of(q.queue)
	declared.Code = t.Code
	var found *fault.ForeignPayloadsError
	var java int
	err := background.Call(ctx, "look for foreign payloads", func() (err error) {
		found, java, err = foreign.Look(ctx, c.rdb, keys, declared)
		return err
	})
	refuses := err == nil && foreign.Wrong(found) && mode == registry.ForeignRefuse
	if err == nil && !refuses {
		told = foreign.Warn(ctx, c.log, found, told)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	defer close(done)
	g.looking, g.looked, g.told = nil, true, told
	switch {
	case refuses:
		g.refused = found
		return
	case err == nil:
		g.refused, g.settled = nil, java > 0 && foreign.Found(found) == 0
	}
	g.at = (g.at + 1) % len(t.of.keys)
}

// foreignMode is what the queue says, or else the configuration.
func (c *Client) foreignMode(q registry.Descriptor) registry.ForeignMode {
	return cmp.Or(q.Policy().Foreign, c.cfg.ForeignPayloads)
}
