package gate

// ErrProbeDeadline is the last error of a breaker that opened again because a
// probe did not report within Settings.ProbeDeadline.
var ErrProbeDeadline error = deadlineError{}

type deadlineError struct{}

func (deadlineError) Error() string { return "half-open probe did not finish by its deadline" }

// ErrorType returns "timeout", the low-cardinality name used in telemetry.
func (deadlineError) ErrorType() string { return "timeout" }

// maxUncharged is how many failures in a row one payload is forgiven while the
// breaker is not closed.
const maxUncharged = 50

// Kind is how the breaker counts a result.
type Kind uint8

// The kinds of results.
const (
	Success  Kind = iota // the handler returned nil
	Failure              // counts against the dependency: transient, timeout, unmarked
	Excluded             // says nothing about it: rejected, permanent, undecodable, shutdown
)

// Result is the end of one message's handling.
type Result struct {
	Kind Kind
	// Err is the failure, kept for health and logs.
	Err error
	// Transient says that the handler marked the failure as the world's fault.
	Transient bool
	// Last says that one more charged failure exhausts the message.
	Last bool
	// Digest returns the digest of the payload; called for failures only, and
	// without a lock. Nil makes all such failures look like one message.
	Digest func() string
}

// Decision is Done's answer.
type Decision struct {
	// Charge says whether the failure may count as an attempt of the message.
	// Always true for results that are not failures: the gate has no objection.
	Charge bool
	// Postponed says that charging was held back although the breaker is
	// closed, since the failure would have exhausted the message in the middle
	// of what looks like an outage.
	Postponed bool

	entry *entry
}

// Done reports the end of a message that Start allowed. A second report of a
// probe, or one after its deadline, changes no state and still decides the
// charge.
func (g *Gate) Done(p Permit, r Result) Decision {
	if r.Kind == Success && p.probe == nil && g.streakLen.Load() == 0 {
		g.successes.Add(1)
		return Decision{Charge: true}
	}
	var digest string
	if r.Kind == Failure && r.Digest != nil {
		digest = r.Digest()
	}
	g.mu.Lock()
	defer g.unlock()
	first := p.probe == nil || g.finish(p.probe)
	current := first && p.lane != nil && p.lane.gen == g.gen
	switch r.Kind {
	case Success:
		g.successes.Add(1)
		if current {
			g.succeed(p)
		}
	case Failure:
		g.failures.Add(1)
		g.failSeq.Add(1)
		g.lastErr, g.lastErrAt = r.Err, g.now()
		return g.fail(p, r, digest, current)
	case Excluded:
		g.excluded.Add(1)
		if current && p.probe != nil && p.probe.done != nil {
			p.probe.done(errNoResult)
			g.broadcast()
		}
	}
	return Decision{Charge: true}
}

// succeed counts a success of the present generation. Caller holds mu.
func (g *Gate) succeed(p Permit) {
	if g.set.Disabled {
		return
	}
	if p.probe == nil || p.probe.done == nil {
		// Only a success that breaks a streak means something to gobreaker.
		if g.streak.len > 0 {
			g.count(nil)
			g.endStreak()
		}
		return
	}
	p.probe.done(nil)
	if g.breaker.state == Closed {
		g.breaker.rounds = 0
		g.endStreak()
		g.moved()
	}
}

// endStreak forgets who failed: something succeeded. Caller holds mu.
func (g *Gate) endStreak() {
	g.streak.reset()
	g.streakLen.Store(0)
	clear(g.runs)
}

// fail counts a failure and decides who pays. Caller holds mu.
func (g *Gate) fail(p Permit, r Result, digest string, current bool) Decision {
	switch {
	case g.set.Disabled:
		return Decision{Charge: true}
	case !current: // started before a trip, or a probe past its deadline
		return Decision{Charge: g.chargeable(digest, r.Transient)}
	case p.probe != nil && p.probe.done != nil:
		g.failProbe(p.probe, r.Err)
		return Decision{Charge: g.chargeable(digest, r.Transient)}
	}
	e := g.streak.add(digest, p.seq, g.failSeq.Load())
	g.streakLen.Store(int32(min(g.streak.len, 1<<30)))
	d := Decision{Charge: true}
	if r.Last && (r.Transient || g.streak.distinct >= 2) {
		d.Charge = g.chargeable(digest, r.Transient)
		d.Postponed = !d.Charge
	}
	g.count(errFailed)
	if g.breaker.state != Open {
		if d.Charge {
			e.charged++
			e.dead = e.dead || r.Last
			d.entry = e
		}
		return d
	}
	if d.Charge && !r.Last { // the failure that trips is forgiven on the spot
		d.Charge = false
		e.refunded = true
	}
	e.dead = e.dead || d.Charge
	g.trips++
	g.notices.refund(g.streak.refunds())
	g.streakLen.Store(0)
	g.breaker.rounds = 0
	g.open(&g.breaker)
	return d
}

// failProbe counts a failed probe: the breaker opens again, for longer.
// Caller holds mu.
func (g *Gate) failProbe(p *probe, err error) {
	g.probeFails++
	g.lastErr, g.lastErrAt = err, g.now()
	p.done(errFailed)
	g.open(&g.breaker)
}

// count feeds one result into the closed gobreaker. A permit of the closed
// state needs no Allow of its own before that: closed allows everything.
// Caller holds mu.
func (g *Gate) count(err error) {
	done, allowErr := g.cb.Allow()
	if allowErr == nil {
		done(err)
	}
}

// chargeable counts an uncharged failure of the payload and reports whether
// the bound is passed. Caller holds mu.
func (g *Gate) chargeable(digest string, transient bool) bool {
	if transient {
		return false
	}
	if len(g.runs) >= maxRuns {
		clear(g.runs)
	}
	g.runs[digest]++
	return g.runs[digest] > maxUncharged
}

// maxRuns bounds the memory of chargeable.
const maxRuns = 4096

// Settled reports that the nack of a charged failure has reached Redis, so that
// it can be refunded: a refund that overtook its charge would be lost.
// Call it after every nack that carried d.Charge; others are ignored.
func (g *Gate) Settled(d Decision) {
	if d.entry == nil {
		return
	}
	g.mu.Lock()
	defer g.unlock()
	if digest, ok := d.entry.settle(); ok {
		g.notices.refund([]string{digest})
	}
}
