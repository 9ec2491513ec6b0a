package health

// Intake says whether messages are taken from a queue, see [Queue].
type Intake string

// The states of an intake.
const (
	IntakeOpen    Intake = "open"    // messages are taken
	IntakeProbing Intake = "probing" // a few are, to see whether what closed it is over
	IntakeClosed  Intake = "closed"  // none is taken
)

// Reason says why the intake of a queue is not open, or waits, see [Queue]. Where
// there are several causes it is the first of these constants; Report.Reasons has all.
type Reason string

// The reasons.
const (
	BecauseDraining    Reason = "draining"     // the process stops, or has stopped
	BecauseControl     Reason = "control"      // what operators want of all processes could not be read yet: a new process takes nothing before
	BecausePaused      Reason = "paused"       // by Engine.Pause, or by operators for all processes
	BecauseHung        Reason = "hung"         // too many handlers hang, see Queue.Hung
	BecauseLease       Reason = "lease"        // Redis did not confirm the lease for two thirds of its time
	BecauseUndecodable Reason = "undecodable"  // payloads in a row could not be decoded
	BecauseBreaker     Reason = "breaker"      // handlers failed in a row
	BecauseRateLimited Reason = "rate_limited" // open, and used up for the moment
)
