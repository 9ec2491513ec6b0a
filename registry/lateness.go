package registry

import "time"

// LateAction says what becomes of messages that are later than [MaxLateness] allows.
type LateAction int

// The actions.
const (
	// Expire sends them to the dead store with the reason "expired", without calling
	// the handler.
	Expire LateAction = iota
	// Deliver hands them to the handler, which asks Delivery.TooLate.
	Deliver
)

// String returns the constant's name.
func (a LateAction) String() string { return constant("LateAction", int(a), "Expire", "Deliver") }

// MaxLateness says how late a message may be started, and what becomes of those that are
// later: a reminder that is a day late may be worse than none. The engine compares the due
// time of this delivery with Redis's clock right before the handler starts. Expired
// messages are not charged an attempt and the breaker does not count them.
//
// A message whose due time is unknown (Java transferred it, or put it on the ready list
// directly) is delivered, and counted by the metric of unknown due times. So is one that
// Java transferred and whose due time is a guess by its payload, which may be that of an
// equal message (see handlers.Message.DueGuessed). A retry has a new due time, that of its
// backoff, and a redriven message that of its redrive, so neither is late because of its
// past. Needs [DueTracking]. Defaults to no limit.
func MaxLateness(d time.Duration, then LateAction) Option {
	fault := faultIf(d < time.Millisecond, "must be at least 1ms")
	if fault == "" {
		fault = faultIf(then < Expire || then > Deliver, "there is no such action")
	}
	return &option{
		name: "MaxLateness", arg: d.String() + ", " + then.String(), fault: fault,
		set: func(p *Policy) { p.MaxLateness, p.Late = d, then },
	}
}

// MaxAge says how long after its first due time a message is retried: if the next attempt
// would begin later than that, it goes to the dead store with the reason "expired" instead.
// It bounds endless retries, such as those of errors that are marked transient, which cost
// no attempt; the first attempt is always made. The first due time is that of the offer,
// even after retries and reschedules. For a redriven message it is the time of its redrive,
// for one that came without an ID that of its first delivery. An expired message is charged
// the attempt that just failed, unless that was transient. Needs [DueTracking]. Defaults to
// no limit.
func MaxAge(d time.Duration) Option {
	return &option{
		name: "MaxAge", arg: d.String(),
		fault: faultIf(d < time.Millisecond, "must be at least 1ms"),
		set:   func(p *Policy) { p.MaxAge = d },
	}
}

// lateness checks that due times are known where they matter.
func (d *declaration) lateness() {
	if d.policy.MaxLateness > 0 && !d.policy.DueTracking {
		d.untracked(MaxLateness(d.policy.MaxLateness, d.policy.Late), "lateness")
	}
	if d.policy.MaxAge > 0 && !d.policy.DueTracking {
		d.untracked(MaxAge(d.policy.MaxAge), "age")
	}
}

func (d *declaration) untracked(o Option, what string) {
	d.add(&OptionError{
		Code: d.code, Option: o.String(),
		Reason: what + " is not known without due tracking: leave DueTracking(false) out",
	})
}
