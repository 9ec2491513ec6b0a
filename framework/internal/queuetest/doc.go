// Package queuetest is what tests of the packages around a queue share: a real Redis and
// the in-memory one, the state of a queue, Java's own scripts, records, a connection that
// breaks. Production code does not import it.
package queuetest
