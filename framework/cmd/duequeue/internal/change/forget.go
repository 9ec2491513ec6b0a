package change

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/reading"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
)

const forgetHelp = `
forget removes what Redis keeps of a person whose messages are done: records of the journal
and dead letters whose offers had KEY as their key, and what is kept next to messages with that
key that were handled, or that Java has taken. With -field, also those in which one of these
fields has KEY as its value: the fields of records, and those of payloads, which it reads
(Kryo's user classes need -classes). It looks at the queues that are named or, without a name, at all of the server.

Messages that are still to be handled stay, and are shown: cancel them, or run forget again
when they are done. The exit code is 1 where there are some, or where a payload could not be
read. The audit has an entry for each queue, without KEY; older entries of the audit stay, and
so do logs, traces and backups, which are not in Redis's queues. Errors of retries that Java has
taken stay for a week where KEY is not their key, digests of payloads for a day or two.

It cannot be undone: at a terminal it asks, elsewhere it needs -yes. -dry-run changes
nothing and says what would be removed.
`

// forget is the command that removes a person's traces.
func forget(e *env.Env) *cli.Command {
	f := &forgetting{e: e}
	return e.Command(env.Spec{
		Name: "forget", Args: "KEY [QUEUE...]", Short: "remove what is kept of a person: records, dead letters", Group: env.GroupChange, Long: forgetHelp,
		Examples: []string{"duequeue forget customer-12 -dry-run", "duequeue forget 12 ORDERS -field customer.id -yes"}, JSON: forgetLine{},
		Flags: append([]cli.Flag{
			env.List(&f.fields, "field", "remove what has KEY in this `FIELD`, too; may be given several times, or several by comma"),
			env.Bool(&f.dry, "dry-run", false, "change nothing, and say what would be removed"),
			env.Bool(&f.yes, "yes", false, "do not ask"),
			env.Float(&f.share, "share", admin.DefaultFieldShare, "part of the time for which a server works for this, 0.001 to 1"),
		}, f.payloads.Flags()...),
		Run: f.run,
	})
}

// forgetting is one run.
type forgetting struct {
	e        *env.Env
	fields   []string
	dry, yes bool
	share    float64
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
	switch {
	case len(args) == 0 || strings.TrimSpace(args[0]) == "":
		return env.Usagef("forget: name the key")
	case f.share < 0.001 || f.share > 1:
		return env.Usagef("forget: -share must be from 0.001 to 1")
	case !f.yes && !f.dry && !screen.IsTerminal(f.e.Stdin):
		return env.Usagef("forget: this cannot be undone. Add -yes to confirm, or -dry-run to see what it would do")
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
		if !f.yes && !f.dry {
			yes, err := screen.Ask(f.e.Stdin, f.e.Stderr, fmt.Sprintf("Forget %s in %s for good?", screen.Clean(args[0]), screen.Count(len(queues), "queue")))
			if err != nil || !yes {
				return errors.Join(err, errors.New("nothing was removed"))
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
	o := admin.ForgetOptions{Share: f.share, DryRun: f.dry}
	if len(f.fields) > 0 {
		o.Payloads = admin.Payloads{Decode: f.payloads.Decode, SearchFields: f.fields}
	}
	progress := screen.NewProgress(f.e.Stderr)
	o.Progress = func(r admin.Forgotten) {
		progress.Tell("%s: %s so far", screen.Name(queue), removed(r))
	}
	var r admin.Forgotten
	do := func(ctx context.Context) (_ string, err error) {
		r, err = admin.Forget(ctx, client, queue, key, o)
		return removed(r), err
	}
	var err error
	if f.dry {
		_, err = do(ctx)
	} else {
		err = f.e.Audited(ctx, client, admin.Action{Action: "forget", Queue: queue, Target: "what is kept of a person"}, do)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted in queue %s: %s; run it again", screen.Name(queue), removed(r))
	}
	f.failed = f.failed || err != nil || len(r.Left) > 0 || r.Unreadable > 0
	return f.print(queue, r, err)
}

func removed(r admin.Forgotten) string {
	text := fmt.Sprintf("%s and %s", screen.Count(r.Records, "record"), screen.Count(r.Dead, "dead letter"))
	if r.Kept > 0 {
		text += " and " + screen.Count(r.Kept, "record") + " of keys next to messages"
	}
	return text
}

// print shows what was removed in a queue, and what is left.
func (f *forgetting) print(queue string, r admin.Forgotten, err error) error {
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
	_, err = fmt.Fprintf(f.e.Stdout, "%s: %s %s\n", screen.Name(queue), removed(r), word)
	return err
}
