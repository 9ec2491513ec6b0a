package engine

import (
	"fmt"
	"slices"

	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/causes"
	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/framework/internal/gate"
)

// whyDegraded adds to h what holds messages up though this process serves the queue:
// what the queue's handlers depend on fails, or an operator wants fewer messages handled.
func (r *intake) whyDegraded(h *health.Report, g gate.Snapshot) {
	if c := r.control.Load(); c != nil && c.Known && c.Err != nil {
		degrade(h, "%s: what operators set for all processes is not understood, this process keeps what it knew: %s", r.code, errText(c.Err))
	}
	if p := pausedInfo(g.Paused); p != nil && !g.Paused.Unread {
		degrade(h, "%s: %s", r.code, p)
		return
	}
	switch breaker := degrade; {
	case g.Reason == gate.ReasonStopped, g.Paused != nil:
	case g.Breaker == gate.Open:
		if r.own.BreakerUnready {
			breaker = unready
		}
		breaker(h, "%s: %s", r.code, closed(health.BecauseBreaker, causes.Breaker(failureOf(g))))
	case g.Breaker == gate.HalfOpen:
		breaker(h, "%s: a few messages are handled, to see whether handlers still fail: %s", r.code, closed(health.BecauseBreaker, causes.Breaker(failureOf(g))))
	case g.Decode == gate.HalfOpen:
		breaker(h, "%s: one message is taken, to see whether it can be decoded: %s", r.code, closed(health.BecauseUndecodable, causes.Undecodable(r.codec, "", g.Detail)))
	case g.Reason == gate.ReasonRate:
		var set *health.Limit
		if c := r.control.Load(); c != nil {
			set = limitInfo(c.Limit)
		}
		breaker(h, "%s: %s (%s)", r.code, causes.Rate(set, r.gate.Rate(), "this process handles"), health.BecauseRateLimited)
	}
}

// closed is a cause of an intake that is closed, with its name.
func closed(reason health.Reason, cause string) string {
	return fmt.Sprintf("intake closed (%s): %s", reason, cause)
}

// failureOf says what the last failure was. Health has no login: the text of the error is in the
// log alone.
func failureOf(g gate.Snapshot) string { return errtext.Kind(g.LastError) + " (the log has its text)" }

// maxErrorText bounds the text in which secrets are looked for, in bytes: the record cuts it to less.
const maxErrorText = 4 << 10

// lastError is what operators see of the failure that closed the intake: its text, and what may be
// shown to everybody. Both are empty while the intake is open.
func (r *intake) lastError(g gate.Snapshot) (text, kind string) {
	switch {
	case g.Breaker != gate.Closed && g.LastError != nil:
		return errtext.Redacted(errtext.Of(g.LastError, maxErrorText)), errtext.Kind(g.LastError)
	case g.Decode != gate.Closed:
		return "", g.Detail
	}
	for _, t := range r.takers {
		if err := t.trouble.Cause(); err != nil {
			said := redisText(err)
			return said, said
		}
	}
	return "", ""
}

// intakeOf says whether the queue is taken from, and the first cause why not.
func (r *intake) intakeOf(g gate.Snapshot, stopping bool) (health.Intake, health.Reason) {
	switch {
	case stopping:
		return health.IntakeClosed, health.BecauseDraining
	case g.Paused != nil && g.Paused.Unread:
		return health.IntakeClosed, health.BecauseControl
	case g.Paused != nil:
		return health.IntakeClosed, health.BecausePaused
	case r.pool.TooManyHung():
		return health.IntakeClosed, health.BecauseHung
	case !slices.ContainsFunc(r.takers, func(t *taker) bool { return !t.sessions.Current().Fenced() }):
		return health.IntakeClosed, health.BecauseLease
	}
	return intakeBy(g)
}

// intakeBy translates the gate's state, which speaks of circuit breakers: there an
// open one lets nothing pass.
func intakeBy(g gate.Snapshot) (health.Intake, health.Reason) {
	reason := health.Reason(g.Reason)
	switch g.Reason {
	case gate.ReasonBreaker, gate.ReasonProbing:
		reason = health.BecauseBreaker
	case gate.ReasonStopped:
		reason = health.BecauseDraining
	default: // the others are the words already
	}
	switch g.State {
	case gate.Open:
		return health.IntakeClosed, reason
	case gate.HalfOpen:
		return health.IntakeProbing, reason
	case gate.Closed:
	}
	return health.IntakeOpen, reason
}

// whyUnready adds to the reasons of h what keeps the intake from taking. Payloads of another
// codec make a process degraded that serves some queue.
func (r *intake) whyUnready(h *health.Report, g gate.Snapshot, serves bool) {
	if g.Decode == gate.Open && g.Paused == nil && g.Reason != gate.ReasonStopped {
		undecodable := unready
		if serves {
			undecodable = degrade
		}
		undecodable(h, "%s: %s; duequeue inspect tells what they are, the log shows how they begin", r.code, closed(health.BecauseUndecodable, causes.Undecodable(r.codec, "", g.Detail)))
	}
	if g.Paused != nil && g.Paused.Unread {
		unready(h, "%s: %s", r.code, closed(health.BecauseControl, causes.Unread+": "+r.controlErr()))
	}
	for _, t := range r.takers {
		if err := t.trouble.Cause(); err != nil && !refuses(err) {
			unready(h, "%s: cannot take: %s", t.name(), redisText(err))
		}
		if t.sessions.Current().Fenced() {
			unready(h, "%s: %s", t.name(), closed(health.BecauseLease, causes.Lease))
		}
	}
	if n := r.settling.unsettled.Load(); n > 0 {
		unready(h, "%s: Redis does not take the end of %d messages: %s", r.code, n, redisText(r.settling.unsettledErr.Cause()))
	}
	if _, n := r.pool.Counts(); r.pool.TooManyHung() {
		unready(h, "%s: %s", r.code, closed(health.BecauseHung, causes.Hung(n)))
	}
}

// controlErr is why the control is not known.
func (r *intake) controlErr() string {
	if c := r.control.Load(); c != nil && c.Err != nil {
		return errText(c.Err)
	}
	return "it was not read yet"
}
