package web

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/budget"
)

const (
	loadWithin = 15 * time.Second
	// errorFor is how long an error stands for a reading.
	errorFor = time.Second
	// keepFor is how long a reading is kept that no one asks for.
	keepFor  = 5 * time.Minute
	keepMost = 2000
)

// readCache shares readings of Redis between all who look: one is under way at a time for each name.
// All are made within a budget: when that is used up, older ones are returned. It is safe for concurrent use.
type readCache struct {
	ctx   context.Context //nolint:containedctx // readings outlive the requests that began them
	end   context.CancelFunc
	loads background.Group

	mu      sync.Mutex
	entries map[string]*entry
	closed  bool
}

// entry is one reading.
type entry struct {
	value   any // nil until there is one
	at      time.Time
	err     error // of the last try
	tried   time.Time
	used    time.Time
	dirty   bool          // something has changed since: it is read whatever the budget says
	loading chan struct{} // closed when the reading under way ends; nil without one
}

// newReads returns an empty cache, whose readings spend a budget. The end of ctx ends nothing.
func newReads(ctx context.Context, b *budget.Budget) *readCache {
	ctx, end := context.WithCancel(context.WithoutCancel(ctx)) // ends with Close
	return &readCache{ctx: budget.Begun(b.Behind(ctx)), end: end, entries: map[string]*entry{}}
}

// Close ends the readings under way and waits for them. Later ones fail.
func (c *readCache) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.loads.Wait()
}

// Dirty has the readings of which is true made anew when they are asked for next.
func (c *readCache) Dirty(which func(name string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, e := range c.entries {
		if which(name) {
			e.dirty = true
		}
	}
}

// cachedRead returns the reading of a name, and when it was made. It is made by load if it is older than
// fresh and there is budget left; one that was never made waits for the budget of ctx, in turn with
// others. With an error the reading is the last one that there was, if at is not zero.
func cachedRead[T any](ctx context.Context, c *readCache, name string, fresh time.Duration, load func(context.Context) (T, error)) (v T, at time.Time, err error) {
	value, at, err := c.get(ctx, name, fresh, func(ctx context.Context) (any, error) { return load(ctx) })
	v, _ = value.(T)
	return v, at, err
}

func (c *readCache) get(ctx context.Context, name string, fresh time.Duration, load func(context.Context) (any, error)) (any, time.Time, error) {
	for known := c.known(name); ; known = true {
		if !known {
			end, err := budget.Await(ctx)
			if err != nil {
				return nil, time.Time{}, err
			}
			defer end() // when it is read
		}
		loading, e := c.step(name, fresh, budget.Left(ctx), load) //nolint:contextcheck // a reading is for all who ask
		if loading == nil {
			value, at, _, err := c.of(e)
			return value, at, err
		}
		select {
		case <-loading:
			if value, at, dirty, err := c.of(e); !dirty { // else it was begun before what made it so
				return value, at, err
			}
		case <-ctx.Done(): // the reading goes on for those who ask later
			value, at, _, _ := c.of(e)
			return value, at, context.Cause(ctx)
		}
	}
}

// beginReads begins a reading for a cachedRead that follows, where it is to be made and the budget has some left.
func beginReads[T any](ctx context.Context, c *readCache, name string, fresh time.Duration, load func(context.Context) (T, error)) {
	if budget.Left(ctx) {
		c.step(name, fresh, true, func(ctx context.Context) (any, error) { return load(ctx) }) //nolint:contextcheck // a reading is for all who ask
	}
}

// known reports whether there is such a reading, or one is under way.
func (c *readCache) known(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[name]
	return e != nil && (e.value != nil || e.loading != nil)
}

func (c *readCache) of(e *entry) (value any, at time.Time, dirty bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return e.value, e.at, e.dirty, e.err
}

// step decides what to do: to take what there is, or to wait for a reading, which it may begin.
func (c *readCache) step(name string, fresh time.Duration, left bool, load func(context.Context) (any, error)) (loading chan struct{}, e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if e = c.entries[name]; e == nil {
		e = &entry{}
	}
	e.used = now
	if e.loading != nil {
		return e.loading, e
	}
	known := e.value != nil
	switch {
	case e.dirty:
	case e.err != nil && now.Sub(e.tried) < errorFor,
		e.err == nil && known && now.Sub(e.at) < fresh,
		known && !left:
		return nil, e
	}
	if c.closed {
		e.err, e.tried = errors.New("the console is closed"), now
		return nil, e
	}
	if c.entries[name] == nil {
		c.clear(now)
		c.entries[name] = e
	}
	e.loading = make(chan struct{})
	e.dirty = false
	c.loads.Go(c.ctx, "read for the console", func() { c.load(e, load) })
	return e.loading, e
}

// load makes a reading.
func (c *readCache) load(e *entry, load func(context.Context) (any, error)) {
	ctx, done := context.WithTimeout(c.ctx, loadWithin)
	defer done()
	began := time.Now()
	var value any
	err := background.Call(ctx, "read for the console", func() (err error) {
		value, err = load(ctx)
		return err
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.err, e.tried = err, time.Now(); err == nil {
		e.value, e.at = value, began
	}
	close(e.loading)
	e.loading = nil
}

// clear drops what no one has asked for, and where there is too much, what was not asked for
// the longest.
func (c *readCache) clear(now time.Time) {
	maps.DeleteFunc(c.entries, func(_ string, e *entry) bool { return e.loading == nil && now.Sub(e.used) > keepFor })
	if len(c.entries) < keepMost {
		return
	}
	oldest := slices.SortedFunc(maps.Keys(c.entries), func(a, b string) int { return c.entries[a].used.Compare(c.entries[b].used) })
	for _, name := range oldest[:keepMost/4] {
		if c.entries[name].loading == nil {
			delete(c.entries, name)
		}
	}
}

// Names returns those of the readings that are kept, sorted.
func (c *readCache) Names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.entries))
}
