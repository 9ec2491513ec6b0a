package dead

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/handlers"
)

const buryHelp = `
bury moves messages that are ready to the dead store, the next one to be handled first: payloads
of another codec, say, that hold up what waits behind them. They get the reason buried, and
-reason as their detail; "duequeue dead redrive QUEUE -all -reason buried" puts them back. It
looks at those that are ready when it begins. Consumers that take at the same time move the others, so
that it may miss some: run it again. What a process has taken is not ready.

You may interrupt it: what is done stays done, and nothing is lost. It asks first, and without a
terminal it needs -yes.
`

// buryRun is one run of the command.
type buryRun struct {
	e             *env.Env
	reason, codec string
	yes           bool
	o             framework.BuryOptions
}

func bury(e *env.Env) *cli.Command {
	b := &buryRun{e: e}
	return e.Command(env.Spec{
		Name: "bury", Args: "QUEUE", Short: "move ready messages to the dead store", Long: buryHelp, JSON: doneLine{},
		Examples: []string{"duequeue dead bury ORDERS -reason old-json -limit 10 -dry-run", "duequeue dead bury ORDERS -reason old-json -codec jsonjackson -yes"},
		Flags: []cli.Flag{
			env.String(&b.reason, "reason", "", "why, as `TEXT`: for their detail and the audit; required"),
			env.Int64(&b.o.Limit, "limit", 0, "most messages; 0 is no limit"),
			env.String(&b.o.Class, "class", "", "messages with this `NAME` in their payload, a Java class for example"),
			env.String(&b.codec, "codec", "", "messages whose bytes look most like this codec's `NAME`: a guess"),
			env.Bool(&b.o.DryRun, "dry-run", false, "change nothing, say how many would be moved"),
			env.Bool(&b.yes, "yes", false, "do not ask"),
		},
		Run: func(ctx context.Context, args []string) error {
			if err := b.check(args); err != nil {
				return env.Usage(err)
			}
			return b.run(ctx, args[0])
		},
	})
}

func (b *buryRun) check(args []string) error {
	switch {
	case len(args) != 1:
		return errors.New("dead bury: name one queue")
	case b.reason == "":
		return errors.New("dead bury needs a reason: add -reason TEXT")
	case b.o.Limit < 0:
		return errors.New("dead bury: -limit must not be negative")
	case !b.o.DryRun && !b.yes && !screen.IsTerminal(b.e.Stdin):
		return errors.New("dead bury: add -yes to confirm, or -dry-run to see how many would go")
	}
	if b.codec != "" {
		if _, err := catalog.Find(b.codec); err != nil {
			return fmt.Errorf("dead bury: -codec: %w", err)
		}
		codec := catalog.Canonical(b.codec)
		b.o.Choose = func(body []byte) bool { return sniff.Like(body, codec) }
	}
	b.o.Detail = codecs.Printable(b.reason, 1<<10) + " (" + env.Author() + ")"
	return nil
}

func (b *buryRun) run(ctx context.Context, name string) (err error) {
	ctx, client, end, err := b.e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	queue, err := b.e.Queue(ctx, client, name)
	if err != nil {
		return err
	}
	if !b.o.DryRun && !b.yes {
		if err = b.confirm(ctx, queue, name); err != nil {
			return err
		}
	}
	progress := screen.NewProgress(b.e.Stderr)
	b.o.Progress = func(r framework.BuryResult) { progress.Tell("%d of %d looked at so far", r.Buried, r.Looked) }
	var r framework.BuryResult
	do := func(ctx context.Context) (string, error) {
		var failed error
		r, failed = queue.Ready().Bury(ctx, b.o)
		return fmt.Sprintf("%d buried", r.Buried), failed
	}
	if b.o.DryRun {
		_, err = do(ctx)
	} else {
		err = b.e.Audited(ctx, client, admin.Action{Action: "bury", Queue: name, Target: b.target(), Reason: b.reason}, do)
	}
	err = errors.Join(b.say(name, r), err)
	if ctx.Err() != nil {
		return env.Interrupted()
	}
	return err
}

// target says in words which messages are meant.
func (b *buryRun) target() string {
	words := "ready messages"
	if b.o.Class != "" {
		words += ", class " + b.o.Class
	}
	if b.codec != "" {
		words += ", codec " + b.codec
	}
	if b.o.Limit > 0 {
		words += fmt.Sprintf(", at most %d", b.o.Limit)
	}
	return words
}

func (b *buryRun) confirm(ctx context.Context, queue *framework.Queue[[]byte], name string) error {
	counts, err := queue.Counts(ctx)
	if err != nil {
		return err
	}
	yes, err := screen.Ask(b.e.Stdin, b.e.Stderr, fmt.Sprintf("%d messages of queue %s are ready. Move %s to the dead store?", counts.Ready, screen.Clean(name), screen.Clean(b.target())))
	if err == nil && !yes {
		err = errors.New("nothing was moved")
	}
	return err
}

// say says how many were moved, and how many were not looked at.
func (b *buryRun) say(name string, r framework.BuryResult) error {
	n, what := r.Buried, "buried"
	if b.o.DryRun {
		n, what = r.Matched, "would be buried"
	}
	if b.e.JSON {
		return b.e.Line(doneLine{Queue: name, Buried: &n, Left: &r.Left, Dry: b.o.DryRun})
	}
	_, err := fmt.Fprintf(b.e.Stdout, "%d %s with the reason %s, %d not looked at\n", n, what, handlers.ReasonBuried, r.Left)
	return err
}
