package registry

import (
	"fmt"
	"strconv"
)

// MaxPartitions is the highest number of partitions of a queue. Each costs every process
// that handles the queue a connection and a few goroutines.
const MaxPartitions = 256

// Partitions spreads the queue over n queues of Redisson, its partitions, so that a Redis
// Cluster shares its load among its nodes. Their names follow from the key of the queue:
// partition 0 has the plain name, which a Java service that knows of no partitions uses,
// and the slots of the first n lie evenly for any n. One handler with its workers, breaker
// and rate serves all of them, and [framework.Queue] and the tools speak of one queue; only
// the order of messages is kept within a partition alone.
//
// An offer with a key goes to the partition of its key, others go to the partitions in
// turn. All processes must use the same number; to change it, see [OtherPartitions].
// Defaults to 1, at most [MaxPartitions].
//
// [framework.Queue]: https://pkg.go.dev/github.com/duequeue/duequeue/framework#Queue
func Partitions(n int) Option {
	return &option{
		name: "Partitions", arg: strconv.Itoa(n), fault: partitionsFault(n),
		set: func(p *Policy) { p.Partitions = n },
	}
}

// OtherPartitions says that other processes use n partitions, while the number changes.
// This process offers to as many as [Partitions] says. But it handles the partitions of
// both numbers, and where a key would be in another partition by the other number, it asks
// that one first, so that a key keeps its message; the two are not asked at one moment.
//
// To change the number from 4 to 8, deploy Partitions(4) with OtherPartitions(8)
// everywhere, then Partitions(8) with OtherPartitions(4), then Partitions(8). From 8 to 4
// is the same way back.
func OtherPartitions(n int) Option {
	return &option{
		name: "OtherPartitions", arg: strconv.Itoa(n), fault: partitionsFault(n),
		set: func(p *Policy) { p.OtherPartitions = n },
	}
}

func partitionsFault(n int) string {
	return faultIf(n < 1 || n > MaxPartitions, fmt.Sprintf("must be from 1 to %d", MaxPartitions))
}

// AllPartitions is how many partitions this process handles: those of both numbers.
func (p Policy) AllPartitions() int { return max(p.Partitions, p.OtherPartitions, 1) }
