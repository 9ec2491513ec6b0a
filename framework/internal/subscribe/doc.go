// Package subscribe holds a subscription to the channels of queues, on which each new head of
// a queue's pending messages is announced: for the watcher, which transfers them, and for
// migrations, which make them readable.
package subscribe
