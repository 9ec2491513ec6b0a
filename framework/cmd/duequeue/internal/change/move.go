package change

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
)

const moveHelp = `
move gives what is ready and pending in queue FROM to queue TO, for example what a program
has offered to a misspelt name. Both queues must exist. Each message keeps its bytes, its due
time, its ID, its key and its attempts. What processes hold, and dead letters, stay:
"duequeue dead redrive FROM" makes those ready first.

Without -yes it changes nothing, and says what it would do. Java and Go may go on at the same time:
stop the program that offers to the wrong name first, or run move again. Each message is moved
once, also where move is killed: what it had put aside is moved by the next run, and
"duequeue queues" shows it until then.

-json prints one line of JSON. The exit code is 1 when something failed.

The Redis user needs what "duequeue acl -role operate FROM TO" prints.
`

// move is the command that moves messages to another queue.
func move(e *env.Env) *cli.Command {
	m := &moving{e: e}
	return e.Command(env.Spec{
		Name: "move", Args: "FROM TO", Short: "move messages to another queue", Group: env.GroupChange, Long: moveHelp,
		Examples: []string{"duequeue move ORDRES ORDERS", "duequeue move ORDRES ORDERS -yes -reason misspelt"}, JSON: moveLine{},
		Flags: []cli.Flag{
			env.Bool(&m.yes, "yes", false, "do it"),
			env.Float(&m.share, "share", admin.DefaultFieldShare, "part of the time for which a server works for this, 0.001 to 1"),
			env.String(&m.reason, "reason", "", "why: the audit shows this `TEXT`"),
			env.String(&m.by, "by", "", "who: the `NAME` that the audit shows; defaults to $USER and the host"),
		},
		Run: m.run,
	})
}

// moving is one run.
type moving struct {
	e          *env.Env
	yes        bool
	share      float64
	reason, by string
}

// moveLine is what was moved, in JSON.
type moveLine struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Ready     int64  `json:"ready"`   // when it began
	Delayed   int64  `json:"delayed"` // when it began
	Moved     int64  `json:"moved"`
	There     int64  `json:"there,omitempty"`   // dropped: TO had the same message
	Resumed   int64  `json:"resumed,omitempty"` // of these, put aside by an earlier run
	ResumedTo string `json:"resumedTo,omitempty"`
	InFlight  int64  `json:"inFlight"` // stays
	Dead      int64  `json:"dead"`     // stays
	Dry       bool   `json:"dryRun,omitempty"`
	Error     string `json:"error,omitempty"`
}

func (m *moving) run(ctx context.Context, args []string) (err error) {
	switch {
	case len(args) != 2:
		return env.Usagef("move: name two queues: the one that has the messages, and the one that gets them")
	case m.share < 0.001 || m.share > 1:
		return env.Usagef("move: -share must be from 0.001 to 1")
	}
	from, to := args[0], args[1]
	ctx, client, end, err := m.e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	if err = m.e.Exists(ctx, client, from, to); err != nil {
		return err
	}
	done, err := m.move(ctx, client, from, to)
	return m.print(from, to, done, err, ctx.Err() != nil)
}

func (m *moving) move(ctx context.Context, client *framework.Client, from, to string) (done admin.Moved, err error) {
	progress := screen.NewProgress(m.e.Stderr)
	o := admin.MoveOptions{DryRun: !m.yes, Share: m.share, Progress: func(d admin.Moved) {
		progress.Tell("%d of %d moved so far", d.Moved+d.There, d.Ready+d.Delayed)
	}}
	do := func(ctx context.Context) (string, error) {
		done, err = admin.Move(ctx, client, from, to, o)
		return fmt.Sprintf("%d moved", done.Moved), err
	}
	if !m.yes {
		_, err = do(ctx)
		return done, err
	}
	return done, m.e.Audited(ctx, client, admin.Action{Who: m.by, Action: "move", Queue: from, Target: "to " + to, Reason: m.reason}, do)
}

// print shows what was moved, and what stays.
func (m *moving) print(from, to string, d admin.Moved, err error, interrupted bool) error {
	if err != nil && interrupted {
		err = errors.New("interrupted: what was moved stays so, and the same command goes on with the rest")
	}
	if m.e.JSON {
		l := moveLine{
			From: from, To: to, Ready: d.Ready, Delayed: d.Delayed, Moved: d.Moved, There: d.There, Resumed: d.Resumed, ResumedTo: d.ResumedTo,
			InFlight: d.InFlight, Dead: d.Dead, Dry: !m.yes,
		}
		if err != nil {
			l.Error = err.Error()
		}
		if printed := m.e.Line(l); printed != nil || err == nil {
			return printed
		}
		return env.ErrReported
	}
	if d.Resumed > 0 {
		m.e.Warn("%s of %s had been put aside by an earlier run, and moved to %s", screen.Count(d.Resumed, "message"), screen.Name(from), screen.Name(d.ResumedTo))
	}
	if d.There > 0 {
		m.e.Warn("%s had %s already, the same bytes under the same id: dropped in %s", screen.Name(to), screen.Count(d.There, "message"), screen.Name(from))
	}
	if d.InFlight+d.Dead > 0 {
		m.e.Warn("%s: %s in flight and %s stay", screen.Name(from), screen.Count(d.InFlight, "message"), screen.Count(d.Dead, "dead letter"))
	}
	if err != nil && d.Moved == 0 {
		return err
	}
	text := fmt.Sprintf("%s moved from %s to %s", screen.Count(d.Moved, "message"), screen.Name(from), screen.Name(to))
	if !m.yes {
		text = fmt.Sprintf("%s of %s would be moved to %s, %d of them ready; add -yes to do it", screen.Count(d.Ready+d.Delayed, "message"), screen.Name(from), screen.Name(to), d.Ready)
	}
	if _, printed := fmt.Fprintln(m.e.Stdout, text); printed != nil {
		return printed
	}
	return err
}
