package delayed

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var countsScript = library.Script("counts")

// QueueCounts says how many messages are where, at one moment. Messages in
// flight are counted by the sessions that hold them.
type QueueCounts struct {
	Ready     int64 // in the ready list
	Delayed   int64 // pending, overdue ones included
	Overdue   int64 // pending though due: nobody transfers, or not fast enough
	View      int64 // length of Java's pending list; differs from Delayed by ghosts
	Sessions  int64 // Go consumer sessions, dead ones included until they are reaped
	Dead      int64 // in the dead store
	NextDueMs int64 // due time of the next pending message; -1 for none
	NowUs     int64 // time of Redis in µs
}

// Counts counts the messages of one queue in one script. Errors are those of
// [script.Script.Run].
func Counts(ctx context.Context, rdb redis.Scripter, k wire.Keys) (QueueCounts, error) {
	value, err := countsScript.Run(ctx, rdb, []string{k.Timeout, k.Pending, k.Queue, k.Sessions, k.Dead})
	if err != nil {
		return QueueCounts{}, err
	}
	r := script.NewReader(countsScript, value)
	c := QueueCounts{
		Ready: r.Integer(), Delayed: r.Integer(), Overdue: r.Integer(), View: r.Integer(),
		Sessions: r.Integer(), Dead: r.Integer(), NextDueMs: wire.ScoreMs(r.Text()), NowUs: r.Micros(),
	}
	return c, r.Err()
}
