// Package redisson speaks the wire of Redisson's RDelayedQueue: its keys, both
// element layouts, the offer and transfer scripts, and the watcher that moves
// due messages to the ready list in time.
//
// # How a message travels
//
// An offer adds an element (id and payload) to the timeout set, scored by its
// due time in milliseconds, and to the pending list, which is only a view for
// Java's size, contains and remove. When the element became the head of the set
// its due time is published on the channel. A transfer, by any Go or Java
// process, moves what is due to the ready list as bare payloads.
//
// All facts come from the released jars (3.8.1 to 4.7.0) and the scripts inside
// them. Where Java uses the clock of the client, the scripts here use the clock
// of Redis.
//
// # The scripts
//
// Every script lives in lua/*.lua beside its Go half; package script says how it begins and
// what goes before it. Scripts use no struct, cmsgpack or bit library, so they run on
// miniredis as well, and check the type of every key before their first write, because
// Redis never rolls a script back.
package delayed
