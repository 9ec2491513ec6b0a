// Package queuetest is what tests of the packages around a queue share: the state of a queue,
// Java's own scripts, records, scripts that read another clock, and [Twin], which compares the
// embedded server with Redis. Production code does not import it.
package queuetest
