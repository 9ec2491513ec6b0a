package change

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/reading"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/operations"
)

// forgetCommand is the command that removes a person's traces.
func forgetCommand(e *env.Env) *cli.Command {
	f := &forgetting{Operating: e.Operating(operations.Named("forget"), ""), e: e}
	return e.Command(env.Spec{
		Name: f.Name, Args: "KEY [QUEUE...]", Short: f.Short, Group: env.GroupChange, Long: f.Help, Examples: f.Examples, JSON: forgetLine{},
		Flags: append(append(f.Flags("do not ask"), env.Bool(&f.dry, "dry-run", false, "change nothing, and say what would be removed")), f.payloads.Flags()...),
		Run:   f.run,
	})
}

// forgetting is one run.
type forgetting struct {
	*env.Operating

	e        *env.Env
	dry      bool
	payloads reading.Payloads
	failed   bool
}

// forgetLine is what was removed in one queue, in JSON.
type forgetLine struct {
	Queue      string     `json:"queue"`
	Records    int64      `json:"records"` // of the journal
	Dead       int64      `json:"dead"`
	Kept       int64      `json:"kept,omitempty"` // next to messages that no process has any more
	Unreadable int64      `json:"unreadable,omitempty"`
	Left       []leftLine `json:"left,omitempty"`
	Dry        bool       `json:"dryRun,omitempty"`
	Error      string     `json:"error,omitempty"`
}

// leftLine is a message that is still to be handled.
type leftLine struct {
	Where string `json:"where"` // pending, ready, in flight
	ID    string `json:"id,omitempty"`
	By    string `json:"by"` // key, or the path of a field
}

func (f *forgetting) run(ctx context.Context, args []string) error {
	if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
		return f.Usagef("name the key")
	}
	if err := f.Wrong(false); err != nil {
		return err
	}
	if !f.Yes && !f.dry && !screen.IsTerminal(f.e.Stdin) {
		return f.Usagef("this cannot be undone. Add -yes to confirm, or -dry-run to see what it would do")
	}
	return f.payloads.With(ctx, f.e, func(ctx context.Context, client *framework.Client) error {
		queues := args[1:]
		if len(queues) == 0 {
			found, _, err := admin.Queues(ctx, client, admin.QueuesOptions{})
			if err != nil {
				return err
			}
			for _, q := range found {
				queues = append(queues, q.Queue)
			}
		}
		if err := f.e.Exists(ctx, client, args[1:]...); err != nil {
			return err
		}
		if !f.Yes && !f.dry {
			if err := f.Ask(screen.Clean(args[0]) + " in " + screen.Count(len(queues), "queue")); err != nil {
				return err
			}
		}
		for _, queue := range queues {
			if err := f.forget(ctx, client, queue, args[0]); err != nil {
				return err
			}
		}
		if f.failed {
			return env.ErrReported
		}
		return nil
	})
}

// forget does one queue. The error is that of the output, or of the end of ctx.
func (f *forgetting) forget(ctx context.Context, client *framework.Client, queue, key string) error {
	progress := screen.NewProgress(f.e.Stderr)
	call := f.Call(queue)
	call.Client, call.Name, call.Dry, call.Decode = client, key, f.dry, f.payloads.Decode
	call.Progress = func(n int64, _ *operations.Filter) { progress.Tell("%s: %d so far", screen.Name(queue), n) }
	var done operations.Result
	err := f.Audited(ctx, call, "what is kept of a person", func(ctx context.Context) (_ string, err error) {
		done, err = f.One(ctx, call)
		return done.Said, err
	})
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted in queue %s: %s; run it again", screen.Name(queue), done.Said)
	}
	r, _ := done.Of.(admin.Forgotten)
	f.failed = f.failed || err != nil || len(r.Left) > 0 || r.Unreadable > 0
	return f.print(queue, done.Said, r, err)
}

// print shows what was removed in a queue, and what is left.
func (f *forgetting) print(queue, said string, r admin.Forgotten, err error) error {
	if f.e.JSON {
		l := forgetLine{Queue: queue, Records: r.Records, Dead: r.Dead, Kept: r.Kept, Unreadable: r.Unreadable, Dry: f.dry}
		for _, m := range r.Left {
			l.Left = append(l.Left, leftLine{string(m.Place), m.ID, m.By})
		}
		if err != nil {
			l.Error = err.Error()
		}
		return f.e.Line(l)
	}
	if err != nil {
		f.e.Warn("%s: %v", screen.Name(queue), err)
	}
	for _, m := range r.Left {
		f.e.Warn("%s: message %s is %s, and has it as %s: it stays; cancel it, or run forget again when it is done", screen.Name(queue), screen.Clean(m.ID), m.Place, screen.Clean(m.By))
	}
	if r.Unreadable > 0 {
		f.e.Warn("%s: %s could not be read: give -codec NAME, or -classes FILE.jar with their classes", screen.Name(queue), screen.Count(r.Unreadable, "payload"))
	}
	word := "removed"
	if f.dry {
		word = "would be removed"
	}
	_, err = fmt.Fprintf(f.e.Stdout, "%s: %s %s\n", screen.Name(queue), said, word)
	return err
}
