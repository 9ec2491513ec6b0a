package gate

// notices are hook calls waiting for the lock to be free, in order.
type notices struct {
	last    Verdict
	paused  *Pause // as was told last
	queue   []notice
	running bool
}

// notice is one hook call.
type notice struct {
	change    *Change
	recovered bool
}

// moved is called after every change of a guard: it brings the lane up to date,
// tells the hooks and wakes all waiters. Caller holds mu.
func (g *Gate) moved() {
	v := g.verdict()
	switch {
	case v.State != Closed:
		g.lane.Store(nil)
	case g.lane.Load() == nil:
		g.lane.Store(&lane{gen: g.gen})
	}
	last := g.notices.last
	if v.State != last.State || v.Reason != last.Reason || !v.Until.Equal(last.Until) || g.paused != g.notices.paused {
		c := Change{
			Code: g.code, From: last.State, To: v.State, At: g.now(),
			Reason: v.Reason, Until: v.Until, Detail: v.Detail, Paused: g.paused,
		}
		if c.Paused == nil {
			c.Paused = g.notices.paused
		}
		if v.Reason == ReasonBreaker || v.Reason == ReasonProbing {
			c.Err = g.lastErr
		}
		g.notices.queue = append(g.notices.queue, notice{change: &c})
		g.notices.last, g.notices.paused = v, g.paused
		g.since = c.At
	}
	g.broadcast()
}

// broadcast wakes everybody who waits for a change. Caller holds mu.
func (g *Gate) broadcast() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// unlock releases mu and then runs the hooks that wait, unless another
// goroutine is at it: hooks run one at a time, in order, outside the lock.
func (g *Gate) unlock() {
	if g.notices.running || len(g.notices.queue) == 0 {
		g.mu.Unlock()
		return
	}
	g.notices.running = true
	defer func() { // also when a hook panics
		g.notices.running = false
		g.mu.Unlock()
	}()
	for len(g.notices.queue) > 0 {
		next := g.notices.queue[0]
		g.notices.queue = g.notices.queue[1:]
		g.call(next)
	}
}

// call runs one hook with the lock released, and takes it again.
func (g *Gate) call(n notice) {
	g.mu.Unlock()
	defer g.mu.Lock()
	if n.change != nil && g.hooks.OnChange != nil {
		g.hooks.OnChange(*n.change)
	}
	if n.recovered && g.hooks.OnRecovery != nil {
		g.hooks.OnRecovery()
	}
}
