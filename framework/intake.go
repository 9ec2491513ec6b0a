package framework

import "github.com/duequeue/duequeue/framework/internal/gate"

// How the intake of a queue stands, see [QueueHealth.Intake].
const (
	IntakeOpen    = "open"    // messages are taken
	IntakeProbing = "probing" // a few are, to see whether what closed it is over
	IntakeClosed  = "closed"  // none is taken
)

// Why the intake of a queue is not open, or waits, see [QueueHealth.Reason]. Where there
// are several causes the first of this list is named; Health.Reasons has all.
const (
	IntakeDraining    = "draining"     // the process stops, or has stopped
	IntakePaused      = "paused"       // by Engine.Pause
	IntakeHung        = "hung"         // too many handlers hang, see QueueHealth.Hung
	IntakeLease       = "lease"        // Redis did not confirm the lease for two thirds of its time
	IntakeUndecodable = "undecodable"  // payloads in a row could not be decoded
	IntakeBreaker     = "breaker"      // handlers failed in a row
	IntakeRateLimited = "rate_limited" // open, and used up for the moment
)

// whyDegraded adds to h what holds messages up though this process serves the queue:
// what the queue's handlers depend on fails, or somebody wants fewer messages handled.
func (r *runner) whyDegraded(h *Health, g gate.Snapshot) {
	if p := pausedInfo(g.Paused); p != nil {
		h.degrade("%s: %s", r.code, p)
		return
	}
	switch breaker := h.degrade; {
	case g.Reason == gate.ReasonStopped:
	case g.Breaker == gate.Open:
		if r.own.breakerUnready {
			breaker = h.because
		}
		breaker("%s: intake closed (%s): handlers failed in a row: %s", r.code, IntakeBreaker, g.LastError)
	case g.Breaker == gate.HalfOpen:
		breaker("%s: a few messages are handled, to see whether handlers still fail (%s): %s", r.code, IntakeBreaker, g.LastError)
	case g.Decode == gate.HalfOpen:
		breaker("%s: one message is taken, to see whether it can be decoded (%s)", r.code, IntakeUndecodable)
	case g.Reason == gate.ReasonRate:
		breaker("%s: the rate limit is used up (%s)", r.code, IntakeRateLimited)
	}
}

// intakeOf puts into plain words how the intake stands, and the first cause of it.
func (r *runner) intakeOf(g gate.Snapshot, stopping bool) (word, reason string) {
	switch {
	case stopping:
		return IntakeClosed, IntakeDraining
	case g.Paused != nil:
		return IntakeClosed, IntakePaused
	case r.pool.haunted():
		return IntakeClosed, IntakeHung
	case r.holder.Load().fenced.Load():
		return IntakeClosed, IntakeLease
	}
	return intakeBy(g)
}

// intakeBy translates the gate's state, which speaks of circuit breakers: there an
// open one lets nothing pass.
func intakeBy(g gate.Snapshot) (word, reason string) {
	reason = string(g.Reason)
	switch g.Reason {
	case gate.ReasonBreaker, gate.ReasonProbing:
		reason = IntakeBreaker
	case gate.ReasonStopped:
		reason = IntakeDraining
	default: // the others are the words already
	}
	switch g.State {
	case gate.Open:
		return IntakeClosed, reason
	case gate.HalfOpen:
		return IntakeProbing, reason
	case gate.Closed:
	}
	return IntakeOpen, reason
}

// whyUnready adds to the reasons of h what keeps the runner from taking.
func (r *runner) whyUnready(h *Health, g gate.Snapshot) {
	if g.Decode == gate.Open && g.Paused == nil && g.Reason != gate.ReasonStopped {
		h.because("%s: intake closed (%s): payloads in a row could not be decoded: %s; duequeue decode tells what they are", r.code, IntakeUndecodable, g.Detail)
	}
	if trouble := r.trouble.cause(); trouble != nil {
		h.because("%s: cannot take: %s", r.code, errText(trouble))
	}
	if r.holder.Load().fenced.Load() {
		h.because("%s: the lease could not be renewed", r.code)
	}
	if n := r.unsettled.Load(); n > 0 {
		h.because("%s: Redis does not take the end of %d messages: %v", r.code, n, errText(r.unsettledErr.cause()))
	}
	if _, n := r.pool.counts(); r.pool.haunted() {
		h.because("%s: %d handlers hang", r.code, n)
	}
}
