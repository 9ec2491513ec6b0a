// Package wire says how Redisson's RDelayedQueue, and what this project keeps beside it,
// look in Redis: names of keys, layouts of elements, ids and records. It is pure: no client
// of Redis, no script. The scripts read and write the same; tests hold both against each
// other.
//
// All facts come from the released jars (3.8.1 to 4.7.0) and the scripts inside them.
//
//	keys.go         the keys of a queue, Redisson's and ours
//	names.go        which names a queue may have; names that share their keys
//	slot.go         the slot of a key in a Cluster
//	element.go      both layouts of pending elements, packed and parsed
//	elementid.go    the id of an element, and the field of its record
//	ids.go          the generator of ids
//	idtext.go       the ID of a message, and its text
//	score.go        due times as scores
//	digest.go       the digest that names a payload
//	duerecord.go    when a ready message was due
//	tracerecord.go  the trace context of an offer
//	history.go      the former lives of a redriven message
package wire
