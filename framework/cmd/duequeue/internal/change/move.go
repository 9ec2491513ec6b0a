package change

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/operations"
)

// moveCommand is the command that moves messages to another queue.
func moveCommand(e *env.Env) *cli.Command {
	m := &moving{Operating: e.Operating(operations.Named("move"), ""), e: e}
	return e.Command(env.Spec{
		Name: m.Name, Args: "FROM TO", Short: m.Short, Group: env.GroupChange, Long: m.Help, Examples: m.Examples, JSON: moveLine{},
		Flags: m.Flags("do it"), Run: m.run,
	})
}

// moving is one run.
type moving struct {
	*env.Operating

	e *env.Env
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
	if len(args) != 2 {
		return m.Usagef("name two queues: the one that has the messages, and the one that gets them")
	}
	if err = m.Wrong(false); err != nil {
		return err
	}
	ctx, client, end, err := m.e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	if err = m.e.Exists(ctx, client, args...); err != nil {
		return err
	}
	progress := screen.NewProgress(m.e.Stderr)
	call := m.Call(args[0])
	call.Client, call.Name, call.Dry = client, args[1], !m.Yes
	call.Progress = func(n int64, _ *operations.Filter) { progress.Tell("%d moved so far", n) }
	var r operations.Result
	err = m.Audited(ctx, call, "to "+args[1], func(ctx context.Context) (_ string, err error) {
		r, err = m.One(ctx, call)
		return r.Said, err
	})
	done, _ := r.Of.(admin.Moved)
	return m.print(args[0], args[1], done, err, ctx.Err() != nil)
}

// print shows what was moved, and what stays.
func (m *moving) print(from, to string, d admin.Moved, err error, interrupted bool) error {
	if err != nil && interrupted {
		err = errors.New("interrupted: what was moved stays so, and the same command goes on with the rest")
	}
	if m.e.JSON {
		l := moveLine{
			From: from, To: to, Ready: d.Ready, Delayed: d.Delayed, Moved: d.Moved, There: d.There, Resumed: d.Resumed, ResumedTo: d.ResumedTo,
			InFlight: d.InFlight, Dead: d.Dead, Dry: !m.Yes,
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
	if !m.Yes {
		text = fmt.Sprintf("%s of %s would be moved to %s, %d of them ready; add -yes to do it", screen.Count(d.Ready+d.Delayed, "message"), screen.Name(from), screen.Name(to), d.Ready)
	}
	if _, printed := fmt.Fprintln(m.e.Stdout, text); printed != nil {
		return printed
	}
	return err
}
