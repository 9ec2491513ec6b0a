// Package gate answers one question for the runner of a queue: may I take now,
// and if not, until when and why.
//
// It joins two guards. The breaker (sony/gobreaker, two-step) stops the intake
// after a number of failures in a row: what the handlers depend on is down. The
// decode guard stops it after a number of undecodable payloads in a row: a wrong
// codec was deployed. An operator's pause stops it, too, and stands before both:
// they go on behind it. While either one stops the intake, nothing is popped.
//
// The rate limit is no state: it makes permits few. Each costs a token of a bucket
// (golang.org/x/time/rate); those of permits that no message used return. Probes pay,
// too, and are not starved by that: while half-open nobody else gets a token. Who is
// refused for want of tokens is woken by a timer when there are some.
//
// States carry the names of circuit breakers: Closed lets messages through,
// Open lets none, HalfOpen lets a few probes.
//
// The life of a permit:
//
//	permits, verdict := g.Acquire(n)  // before the take, never held while blocked
//	p := permits.Next()               // one per message taken
//	permits.Release()                 // the surplus
//	if !g.Start(p) { … }              // the intake stopped meanwhile: message back to the head
//	g.Decoded(p) or g.Undecodable(p, guess)
//	d := g.Done(p, result)            // always, also after a panic: defer it
//	… nack with d.Charge …
//	g.Settled(d)                      // the nack has reached Redis: it may now be refunded
//
// # Who pays for a failure
//
// A failure is charged to its message when the evidence speaks against the
// message, and not when it speaks against the world (promise 4):
//
//   - a failure that trips the breaker is not charged, and the earlier ones of
//     its streak are refunded, one per payload;
//   - failures of messages that had started before a trip and of half-open
//     probes are not charged; after 50 of them for one payload they are charged
//     again unless the handler marked them transient;
//   - a failure that would exhaust its message is not charged while the streak
//     holds at least one other message, or when it is marked transient.
//
// So a message that fails alone dies after its MaxAttempts, and an outage
// kills none.
package gate
