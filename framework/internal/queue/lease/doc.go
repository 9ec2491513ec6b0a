// Package lease takes messages from a ready list that Java shares, so that none is
// lost when a process dies with messages in its hands.
//
// A [Session] is one process at one queue. It takes a batch by one script, which acks
// the batch before, renews the session's lease by Redis's clock and records the bodies
// in one list per fetch, under a random nonce. A message leaves that list by an ack, for
// the dead store, or for a retry through the delayed structures. The [Reaper] of any other
// process puts what a dead process held back to the head of the queue.
//
// Only when the queue is empty does a session block ([Session.Wait]): BLMOVE into
// its own staging list, which the next take adopts. So a Java client that blocks on
// the same list gets its fair share, and what was moved for a client that has died
// meanwhile is not lost either.
//
// Each body in flight is named by a [Token]: nonce and index. A nonce is never used
// for two fetches, so an ack that comes after the lease was lost can only miss.
//
// Where to look:
//
//   - session.go, conn.go, turn.go, expiry.go: one process at one queue, its connection, its clock
//   - take.go, decode.go, message.go, buffer.go, ledger.go: taking, and what is known of open fetches
//   - wait.go: blocking on an empty queue, and ending that
//   - ack.go, nack.go, dead.go, release.go, suspect.go: what becomes of a message
//   - renew.go, strays.go: the lease, and messages that a rollback of Redis brought back
//   - close.go, handback.go, reaper.go, forget.go: the end of a session, of counters
//   - find.go, held.go: where a message is, what sessions hold
//   - restore.go: from the dead store back to the head of the queue
//   - reply.go, errors.go, scripts.go, options.go: replies of scripts, errors, the scripts, settings
package lease
