package admin

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	SeverityInfo    Severity = "info"    // worth knowing
	SeverityWarning Severity = "warning" // may hurt: late messages, wrong answers to Java
	SeverityError   Severity = "error"   // hurts now, or loses messages when it matters
)

// Finding is one thing that was found: what is wrong, why, and what to do.
type Finding struct {
	Check    string   // short name of the check
	State    string   // the queue's state in a word, where this is the worst; of [Judge]
	Severity Severity // how bad it is
	Queue    string   // empty for what concerns the server
	Message  string   // what is so and its cause, with numbers
	Advice   string   // what to do
	// Command does it, or shows more, as it is typed: "duequeue resume ORDERS". Empty where none does.
	Command string
	// Evidence is the text of the last error behind it, redacted. It may name what is in a message:
	// show it to those who may see payloads.
	Evidence string
	Age      time.Duration // of the oldest reading behind it, 0 for one that was made now
	Count    int64         // of what was found; 0 where there is nothing to count
	Fixable  bool          // Fix repairs it
	Fixed    int64         // how many were repaired
}

// DefaultWalk is how many elements of a queue [Diagnose] looks at by default.
const DefaultWalk = 1_000_000

// Limits above or below which something is worth a finding.
const (
	skewAfter  = time.Second
	longView   = 100_000 // entries of Java's list: a transfer by Redisson takes 0.2 s there
	farAfter   = 10 * 365 * 24 * time.Hour
	endedAfter = 2 * time.Minute // a session that ended longer ago should have been reaped by who lives
)

// checkServer examines what all queues share, on a Cluster at every primary. Errors are
// those of Redis; what was found elsewhere comes with them.
func checkServer(ctx context.Context, rdb redisapi.Client) ([]Finding, error) {
	if redisapi.IsCluster(rdb) {
		return primaries(ctx, rdb)
	}
	s := &server{rdb: rdb}
	if err := s.run(ctx); err != nil {
		return s.found, err
	}
	return s.found, nil
}

// checkQueue examines one queue; name is what Java and the command line call it. Errors are
// those of Redis; what was found before comes with them.
func checkQueue(ctx context.Context, rdb redisapi.Client, keys wire.Keys, name string, o DiagnoseOptions) ([]Finding, error) {
	if o.Walk <= 0 {
		o.Walk = DefaultWalk
	}
	q := &queue{rdb: rdb, keys: keys, name: name, options: o, noView: o.View == registry.ViewOff}
	err := q.run(ctx)
	return q.found, err
}
