package look

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/health"
)

// noQueue is what a database without queues says. A list that Redisson's keys do not name, and that no
// client waits for, is one of many lists.
const noQueue = "no delayed queue in this database; messages in a list to which no process listens are found by their queue's name alone, as by duequeue doctor ORDERS"

const queuesHelp = `
queues lists the delayed queues of a server, Java's and Go's, on a Cluster those of all
servers: how many messages are ready, pending, overdue and dead; for how long the oldest
one that is due waits to be started (LAG); how many programs transfer the queue, Java's
included (LISTEN); how many Go processes serve it; and how it is in a word and why (STATE):
unreadable, expiring, stuck, stranded, held up, late, hung, silent, paused, unserved, dead or
fine. framework/CONSOLE.md says what each means; "duequeue doctor" says what to do.

Without names it lists all queues; a name may be a pattern, as in 'ORDERS_*'.

A lag with ">=" in front is a lower bound: Java transferred the message, and nothing in
Redis tells when it was due. It counts from the first look at the queue that saw the
message, by this command or by a service's metrics.

It looks at every key of the database, a thousand at a time, and rests in between: -share
is the part of the time for which it lets a server search. A queue without messages,
records and listeners leaves nothing to be found. A name is listed without braces around
it. One that people could not read is quoted as in Go: "\x00odd", " begins with a blank"; in
JSON only one that is no UTF-8. Each command takes a QUEUE in that form, too: '"\x00odd"'.

-json prints one line for each queue. The Redis user needs what "duequeue acl
-role operate" prints. The exit code is 1 when something of a queue is not known.
`

func queuesCommand(e *env.Env) *cli.Command {
	var o admin.QueuesOptions
	return e.Command(env.Spec{
		Name: "queues", Args: "[QUEUE...]", Short: "list the delayed queues of a server, Java's and Go's", Group: env.GroupLook, Long: queuesHelp,
		Examples: []string{"duequeue queues", "duequeue -redis 10.0.0.7:6379 queues -json"}, JSON: queueLine{},
		Flags: []cli.Flag{
			env.Float(&o.Share, "share", admin.DefaultSearchShare, "part of the time for which a server searches, 0.01 to 1"),
			env.Int(&o.Most, "limit", admin.DefaultMostQueues, "most queues"),
		},
		Run: func(ctx context.Context, args []string) (err error) {
			switch {
			case o.Share < 0.01 || o.Share > 1:
				return env.Usagef("queues: -share must be from 0.01 to 1")
			case o.Most < 1:
				return env.Usagef("queues: -limit must be positive")
			}
			ctx, client, end, err := e.Connect(ctx)
			if err != nil {
				return err
			}
			defer end(&err)
			var found []admin.QueueStatus
			more := false
			if len(args) == 0 {
				found, more, err = admin.Queues(ctx, client, o)
			} else if args, err = e.Names(ctx, client, args); err == nil {
				if found, err = admin.StatusOf(ctx, client, args...); err == nil {
					err = admin.Compare(ctx, client, found)
				}
			}
			if err != nil && len(found) == 0 {
				return err
			}
			if printed := printQueues(e, found, more); printed != nil {
				return printed
			}
			if server, failed := admin.Diagnose(ctx, client, nil, admin.DiagnoseOptions{}); failed == nil {
				for _, f := range server {
					if f.Severity == admin.SeverityError {
						e.Warn("redis: %s: %s", f.Check, f.Message)
					}
				}
			}
			for _, q := range found {
				if q.Err != nil && err == nil {
					err = env.ErrReported
				}
			}
			return err
		},
	})
}

// queueLine is a queue in JSON. Times are seconds.
type queueLine struct {
	Queue      string         `json:"queue"`
	Ready      int64          `json:"ready"`
	Delayed    int64          `json:"delayed"`
	Overdue    int64          `json:"overdue"`
	Dead       int64          `json:"dead"`
	Lag        float64        `json:"lag"`
	LagAtLeast bool           `json:"lagAtLeast,omitempty"`
	NextDue    time.Time      `json:"nextDue,omitzero"`
	Listeners  int64          `json:"listeners"`
	Processes  int            `json:"processes"`
	Silent     int            `json:"silent,omitempty"`
	Pause      *health.Pause  `json:"pause,omitempty"`
	Limit      *health.Limit  `json:"limit,omitempty"`
	State      string         `json:"state"` // in a word
	Severity   admin.Severity `json:"severity,omitempty"`
	Why        string         `json:"why"`
	Findings   []Finding      `json:"findings,omitempty"`
	Error      string         `json:"error,omitempty"`
}

func printQueues(e *env.Env, found []admin.QueueStatus, more bool) error {
	if e.JSON {
		for _, q := range found {
			v := admin.Judge(q)
			line := queueLine{
				q.Queue, q.Ready, q.Delayed, q.Overdue, q.Dead, q.Lag.Seconds(), q.LagAtLeast, q.NextDue, q.Listeners, q.Processes, q.Silent, q.Pause, q.Limit, v.State, v.Severity, v.Text(), Findings(v), "",
			}
			if q.Err != nil {
				line.Error = q.Err.Error()
			}
			if err := e.Line(line); err != nil {
				return err
			}
		}
		return nil
	}
	if len(found) == 0 {
		e.Warn(noQueue)
		return nil
	}
	var t screen.Table
	t.Header("QUEUE", "READY", "DELAYED", "OVERDUE", "DEAD", "LAG", "LISTEN", "GO", "STATE")
	digits := func(n int64) string { return strconv.FormatInt(n, 10) }
	for _, q := range found {
		t.Row(screen.Name(q.Queue), digits(q.Ready), digits(q.Delayed), digits(q.Overdue), digits(q.Dead), screen.Lag(q.Lag, q.LagAtLeast), digits(q.Listeners), goText(q), StateText(admin.Judge(q)))
	}
	if err := t.Write(e.Stdout); err != nil {
		return err
	}
	if more {
		e.Warn("there are more than %d: see -limit", len(found))
	}
	return nil
}

func goText(q admin.QueueStatus) string {
	if q.Silent > 0 {
		return fmt.Sprintf("%d, %d silent", q.Processes-q.Silent, q.Silent)
	}
	return strconv.Itoa(q.Processes)
}
