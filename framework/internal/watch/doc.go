// Package watch transfers the due messages of all queues of a process in time: it knows
// when the next one is due, hears of earlier ones on the channel, and sweeps.
//
//	watcher.go                    the owner of all state: start, stop, what wakes it
//	queue.go                      one queue: when it is asked next, and for how much
//	batch.go                      transfers under way, several queues in one pipeline
//	census.go                     how many processes transfer, where nobody tells
//	behind.go                     warns where the upkeep of Java's view takes all the time
//	serverclock.go                an estimate of the clock of Redis
//	alarm.go, fine_*.go           waking finer than a timer
//	options.go, health.go         settings, and what it tells of itself
package watch
