package fault

import (
	"fmt"
	"strings"
)

// PartitionsError says that processes disagree over how many partitions a queue has, see
// registry.Partitions: one would put messages where another does not look. The process that
// gets it did nothing to the queue.
type PartitionsError struct {
	Queue    string // code; where nothing was declared, the name in Redis
	Declared int    // registry.Partitions of this process; 0 if it declared nothing
	Other    int    // its registry.OtherPartitions; 0 for none
	Noted    string // what others have noted: their number and, behind a blank, their other one
	Key      string // where: field "partitions" of this key
}

// Error says both and how the number is changed.
func (e *PartitionsError) Error() string {
	if e.Declared == 0 {
		return fmt.Sprintf("queue %q: field \"partitions\" of key %q is %.32q, which is not a number of partitions: find out who wrote it, and delete the field", e.Queue, e.Key, e.Noted)
	}
	theirs, _, _ := strings.Cut(e.Noted, " ")
	return fmt.Sprintf("queue %q: this process declares %d partitions, and others %s: to change the number, deploy Partitions(%s) with OtherPartitions(%d) everywhere, then Partitions(%d) with OtherPartitions(%s), then Partitions(%d); or, if no other process uses the queue any more, delete field \"partitions\" of key %q",
		e.Queue, e.Declared, e.Noted, theirs, e.Declared, e.Declared, theirs, e.Declared, e.Key)
}

// ErrorType returns a short name for telemetry.
func (e *PartitionsError) ErrorType() string { return "partitions" }
