// Package fault breaks things on purpose: processes, Redis servers, Sentinel groups,
// clusters, connections and clocks. It does no accounting of messages; whoever uses it
// offers, handles and counts.
//
// Each fault is a [Fault]. One that could not take hold says so by its error; one
// that took hold but that nobody ran into shows by [Tally].Effects, so that a fault that
// does nothing cannot pass for one that was survived.
//
//	srv, err := fault.StartServer(ctx, fault.ServerOptions{Fsync: fault.Always})
//	full := fault.FullMemory(srv)
//	err = full.Strike(ctx) // from here on writes are refused
//	…
//	err = full.Heal(ctx)
//	full.Tally()           // {Strikes:1 Effects:412 Unit:"commands refused with OOM"}
//
// Everything listens on loopback and free ports, lives in temporary directories and
// ends with the process that started it, also by kill -9.
//
// # Clocks
//
// A redis-server's clock jumps by [RedisClock], a JVM's by [Clock], a Go program's is
// wrong from its start by [BuildSkewed] and [GoSkew].
//
// Leases, due times, lateness, dead letters and the age of records live by Redis's clock,
// which each script reads; between two replies the engine goes on by its monotonic clock.
// What the engine takes from the local time of day, which a wrong clock makes wrong:
//
//   - the ids of elements: their order among messages of one due ms, between processes;
//   - OfferAt with a time that the caller took from that clock: due by so much too early
//     or too late, which is what was asked for; the delay in the span of such an offer;
//   - the times of spans, metrics and log lines, and the times of errors that health shows;
//   - up to 20 ms more before a runner blocks, and batches that are wary for a while,
//     when the clock is set back;
//   - the skew itself, which the watcher measures and warns of.
//
// Java counts due times by the clock of whoever offers, and releases them by the clock of
// whoever transfers: a Java client that is ahead by 10 s releases 10 s early, Go's
// messages too.
package fault
