// Package gate answers one question for the runner of a queue: may I take now,
// and if not, until when and why.
//
// It joins two guards. The breaker (sony/gobreaker, two-step) stops the intake after
// a number of different messages failed in a row: what the handlers depend on is down. The
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
// Open lets none, HalfOpen lets one probe at a time.
//
// # When the breaker moves
//
//   - It opens when Failures different messages failed one after another. One that
//     fails again before anything succeeds counts once: it proves nothing new, so that
//     a few bad messages never stop the good ones.
//   - Any message may probe. A probe that fails keeps it open, for longer each time; one
//     success closes it.
//   - What it counts costs or spares no message anything: attempts are the engine's.
//
// The life of a permit:
//
//	permits, verdict := g.Acquire(n)  // before the take, never held while blocked
//	p := permits.Next()               // one per message taken
//	permits.Release()                 // the surplus
//	if !g.Start(p) { … }              // the intake stopped meanwhile: message back to the head
//	g.Decoded(p), g.Unfit(p) or g.Undecodable(p, guess)
//	g.Done(p, result)                 // always, also after a panic: defer it
package gate
