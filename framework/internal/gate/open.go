package gate

import "time"

// open stops the intake for one of the guards, for longer with every round, and
// arms the timer that lets probes through. Caller holds mu.
func (g *Gate) open(gd *guard) {
	d := g.set.OpenFor
	for range gd.rounds {
		if d *= 2; d >= g.set.MaxOpenFor {
			d = g.set.MaxOpenFor
			break
		}
	}
	d = g.jitter(d)
	gd.state = Open
	gd.until = g.now().Add(d)
	gd.rounds++
	g.arm(gd, d)
	g.moved()
}

func (g *Gate) arm(gd *guard, d time.Duration) {
	if gd.stop != nil {
		gd.stop()
	}
	if !g.stopped {
		gd.stop = g.after(d, func() { g.halfOpen(gd) })
	}
}

// halfOpen runs when a guard's time is over.
func (g *Gate) halfOpen(gd *guard) {
	g.mu.Lock()
	defer g.unlock()
	if g.stopped || gd.state != Open {
		return
	}
	if now := g.now(); now.Before(gd.until) { // a timer that was too late to be stopped
		g.arm(gd, gd.until.Sub(now))
		return
	}
	gd.state = HalfOpen
	if gd == &g.breaker {
		// This makes gobreaker move; OnStateChange notes it.
		gd.state = stateOf(g.cb.State())
		if gd.state == Open { // its clock has not ticked since it opened
			g.arm(gd, time.Millisecond)
			return
		}
	}
	gd.until = time.Time{}
	g.moved()
}
