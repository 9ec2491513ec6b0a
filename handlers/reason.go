package handlers

// Why a message is in the dead store.
const (
	ReasonMalformed   = "malformed"   // not an element that Redisson or we write
	ReasonOverflowed  = "overflowed"  // its due time is negative: Java's now + delay overflowed
	ReasonUndecodable = "undecodable" // the codec cannot read the payload
	ReasonRejected    = "rejected"    // the handler said so
	ReasonExhausted   = "exhausted"   // the last attempt failed
	ReasonOversized   = "oversized"   // larger than the queue's MaxPayload, or becomes more than the limits of its codec
	ReasonExpired     = "expired"     // later than the queue's MaxLateness, or older than its MaxAge
	ReasonCrashLoop   = "crash-loop"  // was in flight in three processes that died
	ReasonHung        = "hung"        // its handler hung for the last time that the queue's MaxHangs or MaxAttempts allow
	ReasonBuried      = "buried"      // a person took it out of the queue
)

// Reasons returns all of them.
func Reasons() []string {
	return []string{
		ReasonMalformed, ReasonOverflowed, ReasonUndecodable, ReasonRejected, ReasonExhausted, ReasonOversized, ReasonExpired,
		ReasonCrashLoop, ReasonHung, ReasonBuried,
	}
}
