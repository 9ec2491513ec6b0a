package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/deadletter"
	"github.com/duequeue/duequeue/framework/internal/operations"
)

// letterCommands are those that change dead letters, readyCommands those that make some of ready
// messages: one for each operation of the table.
func letterCommands(e *env.Env) (all []*cli.Command) {
	for _, o := range operations.Of(operations.Dead) {
		c := &deadChange{deadRun: deadRun{e: e}, Operating: e.Operating(o, "dead")}
		c.Choosing = "-all"
		yes := ""
		if o.Question != "" {
			yes = "do not ask"
		}
		all = append(all, e.Command(env.Spec{
			Name: o.Name, Args: "QUEUE ENTRY... | -all QUEUE", Short: o.Short, Long: o.Help, Examples: o.Examples, JSON: doneLine{},
			Flags: append(append([]cli.Flag{
				env.Bool(&c.all, "all", false, "all entries that the filters choose"),
				env.Bool(&c.dry, "dry-run", false, "change nothing, say what would be done"),
			}, c.filtering()...), c.Flags(yes)...),
			Run: c.run,
		}))
	}
	return all
}

func readyCommands(e *env.Env) (all []*cli.Command) {
	for _, o := range operations.Of(operations.Ready) {
		c := &deadChange{deadRun: deadRun{e: e}, Operating: e.Operating(o, "dead"), all: true, ready: true}
		all = append(all, e.Command(env.Spec{
			Name: o.Name, Args: "QUEUE", Short: o.Short, Long: o.Help, Examples: o.Examples, JSON: doneLine{},
			Flags: append(c.Flags("do not ask"), env.Bool(&c.dry, "dry-run", false, "change nothing, say how many it would be done to")), Run: c.run,
		}))
	}
	return all
}

// deadChange is one run of such a command.
type deadChange struct {
	deadRun
	*env.Operating

	all, dry, ready bool

	wouldBe     *screen.Table // entries that a dry run chose
	wouldBeMore int           // how many, those that are not in the table included
}

// doneLine says in JSON how many entries were dealt with, and how many not.
type doneLine struct {
	Queue    string `json:"queue"`
	Redriven *int64 `json:"redriven,omitempty"`
	Dropped  *int64 `json:"dropped,omitempty"`
	Buried   *int64 `json:"buried,omitempty"`
	Changed  *int64 `json:"changed,omitempty"` // by other operations
	Left     *int64 `json:"left,omitempty"`
	Missing  *int64 `json:"missing,omitempty"`
	Harmful  int64  `json:"harmful,omitempty"` // of those left, what killed processes or hung
	More     int64  `json:"more,omitempty"`    // entries that a limit has left; 10,000 stands for more, too
	Dry      bool   `json:"dryRun,omitempty"`  // it would be done
}

func (c *deadChange) check(args []string) error {
	switch {
	case c.ready && len(args) != 1:
		return c.Usagef("name one queue")
	case len(args) > 0 && !c.ready && c.all == (len(args) > 1):
		return c.Usagef("name entries, or say -all")
	case !c.all && c.chosen() != "":
		return c.Usagef("-%s goes with -all", c.chosen())
	}
	if err := c.Wrong(c.all); err != nil {
		return err
	}
	if c.asks() && !screen.IsTerminal(c.e.Stdin) {
		return c.Usagef("-all asks first: add -yes, or -dry-run to see what it would be done to")
	}
	return nil
}

// asks reports whether it asks before it changes anything.
func (c *deadChange) asks() bool {
	return c.Question != "" && (c.all || c.AsksEach) && !c.dry && !c.Yes
}

func (c *deadChange) run(ctx context.Context, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	return c.open(ctx, c.Name, args, -1, func(ctx context.Context) error { return c.change(ctx, args[1:]) })
}

