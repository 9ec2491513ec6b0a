package gate

import "time"

// State is what the gate does with the intake, in the words of circuit breakers.
type State uint8

// The states.
const (
	Closed   State = iota // messages flow
	HalfOpen              // one probe at a time flows
	Open                  // nothing flows
)

// String returns "closed", "half-open" or "open".
func (s State) String() string {
	switch s {
	case Closed:
		return "closed"
	case HalfOpen:
		return "half-open"
	case Open:
		return "open"
	}
	return "unknown"
}

// Reason says why a permit was refused or the intake is limited.
type Reason string

// The reasons. Treat an unknown one as text.
const (
	ReasonNone        Reason = ""
	ReasonBreaker     Reason = "breaker_open"    // failures in a row
	ReasonProbing     Reason = "breaker_probing" // half-open
	ReasonUndecodable Reason = "undecodable"     // undecodable payloads in a row
	ReasonPaused      Reason = "paused"          // SetPause was called
	ReasonRate        Reason = "rate_limited"    // no token is left; the state is not Open for that
	ReasonStopped     Reason = "stopped"         // Close was called
)

// Verdict goes with permits and says how the gate stands.
// When no permit was given, wait on Changed (or call Gate.Wait) and ask again.
type Verdict struct {
	State  State
	Reason Reason
	// Until is when the gate tries again, when there are tokens, or when a pause ends by
	// itself; zero when that depends on a running probe or the gate is closed or stopped.
	Until time.Time
	// Detail is text for people: the guess about undecodable payloads, the reason of
	// a pause.
	Detail string
	// Changed is closed at the next change of state, when a probe's slot becomes
	// free or, where the rate was the reason, when there are tokens. It was read
	// together with the verdict: no change is missed. Nil when State is Closed
	// and a permit was given; use Gate.Changed there.
	Changed <-chan struct{}
}

// Change is one change of state, as handed to Hooks.OnChange.
type Change struct {
	Code   string    // queue code
	From   State     // before
	To     State     // after
	Reason Reason    // why; none when To is Closed
	Until  time.Time // when an open gate tries again; zero otherwise
	At     time.Time // when it happened
	Err    error     // last failure; nil when To is Closed or the codec is the reason
	Detail string    // guess about undecodable payloads, reason of a pause
	Paused *Pause    // the pause that began; where To is something else, the one that ended; not to be changed
}

// Hooks connects a gate with its owner. All fields are optional.
// OnChange and OnRecovery are called one at a time, in order, without a lock
// held, on the goroutine that caused the change or on a timer's; they must
// return soon and may call the gate.
type Hooks struct {
	// OnChange is told every change of state.
	OnChange func(Change)
	// OnRecovery is told that a probe has closed the breaker, also where a pause or
	// the decode guard goes on to stop the intake.
	OnRecovery func()
	// Now and AfterFunc are the clock; both or none. Defaults to package time,
	// which follows the virtual time of testing/synctest.
	Now       func() time.Time
	AfterFunc func(d time.Duration, f func()) (stop func() bool)
}
