package look

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
)

const countsHelp = `
counts says how many messages of each queue are where, over all of its partitions: ready
(due, and not taken), delayed (pending, that is not due or not transferred yet), overdue (of
these, those that are due), in flight at Go processes, stranded (of these, those of processes
that died), and dead. LAG is for how long the oldest message that is due waits to be started; with ">="
in front it is a lower bound. STATE says what "duequeue queues" says. What Java's consumers have
taken is gone from Redis.

Without names it counts all queues; a name may be a pattern, as in 'ORDERS_*'.
`

// Counts returns the command that counts the messages of queues.
func Counts(e *env.Env) *cli.Command {
	return e.Command(env.Spec{
		Name: "counts", Args: "[QUEUE...]", Short: "count the messages of queues", Group: env.GroupLook, Long: countsHelp,
		Examples: []string{"duequeue counts ORDERS"}, JSON: countsLine{},
		Run: func(ctx context.Context, queues []string) error { return counts(ctx, e, queues) },
	})
}

// countsLine is a queue in JSON.
type countsLine struct {
	Queue      string    `json:"queue"`
	Ready      int64     `json:"ready"`
	Delayed    int64     `json:"delayed"`
	Overdue    int64     `json:"overdue"`
	InFlight   int64     `json:"inFlight"`
	Stranded   int64     `json:"stranded"`
	Dead       int64     `json:"dead"`
	Sessions   int64     `json:"sessions"`
	Lag        float64   `json:"lag"`
	LagAtLeast bool      `json:"lagAtLeast,omitempty"`
	NextDue    time.Time `json:"nextDue,omitzero"`
	State      string    `json:"state"`
	Why        string    `json:"why"`
}

func counts(ctx context.Context, e *env.Env, queues []string) error {
	var t screen.Table
	rows := 0
	t.Header("QUEUE", "READY", "DELAYED", "OVERDUE", "IN FLIGHT", "STRANDED", "DEAD", "LAG", "NEXT DUE ("+e.Clock().Zone()+")", "STATE")
	err := e.EachFound(ctx, queues, func(ctx context.Context, client *framework.Client, name string) error {
		q, err := admin.Queue(ctx, client, name)
		if err != nil {
			return err
		}
		n, err := q.Counts(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", screen.Name(name), err)
		}
		status, err := admin.StatusOf(ctx, client, name)
		if err != nil {
			return fmt.Errorf("%s: %w", screen.Name(name), err)
		}
		v := admin.Judge(status[0])
		if e.JSON {
			line := countsLine{name, n.Ready, n.Delayed, n.Overdue, n.InFlight, n.Stranded, n.Dead, n.Sessions, n.Lag.Seconds(), n.LagAtLeast, n.NextDue.UTC(), v.State, v.Text()}
			if n.NextDue.IsZero() {
				line.NextDue = time.Time{}
			}
			return e.Line(line)
		}
		rows++
		t.Row(screen.Name(name), number(n.Ready), number(n.Delayed), alarming(n.Overdue), number(n.InFlight), alarming(n.Stranded), alarming(n.Dead),
			screen.Lag(n.Lag, n.LagAtLeast), next(e, n.NextDue), StateText(v))
		return nil
	})
	if e.JSON || rows == 0 {
		return err
	}
	return errors.Join(t.Write(e.Stdout), err)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// alarming shows a number that should be zero.
func alarming(n int64) string {
	if n == 0 {
		return "0"
	}
	return screen.Yellow.On(number(n))
}

func next(e *env.Env, due time.Time) string {
	if due.IsZero() {
		return "-"
	}
	return e.Clock().At(due) + ", " + screen.Due(due, time.Now())
}
