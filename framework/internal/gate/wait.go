package gate

import "context"

// Changed returns a channel that is closed at the next change of state, when a
// probe's slot becomes free, or when somebody who was refused by the rate may ask again. Read it before asking for permits, so that no
// change is missed. A runner in a blocking wait listens to it: on a trip the
// wait must end.
func (g *Gate) Changed() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changed
}

// Wait blocks while the gate would give no permit. It returns nil when asking is
// worth while again or the gate was stopped by Close, and the context's cause
// when that ended first.
func (g *Gate) Wait(ctx context.Context) error {
	for {
		g.mu.Lock()
		blocked, changed := g.blocked(), g.changed
		g.mu.Unlock()
		if !blocked {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// blocked reports whether Acquire would give nothing now. Caller holds mu.
func (g *Gate) blocked() bool {
	if g.stopped {
		return false
	}
	if g.paused != nil || g.breaker.state == Open || g.decode.state == Open {
		return true
	}
	if g.bucket != nil && g.bucket.level(g.now()) < 1 {
		g.refused(Verdict{}, 1) // its timer wakes
		return true
	}
	if g.decode.state == HalfOpen && g.decodeSlot != nil {
		return true
	}
	if g.breaker.state != HalfOpen {
		return false
	}
	c := g.cb.Counts()
	return c.Requests > c.TotalExclusions // one probe runs
}
