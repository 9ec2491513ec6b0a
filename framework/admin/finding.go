// Package doctor looks for what makes delayed queues lose, stall or be late: in the
// keys of a queue, in who serves it, and in the settings of Redis. It changes nothing
// unless it is asked to, and then only what no message depends on.
package doctor

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	Info    Severity = "info"    // worth knowing
	Warning Severity = "warning" // may hurt: late messages, wrong answers to Java
	Error   Severity = "error"   // hurts now, or loses messages when it matters
)

// Finding is one thing that was found.
type Finding struct {
	Check    string   // short name of the check
	Severity Severity // how bad it is
	Queue    string   // empty for what concerns the server
	Message  string   // what was found, with numbers
	Advice   string   // what to do
	Count    int64    // of what was found; 0 where there is nothing to count
	Fixable  bool     // Fix mends it
	Fixed    int64    // how many were mended
}

// Options shape an examination. The zero value looks, and fixes nothing.
type Options struct {
	// Name is what Java and the command line call the queue. Defaults to its name in
	// Redis, which is another one behind a name mapping.
	Name string
	// Fix mends what is safe to mend.
	Fix bool
	// View is how the queues are declared in Go.
	View redisson.View
	// JavaCancels says that Java services call remove or poll on the delayed queues.
	JavaCancels bool
	// Walk bounds how many elements of a queue are looked at one by one. Defaults to
	// [DefaultWalk].
	Walk int64
}

// DefaultWalk bounds the elements that are looked at in one queue.
const DefaultWalk = 1_000_000

// Limits above or below which something is worth a finding.
const (
	lateAfter  = 5 * time.Second // overdue for longer: nobody transfers, or not fast enough
	skewAfter  = time.Second
	longReady  = 100_000
	longView   = 100_000 // entries of Java's list: a transfer by Redisson takes 0.2 s there
	farAfter   = 10 * 365 * 24 * time.Hour
	endedAfter = 2 * time.Minute // a session that ended longer ago should have been reaped by who lives
)

// Server examines what all queues share, on a Cluster at every primary. Errors are
// those of Redis; what was found elsewhere comes with them.
func Server(ctx context.Context, rdb redis.UniversalClient) ([]Finding, error) {
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		return primaries(ctx, cluster)
	}
	s := &server{rdb: rdb}
	if err := s.run(ctx); err != nil {
		return s.found, err
	}
	return s.found, nil
}

// Queue examines one queue. Errors are those of Redis; what was found before comes
// with them.
func Queue(ctx context.Context, rdb redis.UniversalClient, keys redisson.Keys, o Options) ([]Finding, error) {
	if o.Walk <= 0 {
		o.Walk = DefaultWalk
	}
	if o.Name == "" {
		o.Name = keys.Queue
	}
	q := &queue{rdb: rdb, keys: keys, options: o}
	err := q.run(ctx)
	return q.found, err
}
