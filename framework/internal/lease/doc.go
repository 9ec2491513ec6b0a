// Package lease takes messages from a ready list that Java shares, so that none is
// lost when a process dies with messages in its hands.
//
// A [Session] stands for one process at one queue. It takes a batch by one script,
// which acks the batch before, renews the session's lease by Redis's clock and
// records the bodies in a list of their own under a random nonce. A message leaves
// Redis by an ack, by a place in the dead store, or by a new place in the delayed
// structures; what a dead process held goes back to the head of the queue by the
// [Reaper] of any other process.
//
// Only when the queue is empty does a session block ([Session.Wait]): BLMOVE into
// its own staging list, which the next take adopts. So a Java client that blocks on
// the same list gets its fair share, and what was moved for a client that has died
// meanwhile is not lost either.
//
// Each body in flight is named by a [Token]: nonce and index. A nonce is never used
// for two fetches, so an ack that comes after the lease was lost can only miss.
package lease
