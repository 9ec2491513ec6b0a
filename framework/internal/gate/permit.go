package gate

import "errors"

// errNoResult is what gobreaker is told when a permit ends without a verdict on
// the dependency: it counts neither way and the slot returns.
var errNoResult = errors.New("gate: no result")

// errFailed stands for every failure: the user's errors stay out of gobreaker,
// which would look at them under its lock.
var errFailed = errors.New("gate: failed")

// Permits is what Acquire gave: a number of permits, used up by Next.
// One goroutine owns it. The zero value holds none.
type Permits struct {
	n     int
	lane  *lane
	g     *Gate   // set where the surplus must go back: a probe, tokens
	probe *probe  // of the one permit that half-open gives
	drawn *bucket // that gave their tokens
}

// Permit allows one message to start. It is a small value; the zero value
// allows nothing. Every started one needs exactly one Gate.Done; one that was
// taken by Next and is not started after all, Gate.GiveBack.
type Permit struct {
	lane  *lane
	probe *probe
	drawn *bucket // that gave its token
}

// probe is a permit given while half-open.
type probe struct {
	done    func(error) // of gobreaker; nil when only the decode guard probes
	decode  bool        // the decode guard's probe, or that of both
	started bool
	over    bool // a result was counted or the slot was returned
	stop    func() bool
}

// Probe reports whether the message is a half-open probe.
func (p Permit) Probe() bool { return p.probe != nil }

// Len returns how many permits are left.
func (ps *Permits) Len() int { return ps.n }

// Probe reports whether they are a single one, of a probe of the breaker alone: then any
// message will do. The decode guard wants the head.
func (ps *Permits) Probe() bool { return ps.probe != nil && !ps.probe.decode }

// Next takes one permit; ok is false when none is left.
func (ps *Permits) Next() (p Permit, ok bool) {
	if ps.n == 0 {
		return Permit{}, false
	}
	ps.n--
	return Permit{lane: ps.lane, probe: ps.probe, drawn: ps.drawn}, true
}

// Release gives back what is left; probe slots become free again, and tokens of the rate
// limit return.
// Calling it again, or on the zero value, does nothing.
func (ps *Permits) Release() {
	n := ps.n
	ps.n = 0
	if ps.g == nil || n == 0 {
		return
	}
	ps.g.mu.Lock()
	defer ps.g.unlock()
	ps.g.refill(ps.drawn, n)
	if ps.probe != nil {
		ps.g.giveBack(ps.probe, ps.lane)
	}
}

// Start reports whether the message may start now. False means that the intake
// stopped after the permit was given (or the permit lay unused past the probe
// deadline): give the message back to the head of its queue, uncharged; Done
// is then not needed. For a probe the deadline runs from here.
func (g *Gate) Start(p Permit) bool {
	if p.probe == nil {
		return p.lane != nil && g.lane.Load() == p.lane
	}
	g.mu.Lock()
	defer g.unlock()
	undecodable := g.decode.state != Closed && g.decodeSlot != p.probe
	if p.lane.gen != g.gen || undecodable || g.stopped || g.paused != nil {
		g.giveBack(p.probe, p.lane)
	}
	if p.probe.over || p.probe.started {
		return false
	}
	p.probe.started = true
	p.probe.stop()
	p.probe.stop = g.after(g.set.ProbeDeadline, func() { g.expire(p.probe, p.lane) })
	return true
}

// GiveBack returns a permit that was taken by Next and whose message is not
// started after all, because the process stops or lost its lease: a probe's slot
// becomes free at once and not only at its deadline, and the token of a rate limit
// returns. Also where Start said no, and for a started permit whose message is not
// handed to its handler after all; Done is still to be called then. Once per permit.
func (g *Gate) GiveBack(p Permit) {
	if p.lane == nil || p.probe == nil && p.drawn == nil {
		return
	}
	g.mu.Lock()
	defer g.unlock()
	g.refill(p.drawn, 1)
	if p.probe != nil && !p.probe.started {
		g.giveBack(p.probe, p.lane)
	}
}

// finish marks a probe as over and reports whether it was not before.
// Caller holds mu.
func (g *Gate) finish(p *probe) (first bool) {
	if p.over {
		return false
	}
	p.over = true
	p.stop()
	if g.decodeSlot == p {
		g.decodeSlot = nil
		g.broadcast()
	}
	return true
}

// giveBack ends a probe without a result. Caller holds mu.
func (g *Gate) giveBack(p *probe, l *lane) {
	if !g.finish(p) {
		return
	}
	if p.done != nil && l.gen == g.gen {
		p.done(errNoResult)
		g.broadcast()
	}
}

// expire runs at a probe's deadline: a started one has failed, one that never
// started gives its slot back.
func (g *Gate) expire(p *probe, l *lane) {
	g.mu.Lock()
	defer g.unlock()
	if p.over || g.stopped {
		return
	}
	if !p.started {
		g.giveBack(p, l)
		return
	}
	wasDecode := g.decodeSlot == p
	g.finish(p)
	if wasDecode {
		g.open(&g.decode)
	}
	if p.done != nil && l.gen == g.gen {
		g.failProbe(p, ErrProbeDeadline)
	}
}
