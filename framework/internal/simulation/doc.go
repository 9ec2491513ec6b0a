// Package simulation plays hours of a fleet in virtual time, each from a seed. Four whole
// engines with eight queues at production timings, their producers and a model of a Java
// service share an in-memory server; half of them let three queues wait in Redis, and look
// at the others; one queue has three partitions; a network between them lets one packet
// arrive after the other; a plan drawn from the seed has deaths, pauses, lost and late
// replies, rollbacks, clocks that jump, deleted keys, deploys, and operators who pause or
// bound all processes. A ledger knows what really happened: lost, early, late and stuck
// messages are findings, and so is a lease that ends too late, a dead letter that should
// be none, a message that begins while its queue is paused, a process that is not ready
// when all is well, or a key that stays for ever.
//
//	make simulate                     seeds 1 to 10, as CI does
//	make simulate SEEDS=1000          more of them; SEED=500 begins with another one
//	make simulate SEED=7 SEEDS=1 SHRINK=1    leaves out steps that the finding does not need
//	make simulate REPLAY=simulation-7-….gz   repeats a finding from its record; with SHRINK=1, too
//	make simulate TWICE=1 SEEDS=30    plays each seed twice, and tells where the second run differs
//	DUEQUEUE_TEST_TRACE=/tmp/trace make simulate SEED=7 SEEDS=1    all packets and logs
//
// # How to read a finding
//
// It names the message: its payload tells what its handler does (kind), then its queue and
// ID, when it was offered and due, the last starts and ends. Below stand all keys, and the
// last faults, newest first. The trace has each packet with its virtual time, process.life
// and direction. The same seed gives the same trace, packet for packet (the sum says so), as
// long as neither the engine nor a plan changes.
//
// # How to repeat a finding
//
// A finding names its record: the steps of the plan, then for each packet that arrived when,
// to or from whom, and a hash of what it says (zcat shows it). In a replay packets arrive in
// this order and at these moments, whatever latencies the seed would draw. Where the packet of
// the record is not on its way at its moment the replay says which one it expected and what
// was on its way, and from there on the seed decides. After a change of the engine that tells
// how far a run is still the same. Records are written to the directory
// DUEQUEUE_TEST_RECORDS, else to that of temporary files; a seed without a finding writes one
// where DUEQUEUE_TEST_KEEP is 1.
//
// # How to turn it into a test
//
// SHRINK=1 prints the steps that are enough. Most findings are one race of two scripts:
// write it with the fakes of internal/queue/lease, in the order of the trace.
//
// # How to extend it
//
//   - A fault: an entry in faults with its weight (plan_test.go), its action in
//     faults_test.go. It tells the ledger until when it may hold messages up (struck).
//   - A kind of message: kinds in queues_test.go, what its handler does in process_test.go.
//   - A property: ledger_test.go for what is judged at each start and end, dead_test.go for
//     what is given up, watch_test.go for what must hold between faults, judge and leftovers
//     in world_test.go for the end.
//   - A model: the Java service is three actions in java_test.go.
//
// # What makes it repeatable
//
// Each process plays one seed on one processor. Command run builds it with some edits of
// Go's own source (order of select, of maps, of timers for one moment). The engine draws
// from package chance, by when and where it asks. A packet takes a time that is drawn from
// what it says. What goroutines do at one moment still has no order: nothing here may
// depend on it, so handlers, cuts and holds end at moments of their own. TestReplay shows that
// the order in which packets arrive is all that a run depends on.
//
// # What it finds
//
// Of nineteen defects that were put back one by one it found nine within four seeds each: a
// blind delete of what a rollback brought back, suspects that hold up all queues, messages that
// a living process keeps unknown, 64 deaths at a time, due times that change owners, a clock
// that goes back, equal payloads that share attempts, one partition that is reaped alone, and a
// process that is deaf to operators. It judges at each start and end of a handler, every ten
// virtual seconds (watch_test.go: leases, what is late or stuck, dead letters), and when all
// is over. The last thing that befalls a fleet is a message that kills three processes when
// all else has healed.
//
// # What is missing
//
// Equal messages of the queue that Java shares are judged by number. A seed means another
// trace after any change of the engine or its scripts, since draws depend on where the engine
// asks and latencies on what packets say: ten green seeds say little about those of the next
// commit.
// What the in-memory server cannot show (cost, permissions, persistence) is in the matrix of
// faults.
package simulation
