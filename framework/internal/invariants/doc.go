// Package invariants holds no code, but the test of the whole path: offer, transfer,
// take, ack, nack, release, dead store, redrive, reap. A model runs beside the real
// scripts, on miniredis and on a real server, with
//
//   - zombies: whatever was handed out may be settled at any later time, whatever has
//     become of its session, and a reaped session may take again;
//   - lost requests and lost replies: what is sent may not arrive, what is answered may
//     not come back, and the call is repeated as the engine repeats it;
//   - Java, which transfers and takes without any of our keys;
//   - suspects, processes that die, malformed and oversized messages.
//
// After each step these must hold:
//
//	I1  every accepted, unprocessed message is in exactly one place: delayed, ready,
//	    staged, in flight or dead
//	I2  what is done never appears again
//	I3  the token of a reaped session settles nothing
//	I4  what comes back stands at the head, oldest first; the rest keeps its order
//	I5  counters rise as promised: failures by failures, deaths by deaths of processes
//	    whose handler had begun, hand-outs by hand-outs; a redrive begins anew and the
//	    history stays; a week after a message was due they are over, whatever became of it,
//	    and counters of a message that counts are never swept
//	I7  bytes stay as they were offered; due times, ids and trace contexts arrive
//	I8  all keys share the slot of their queue
//	I9  a session that ended leaves no key, and an empty queue none at all
//
// I6, an open breaker takes nothing, is the engine's and tested there.
//
// The mutation test breaks the scripts on purpose, one line at a time, and demands that
// the model notices: the table in mutants_test.go says what each of them breaks. Every sixth
// row is tried by default but those that take long, all of them in the long form, with DUEQUEUE_TEST_LONG=1.
package invariants
