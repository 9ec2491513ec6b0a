package registry

import (
	"strconv"
	"time"
)

// DeadLimit bounds the queue's dead store: when it holds more than n messages, the oldest
// are deleted for good, a few at a time and within some seconds, by the engines that handle
// the queue; of several partitions ([Partitions]) each has its share of n. Each one is logged (entry, reason, digest) and counted in
// messaging.redisson.dead_trimmed.messages. Without it, and without [DeadAge], dead letters
// are kept until they are redriven or dropped; the log and "duequeue doctor" warn when
// there are many.
func DeadLimit(n int) Option {
	return &option{
		name: "DeadLimit", arg: strconv.Itoa(n),
		fault: faultIf(n < 1, "must be positive: without this option all dead messages are kept"),
		set:   func(p *Policy) { p.DeadLimit = n },
	}
}

// DeadAge bounds how long a message stays in the queue's dead store, by the clock of
// Redis: older ones are deleted for good, as [DeadLimit] tells. A message that was
// redriven and died again is as old as its last death.
func DeadAge(d time.Duration) Option {
	return &option{
		name: "DeadAge", arg: d.String(),
		fault: faultIf(d < time.Second, "must be at least 1s: without this option all dead messages are kept"),
		set:   func(p *Policy) { p.DeadAge = d },
	}
}
