package env

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/operations"
)

// Operating is a command that is made of an operation of the table.
type Operating struct {
	operations.Operation
	*operations.Run

	Path     string // of the command: "dead drop"
	Choosing string // the flag that chooses, in place of names
	Reason   string
	By       string
	Yes      bool // it does not ask

	e *Env
}

// Operating returns a command of an operation. Parent is the command that it is below of, "" for none.
func (e *Env) Operating(o operations.Operation, parent string) *Operating {
	path := o.Name
	if parent != "" {
		path = parent + " " + path
	}
	return &Operating{Operation: o, Run: o.New(), Path: path, e: e}
}

// Flags returns those of its arguments, -by, and -reason and -yes where it takes them.
func (o *Operating) Flags(yes string) []cli.Flag {
	var flags []cli.Flag
	for _, a := range o.Args {
		if to, is := a.To.(*bool); is {
			flags = append(flags, Bool(to, a.Name, false, a.Help))
		} else {
			flags = append(flags, &cli.StringFlag{Name: a.Name, Usage: a.Help, Value: a.Text(), Validator: a.Set})
		}
	}
	flags = append(flags, String(&o.Reason, o.why(), "", o.ReasonHelp()))
	if yes != "" {
		flags = append(flags, Bool(&o.Yes, "yes", false, yes))
	}
	return append(flags, String(&o.By, "by", "", "who: the `NAME` that the audit shows; defaults to $USER and the host"))
}

// why is the flag of the reason. Dead letters are chosen by -reason.
func (o *Operating) why() string {
	if o.Subject == operations.Dead {
		return "why"
	}
	return "reason"
}

// Usagef is a mistake in a call of the command.
func (o *Operating) Usagef(format string, args ...any) error {
	return Usagef("%s: %w", o.Path, fmt.Errorf(format, args...))
}

// Wrong returns what is wrong with the arguments; all says that they choose.
func (o *Operating) Wrong(all bool) error {
	if o.NeedsReason && o.Reason == "" {
		return Usagef("%s needs a reason: add -%s TEXT", o.Path, o.why())
	}
	for _, a := range o.Args {
		if a.Given() && (a.Use == operations.OfAll && !all) {
			return o.Usagef("-%s goes with %s", a.Name, o.Choosing)
		}
	}
	if o.Check == nil {
		return nil
	}
	if err := o.Check(all); err != nil {
		return o.Usagef("%w", err)
	}
	return nil
}

// Ask asks whether it is to be done to these. The error of who says no is that nothing was done.
func (o *Operating) Ask(these string, how ...string) error {
	yes, err := screen.Ask(o.e.Stdin, o.e.Stderr, fmt.Sprintf(o.Question, these)+strings.Join(how, "")+"?")
	if err == nil && !yes {
		err = fmt.Errorf("nothing was %s", o.Done)
	}
	return err
}

// Call is one of the operation, on a queue.
func (o *Operating) Call(queue string) *operations.Call {
	return &operations.Call{Queue: queue, Who: cmp.Or(o.By, Author()), Reason: o.Reason}
}

// Audited carries out what was called and writes it to the audit, with what it is done to. A dry run
// is in no audit.
func (o *Operating) Audited(ctx context.Context, c *operations.Call, target string, do func(ctx context.Context) (result string, err error)) error {
	if c.Dry {
		_, err := do(ctx)
		return err
	}
	if given := o.Given(); given != "" && target != "" {
		target += ", " + given
	} else {
		target += given
	}
	return o.e.Audited(ctx, c.Client, admin.Action{Who: c.Who, Action: o.Name, Queue: c.Queue, Target: target, Reason: c.Reason}, do)
}
