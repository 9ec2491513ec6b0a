package framework

import "github.com/duequeue/duequeue/framework/internal/gate"

// Intake says whether messages are taken from a queue, see [QueueHealth].
type Intake string

// The states of an intake.
const (
	IntakeOpen    Intake = "open"    // messages are taken
	IntakeProbing Intake = "probing" // a few are, to see whether what closed it is over
	IntakeClosed  Intake = "closed"  // none is taken
)

// IntakeReason says why the intake of a queue is not open, or waits, see [QueueHealth]. Where
// there are several causes it is the first of these constants; Health.Reasons has all.
type IntakeReason string

// The reasons.
const (
	BecauseDraining    IntakeReason = "draining"     // the process stops, or has stopped
	BecausePaused      IntakeReason = "paused"       // by Engine.Pause
	BecauseHung        IntakeReason = "hung"         // too many handlers hang, see QueueHealth.Hung
	BecauseLease       IntakeReason = "lease"        // Redis did not confirm the lease for two thirds of its time
	BecauseUndecodable IntakeReason = "undecodable"  // payloads in a row could not be decoded
	BecauseBreaker     IntakeReason = "breaker"      // handlers failed in a row
	BecauseRateLimited IntakeReason = "rate_limited" // open, and used up for the moment
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
		breaker("%s: intake closed (%s): handlers failed in a row: %s", r.code, BecauseBreaker, g.LastError)
	case g.Breaker == gate.HalfOpen:
		breaker("%s: a few messages are handled, to see whether handlers still fail (%s): %s", r.code, BecauseBreaker, g.LastError)
	case g.Decode == gate.HalfOpen:
		breaker("%s: one message is taken, to see whether it can be decoded (%s)", r.code, BecauseUndecodable)
	case g.Reason == gate.ReasonRate:
		breaker("%s: the rate limit is used up (%s)", r.code, BecauseRateLimited)
	}
}

// intakeOf says whether the queue is taken from, and the first cause why not.
func (r *runner) intakeOf(g gate.Snapshot, stopping bool) (Intake, IntakeReason) {
	switch {
	case stopping:
		return IntakeClosed, BecauseDraining
	case g.Paused != nil:
		return IntakeClosed, BecausePaused
	case r.pool.haunted():
		return IntakeClosed, BecauseHung
	case r.holder.Load().fenced.Load():
		return IntakeClosed, BecauseLease
	}
	return intakeBy(g)
}

// intakeBy translates the gate's state, which speaks of circuit breakers: there an
// open one lets nothing pass.
func intakeBy(g gate.Snapshot) (Intake, IntakeReason) {
	reason := IntakeReason(g.Reason)
	switch g.Reason {
	case gate.ReasonBreaker, gate.ReasonProbing:
		reason = BecauseBreaker
	case gate.ReasonStopped:
		reason = BecauseDraining
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
		h.because("%s: intake closed (%s): payloads in a row could not be decoded: %s; duequeue decode tells what they are", r.code, BecauseUndecodable, g.Detail)
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