// change asks, does it to the entries that are named, or to all, and says what was done.
func (c *deadChange) change(ctx context.Context, entries []string) error {
	if c.asks() {
		if err := c.ask(ctx); err != nil {
			return err
		}
	}
	call := c.Call(c.name)
	call.Client, call.Messages, call.Dead, call.Dry, call.Preview = c.client, c.queue, c.filter, c.dry, c.preview
	call.Progress = func(n int64, _ *operations.Filter) { c.progress.Tell("%d %s so far", n, c.Done) }
	target := cmp.Or(strings.Join(entries, " "), c.filter.String())
	if c.ready {
		target = "ready messages"
	}
	var n operations.Counts
	err := c.Audited(ctx, call, target, func(ctx context.Context) (_ string, err error) {
		if c.all {
			n, err = c.All(ctx, call)
		} else {
			n, err = c.each(ctx, call, entries)
		}
		return n.Text(c.Done), err
	})
	if refused := (*fault.AuditError)(nil); errors.As(err, &refused) && refused.Refused {
		return err
	}
	if n.Unknown > 0 {
		c.e.Warn("%d are gone after a lost reply: put back, unless others took them out", n.Unknown)
	}
	c.showPreview()
	if err = errors.Join(c.say(n), err); err == nil && !c.all && n.Rest > 0 {
		return env.ErrReported
	}
	return err
}

// each does it to entries one after another.
func (c *deadChange) each(ctx context.Context, call *operations.Call, entries []string) (n operations.Counts, err error) {
	n.Why = map[bool]string{true: "missing", false: "left"}[c.Confirms]
	for i, entry := range entries {
		call.Name = entry
		switch _, err = c.One(ctx, call); {
		case err == nil:
			n.Done++
		case errors.Is(err, fault.ErrNoEntry) || errors.Is(err, fault.ErrMalformedEntry):
			n.Rest++
			c.e.Warn("%v", err)
		default:
			n.Rest += int64(len(entries) - i)
			return n, err
		}
	}
	return n, nil
}

// ask asks whether it shall be done to all entries that are chosen.
func (c *deadChange) ask(ctx context.Context) error {
	counts, err := c.queue.Counts(ctx)
	if err != nil {
		return err
	}
	these := fmt.Sprintf("%d dead messages", counts.Dead)
	if c.ready {
		these = fmt.Sprintf("%d ready messages", counts.Ready)
	}
	if c.chosen() != "" || c.Given() != "" {
		these = "those that are chosen of " + these
	} else {
		these = "all " + these
	}
	return c.Ask(these + " of queue " + screen.Name(c.name))
}

// say says how many entries were dealt with, and how many not.
func (c *deadChange) say(n operations.Counts) error {
	if !c.e.JSON {
		done := c.Done
		if c.dry {
			done = "would be " + done
		}
		_, err := fmt.Fprintln(c.e.Stdout, n.Text(done))
		return err
	}
	line := doneLine{Queue: c.name, Dry: c.dry, More: n.More, Harmful: n.Harmful}
	switch c.Done {
	case "redriven":
		line.Redriven = &n.Done
	case "dropped":
		line.Dropped = &n.Done
	case "buried":
		line.Buried = &n.Done
	default:
		line.Changed = &n.Done
	}
	switch n.Why {
	case "":
	case "missing":
		line.Missing = &n.Rest
	default:
		line.Left = &n.Rest
	}
	return c.e.Line(line)
}

// export writes whole entries, a line of JSON for each, and may then delete them.
func (d *deadRun) export(ctx context.Context) (result string, err error) {
	n := operations.Counts{}
	written := deadletter.Dropping{View: d.queue.Dead(), Step: 1000}
	for m, failed := range d.queue.Dead().All(ctx, d.filter) {
		if err = failed; err != nil {
			break
		}
		if d.limit > 0 && n.Done >= d.limit {
			if n.More++; n.More >= operations.MostMore {
				break
			}
			continue
		}
		if err = d.e.Line(deadletter.ExportOf(d.name, m)); err != nil {
			break
		}
		n.Done++
		d.progress.Tell("%d exported so far", n.Done)
		if err = ctx.Err(); err == nil && d.drops {
			err = written.Add(ctx, m.Entry)
		}
		if err != nil {
			break
		}
	}
	// What is written may go, also where the walk ended early.
	err = errors.Join(err, written.Flush(ctx))
	n.Rest, n.Why = written.Dropped, "dropped"
	result = fmt.Sprintf("%d exported, %d dropped", n.Done, written.Dropped) + n.Behind()
	fmt.Fprintln(d.e.Stderr, result)
	return result, err
}
