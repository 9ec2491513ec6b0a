// Package reads shares readings of Redis between all who look: one is under way at a time for
// each name, and all together take a share of Redis's time.
package reads

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	loadWithin = 15 * time.Second
	// saved is for how long a budget that is not used is saved up.
	saved = 30 * time.Second
	// ahead is for how long readings that were never made may use up the budget ahead.
	ahead = time.Minute
	// waitMost is how long a first reading waits for the budget.
	waitMost = 10 * time.Second
	// errorFor is how long an error stands for a reading.
	errorFor = time.Second
	// keepFor is how long a reading is kept that no one asks for.
	keepFor  = 5 * time.Minute
	keepMost = 2000
)

// BusyError says that the budget is used up, and a reading that was never made has to wait.
type BusyError struct {
	For time.Duration
}

// Error says for how long.
func (e *BusyError) Error() string {
	return fmt.Sprintf("the share of Redis's time is used up for %v", e.For.Round(time.Second))
}

// Cache has the readings. It is safe for concurrent use.
type Cache struct {
	ctx   context.Context //nolint:containedctx // readings outlive the requests that began them
	end   context.CancelFunc
	share float64
	loads sync.WaitGroup

	mu      sync.Mutex
	entries map[string]*entry
	level   time.Duration // what may be spent; below zero what was spent too much
	filled  time.Time
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

// New returns an empty cache. Share is from above 0 to 1.
func New(share float64) *Cache {
	ctx, end := context.WithCancel(context.Background()) //nolint:forbidigo // ends with Close
	return &Cache{
		ctx: ctx, end: end, share: share, entries: map[string]*entry{},
		level: time.Duration(share * float64(saved)), filled: time.Now(),
	}
}

// Close ends the readings under way and waits for them. Later ones fail.
func (c *Cache) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.loads.Wait()
}

// Dirty has the readings of which is true made anew when they are asked for next.
func (c *Cache) Dirty(which func(name string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, e := range c.entries {
		if which(name) {
			e.dirty = true
		}
	}
}

// Get returns the reading of a name, and when it was made. It is made by load if it is older than
// fresh and the budget allows it. With an error the reading is the last one that there was, if at
// is not zero.
func Get[T any](ctx context.Context, c *Cache, name string, fresh time.Duration, load func(context.Context) (T, error)) (v T, at time.Time, err error) {
	value, at, err := c.get(ctx, name, fresh, func(ctx context.Context) (any, error) { return load(ctx) })
	v, _ = value.(T)
	return v, at, err
}

func (c *Cache) get(ctx context.Context, name string, fresh time.Duration, load func(context.Context) (any, error)) (any, time.Time, error) {
	var waited time.Duration
	for {
		wait, loading, e := c.step(name, fresh, load) //nolint:contextcheck // a reading is for all who ask
		switch {
		case loading != nil:
			select {
			case <-loading:
				if value, at, dirty, err := c.of(e); !dirty { // else it was begun before what made it so
					return value, at, err
				}
				continue
			case <-ctx.Done():
				return nil, time.Time{}, context.Cause(ctx)
			}
		case wait == 0:
			value, at, _, err := c.of(e)
			return value, at, err
		case waited+wait > waitMost:
			return nil, time.Time{}, &BusyError{For: wait}
		}
		waited += wait
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, time.Time{}, context.Cause(ctx)
		}
	}
}

func (c *Cache) of(e *entry) (value any, at time.Time, dirty bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return e.value, e.at, e.dirty, e.err
}

// step decides what to do: to take what there is (wait 0), to wait for the budget, or for a
// reading, which it may begin.
func (c *Cache) step(name string, fresh time.Duration, load func(context.Context) (any, error)) (wait time.Duration, loading chan struct{}, e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	e = c.entries[name]
	if e == nil {
		e = &entry{} // kept when its reading begins: what is refused must not push out what there is
	}
	e.used = now
	if e.loading != nil {
		return 0, e.loading, e
	}
	known := e.value != nil
	switch {
	case e.dirty:
	case e.err != nil && now.Sub(e.tried) < errorFor:
		return 0, nil, e
	case e.err == nil && known && now.Sub(e.at) < fresh:
		return 0, nil, e
	case c.have(now), !known && c.level > -time.Duration(c.share*float64(ahead)):
	case known:
		return 0, nil, e
	default:
		return max(time.Duration(float64(-c.level)/c.share)-ahead, time.Millisecond), nil, e
	}
	if c.closed {
		e.err, e.tried = errors.New("the console is closed"), now
		return 0, nil, e
	}
	if c.entries[name] == nil {
		c.clear(now)
		c.entries[name] = e
	}
	e.loading = make(chan struct{})
	e.dirty = false
	c.loads.Go(func() { c.load(e, load) })
	return 0, e.loading, e
}

// have fills the budget up and reports whether there is any.
func (c *Cache) have(now time.Time) bool {
	c.level = min(c.level+time.Duration(c.share*float64(now.Sub(c.filled))), time.Duration(c.share*float64(saved)))
	c.filled = now
	return c.level > 0
}

// load makes a reading.
func (c *Cache) load(e *entry, load func(context.Context) (any, error)) {
	ctx, done := context.WithTimeout(c.ctx, loadWithin)
	defer done()
	began := time.Now()
	value, err := safely(ctx, load)
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.have(now)
	c.level -= now.Sub(began)
	if e.err, e.tried = err, now; err == nil {
		e.value, e.at = value, began
	}
	close(e.loading)
	e.loading = nil
}

// safely makes a panic an error: a reading runs on a goroutine of its own.
func safely(ctx context.Context, load func(context.Context) (any, error)) (v any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return load(ctx)
}

// clear drops what no one has asked for, and where there is too much, what was not asked for
// the longest.
func (c *Cache) clear(now time.Time) {
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
