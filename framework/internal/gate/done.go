package gate

import "time"

// ErrProbeDeadline is the last error of a breaker that opened again because a
// probe did not report within Settings.ProbeDeadline.
var ErrProbeDeadline error = deadlineError{}

type deadlineError struct{}

func (deadlineError) Error() string { return "half-open probe did not finish by its deadline" }

// ErrorType returns "timeout", the low-cardinality name used in telemetry.
func (deadlineError) ErrorType() string { return "timeout" }

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
	// Message names the message among those that fail; called for failures only, and
	// without a lock. Nil makes all such failures look like one message.
	Message func() string
}

// Done reports the end of a message that Start allowed. A second report of a
// probe, or one after its deadline, changes no state.
func (g *Gate) Done(p Permit, r Result) {
	if r.Kind == Success && p.probe == nil && g.streakLen.Load() == 0 {
		g.successes.Add(1)
		return
	}
	var message string
	if r.Kind == Failure && r.Message != nil {
		message = r.Message()
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
		g.lastErr, g.lastErrAt = r.Err, g.now()
		if current {
			g.fail(p, message)
		}
	case Excluded:
		g.excluded.Add(1)
		if current && p.probe != nil && p.probe.done != nil {
			p.probe.done(errNoResult)
			g.broadcast()
		}
	}
}

// Tally returns how many messages were handled so far, and how many failed.
func (g *Gate) Tally() (handled, failed uint64) { return g.successes.Load(), g.failures.Load() }

// succeed counts a success of the present generation. Caller holds mu.
func (g *Gate) succeed(p Permit) {
	if g.set.Disabled {
		return
	}
	if p.probe == nil || p.probe.done == nil {
		// Only a success that breaks a streak means something to gobreaker.
		if len(g.streak) > 0 {
			g.count(nil)
			g.endStreak()
		}
		return
	}
	p.probe.done(nil)
	g.breaker.rounds = 0
	g.endStreak()
	g.notices.queue = append(g.notices.queue, notice{recovered: true})
	g.moved()
}

// endStreak forgets who failed: something succeeded, or the breaker tripped.
// Caller holds mu.
func (g *Gate) endStreak() {
	clear(g.streak)
	g.streakLen.Store(0)
}

// fail counts a failure of the present generation. Caller holds mu.
func (g *Gate) fail(p Permit, message string) {
	switch {
	case g.set.Disabled:
		return
	case p.probe != nil && p.probe.done != nil:
		g.failProbe(p.probe, g.lastErr)
		return
	case !g.streak.add(message):
		return
	}
	g.streakLen.Store(int32(len(g.streak)))
	g.count(errFailed)
	if g.breaker.state != Open {
		return
	}
	g.endStreak()
	g.trips++
	g.tripped = g.now()
	g.breaker.rounds = 0
	g.open(&g.breaker)
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

// Tripped reports whether the breaker is not closed, whatever else the gate does.
func (g *Gate) Tripped() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.breaker.state != Closed
}

// TrippedAt returns when the breaker last opened after it had been closed.
func (g *Gate) TrippedAt() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tripped
}
